"""A unit quaternion with the sinc of half the angle; only points that are seen are divided."""

import math
from typing import NamedTuple

import torch
from torch import Tensor


class Projection(NamedTuple):
    uv: Tensor
    depth: Tensor
    valid: Tensor


def se3_exp(xi: Tensor) -> Tensor:
    if xi.ndim == 0 or xi.size(-1) != 6:
        raise ValueError("xi")
    rho, phi = xi.split(3, dim=-1)
    theta = torch.linalg.vector_norm(phi, dim=-1, keepdim=True)
    # torch.sinc knows its own limit and its derivative, and the norm has the slope 0 at 0.
    sinc_of_half = torch.sinc(theta / (2 * math.pi))
    w, v = (theta / 2).cos(), phi * sinc_of_half / 2

    def rotate(columns: Tensor) -> Tensor:
        # columns are rows here: (..., 3, 3), each a vector that is turned.
        axis = v[..., None, :].expand_as(columns)
        once = 2 * torch.linalg.cross(axis, columns)
        return columns + w[..., None] * once + torch.linalg.cross(axis, once)

    eye = torch.eye(3, dtype=xi.dtype).expand(*xi.shape[:-1], 3, 3)
    rotation = rotate(eye).mT
    once = torch.linalg.cross(phi, rho)
    twice = torch.linalg.cross(phi, once)
    translation = rho + sinc_of_half.square() / 2 * once + _c(theta) * twice
    motion = torch.zeros(*xi.shape[:-1], 4, 4, dtype=xi.dtype)
    motion[..., :3, :3] = rotation
    motion[..., :3, 3] = translation
    motion[..., 3, 3] = 1.0
    return motion


def _c(theta: Tensor) -> Tensor:
    """Return (theta - sin(theta)) / theta**3: a series up to 1.5, the formula beyond."""
    near = theta < 1.5
    x = torch.where(near, theta, 0.0).square()
    far = torch.where(near, 1.5, theta)
    return torch.where(near, (1 - _tail(x)) / 6, (far - far.sin()) / far.pow(3))


def _tail(x: Tensor) -> Tensor:
    total = torch.zeros_like(x)
    for k in range(12, 0, -1):
        total = x / ((2 * k + 2) * (2 * k + 3)) * (1 - total)
    return total


def project(
    points: Tensor, pose: Tensor, K: Tensor, dist: Tensor | None = None, near: float = 1e-6
) -> Projection:
    given = [(points, (3,)), (pose, (4, 4)), (K, (3, 3))] + ([] if dist is None else [(dist, (5,))])
    for value, tail in given:
        if tuple(value.shape[-len(tail) :]) != tail:
            raise ValueError(f"expected a trailing shape of {tail}, got {tuple(value.shape)}")
    rows = torch.einsum("...ij,...nj->...ni", pose[..., :3, :3], points)
    rows = rows + pose[..., :3, 3].unsqueeze(-2)
    shapes = [rows.shape[:-2], K.shape[:-2]] + ([] if dist is None else [dist.shape[:-1]])
    shape = (*torch.broadcast_shapes(*shapes), points.shape[-2])
    rows = rows.expand(*shape, 3)
    depth = rows[..., 2].contiguous()
    valid = depth > near
    seen = rows[valid]
    x, y = seen[:, 0] / seen[:, 2], seen[:, 1] / seen[:, 2]
    if dist is not None:
        k1, k2, p1, p2, k3 = dist.unsqueeze(-2).expand(*shape, 5)[valid].unbind(-1)
        r2 = x**2 + y**2
        radial = 1 + k1 * r2 + k2 * r2**2 + k3 * r2**3
        x, y = (
            x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x**2),
            y * radial + p1 * (r2 + 2 * y**2) + 2 * p2 * x * y,
        )
    own = K.unsqueeze(-3).expand(*shape, 3, 3)[valid]
    u = own[:, 0, 0] * x + own[:, 0, 1] * y + own[:, 0, 2]
    v = own[:, 1, 1] * y + own[:, 1, 2]
    uv = torch.zeros(*shape, 2, dtype=points.dtype)
    uv[valid] = torch.stack([u, v], dim=-1)
    return Projection(uv=uv, depth=depth, valid=valid)
