"""The matrix series in float64, halved and squared back; homogeneous points, a clean K."""

from collections import namedtuple

import torch
from torch import Tensor

Projection = namedtuple("Projection", ["uv", "depth", "valid"])


def se3_exp(xi: Tensor) -> Tensor:
    if xi.shape[-1:] != torch.Size([6]):
        raise ValueError(f"xi has the shape {tuple(xi.shape)}")
    wide = xi.double()
    rows = torch.zeros(*xi.shape[:-1], 4, 4, dtype=torch.float64)
    rows[..., 0, 1], rows[..., 0, 2] = -wide[..., 5], wide[..., 4]
    rows[..., 1, 0], rows[..., 1, 2] = wide[..., 5], -wide[..., 3]
    rows[..., 2, 0], rows[..., 2, 1] = -wide[..., 4], wide[..., 3]
    rows[..., :3, 3] = wide[..., :3]
    small = rows / 2**8
    eye = torch.eye(4, dtype=torch.float64)
    total = eye
    for k in range(10, 0, -1):
        total = eye + small @ total / k
    for _ in range(8):
        total = total @ total
    return total.to(xi.dtype)


def project(
    points: Tensor, pose: Tensor, K: Tensor, dist: Tensor | None = None, near: float = 1e-6
) -> Projection:
    if points.shape[-1] != 3 or pose.shape[-2:] != (4, 4) or K.shape[-2:] != (3, 3):
        raise ValueError("points (..., N, 3), pose (..., 4, 4), K (..., 3, 3)")
    if dist is not None and dist.shape[-1] != 5:
        raise ValueError("dist (..., 5)")
    upper = torch.tensor([[1.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0]], dtype=K.dtype)
    corner = torch.zeros(3, 3, dtype=K.dtype)
    corner[2, 2] = 1.0
    clean = K * upper + corner
    points, pose, clean = points.double(), pose.double(), clean.double()
    homogeneous = torch.cat([points, torch.ones_like(points[..., :1])], dim=-1)
    inside = homogeneous @ pose.mT[..., :3]
    depth = inside[..., 2:]
    valid = depth > near
    plane = inside / torch.where(valid, depth, torch.ones_like(depth))
    plane = torch.where(valid, plane, torch.zeros_like(plane))
    if dist is not None:
        plane = _bend(plane, dist.double().unsqueeze(-2))
    plane = torch.cat([plane[..., :2], torch.ones_like(plane[..., :1])], dim=-1)
    image = plane @ clean.mT
    uv = torch.where(valid, image[..., :2], torch.zeros_like(image[..., :2]))
    shape = uv.shape[:-1]
    return Projection(
        uv.to(K.dtype), depth[..., 0].expand(shape).to(K.dtype), valid[..., 0].expand(shape)
    )


def _bend(plane: Tensor, dist: Tensor) -> Tensor:
    xy = plane[..., :2]
    r2 = xy.pow(2).sum(-1, keepdim=True)
    powers = torch.cat([r2, r2**2, r2**3], dim=-1)
    radial = 1 + (powers * dist[..., [0, 1, 4]]).sum(-1, keepdim=True)
    p1, p2 = dist[..., 2:3], dist[..., 3:4]
    product = 2 * xy.prod(-1, keepdim=True)
    slant = product * torch.cat([p1, p2], -1) + (r2 + 2 * xy**2) * torch.cat([p2, p1], -1)
    return xy * radial + slant
