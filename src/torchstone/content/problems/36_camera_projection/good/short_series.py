"""In the dtype of the input: five terms up to 0.5 in float32, and half angles beyond."""

from typing import NamedTuple

import torch
from torch import Tensor


class Projection(NamedTuple):
    uv: Tensor
    depth: Tensor
    valid: Tensor


def se3_exp(xi: Tensor) -> Tensor:
    if xi.dim() < 1 or xi.shape[-1] != 6:
        raise ValueError("expected [rho, phi]")
    rho, phi = xi[..., 0:3], xi[..., 3:6]
    s = torch.linalg.vecdot(phi, phi)
    is_low = s < 0.25
    t = torch.where(is_low, torch.ones_like(s), s).sqrt()
    num = 5 if xi.dtype == torch.float32 else 8
    low = torch.where(is_low, s, torch.zeros_like(s))
    a, b, c = (_poly(low, first, num) for first in (2, 3, 4))
    half = torch.sin(0.5 * t) / (0.5 * t)
    a = torch.where(is_low, a, torch.sin(t) / t)
    b = torch.where(is_low, b / 2, 0.5 * half * half)
    c = torch.where(is_low, c / 6, (1 - torch.sin(t) / t) / (t * t))
    # phi phi^T - s I is the square of the hat.
    outer = phi[..., :, None] * phi[..., None, :]
    eye = torch.eye(3, dtype=xi.dtype)
    square = outer - s[..., None, None] * eye
    zero = torch.zeros_like(s)
    x, y, z = phi[..., 0], phi[..., 1], phi[..., 2]
    hat = torch.stack(
        [torch.stack(row, -1) for row in ((zero, -z, y), (z, zero, -x), (-y, x, zero))], -2
    )
    a, b, c = (value[..., None, None] for value in (a, b, c))
    rotation = eye + a * hat + b * square
    jacobian = eye + b * hat + c * square
    shift = torch.einsum("...ij,...j->...i", jacobian, rho)
    out = torch.eye(4, dtype=xi.dtype).repeat(*xi.shape[:-1], 1, 1)
    out[..., :3, :] = torch.cat([rotation, shift[..., None]], -1)
    return out


def _poly(s: Tensor, first: int, num: int) -> Tensor:
    """Return 1 - s/(first (first + 1)) (1 - s/((first + 2)(first + 3)) (1 - ...))."""
    total = torch.ones_like(s)
    for k in reversed(range(num)):
        total = 1 - s / ((first + 2 * k) * (first + 2 * k + 1)) * total
    return total


def project(
    points: Tensor, pose: Tensor, K: Tensor, dist: Tensor | None = None, near: float = 1e-6
) -> Projection:
    for name, value, tail in (("pose", pose, (4, 4)), ("K", K, (3, 3)), ("dist", dist, (5,))):
        if value is not None and value.shape[value.ndim - len(tail) :] != tail:
            raise ValueError(f"{name}: {tuple(value.shape)}")
    if points.ndim < 2 or points.shape[-1] != 3:
        raise ValueError(f"points: {tuple(points.shape)}")
    K = K.unsqueeze(-3)
    lens = None if dist is None else dist.unsqueeze(-2)
    X = (pose[..., None, :3, :3] * points[..., None, :]).sum(-1) + pose[..., None, :3, 3]
    X, _ = torch.broadcast_tensors(
        X, K[..., 0, :] if lens is None else K[..., 0, :] + lens[..., :3]
    )
    z = X[..., 2] + 0.0
    valid = z > near
    z_safe = z.where(valid, 1.0)
    x, y = X[..., 0].where(valid, 0.0) / z_safe, X[..., 1].where(valid, 0.0) / z_safe
    if lens is not None:
        r = (x * x + y * y).unsqueeze(-1) ** torch.tensor([1, 2, 3])
        g = 1 + (r * lens[..., [0, 1, 4]]).sum(-1)
        xy, p1, p2 = 2 * x * y, lens[..., 2], lens[..., 3]
        x, y = (
            x * g + p1 * xy + p2 * (r[..., 0] + 2 * x * x),
            y * g + p2 * xy + p1 * (r[..., 0] + 2 * y * y),
        )
    uv = torch.stack(
        [K[..., 0, 0] * x + K[..., 0, 1] * y + K[..., 0, 2], K[..., 1, 1] * y + K[..., 1, 2]], -1
    )
    return Projection(uv.masked_fill(~valid.unsqueeze(-1), 0.0), z, valid)
