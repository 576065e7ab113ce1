from math import factorial
from typing import NamedTuple

import torch
from torch import Tensor

# Below this value of theta ** 2 the series are used, beyond it the closed formulas.
SMALL = 1.0
NUM_TERMS = 10


class Projection(NamedTuple):
    uv: Tensor
    depth: Tensor
    valid: Tensor


def se3_exp(xi: Tensor) -> Tensor:
    if xi.shape[-1:] != (6,):
        raise ValueError(f"se3_exp: xi must be (..., 6); got {tuple(xi.shape)}.")
    rho, phi = xi[..., :3], xi[..., 3:]
    a, b, c = _coefficients(phi.square().sum(-1)[..., None, None])
    hat = _hat(phi)
    square = hat @ hat
    eye = torch.eye(3, dtype=xi.dtype)
    rotation = eye + a * hat + b * square
    translation = (eye + b * hat + c * square) @ rho[..., None]
    bottom = torch.tensor([0.0, 0.0, 0.0, 1.0], dtype=xi.dtype).expand(*xi.shape[:-1], 1, 4)
    return torch.cat([torch.cat([rotation, translation], -1), bottom], -2)


def _coefficients(s: Tensor) -> list[Tensor]:
    """Return sin(t)/t, (1 - cos(t))/t**2 and (t - sin(t))/t**3 as functions of s = t**2."""
    is_small = s < SMALL
    # Neither branch sees a number that is bad for it, so neither gives NaN to the gradient.
    low = torch.where(is_small, s, 0.0)
    theta = torch.where(is_small, 1.0, s).sqrt()
    half = (theta / 2).sin() / (theta / 2)
    closed = [
        theta.sin() / theta,
        half * half / 2,
        (theta - theta.sin()) / theta**3,
    ]
    return [
        torch.where(is_small, _series(low, first), formula)
        for first, formula in enumerate(closed, start=1)
    ]


def _series(s: Tensor, first: int) -> Tensor:
    """Return the sum of (-s)**k / (2k + first)! by Horner's rule."""
    total = torch.zeros_like(s)
    for k in reversed(range(NUM_TERMS)):
        total = 1 / factorial(2 * k + first) - s * total
    return total


def _hat(phi: Tensor) -> Tensor:
    x, y, z = phi.unbind(-1)
    zero = torch.zeros_like(x)
    return torch.stack([zero, -z, y, z, zero, -x, -y, x, zero], -1).unflatten(-1, (3, 3))


def project(
    points: Tensor, pose: Tensor, K: Tensor, dist: Tensor | None = None, near: float = 1e-6
) -> Projection:
    _check(points, pose, K, dist)
    batch = torch.broadcast_shapes(
        points.shape[:-2], pose.shape[:-2], K.shape[:-2], () if dist is None else dist.shape[:-1]
    )
    camera = points @ pose[..., :3, :3].mT + pose[..., None, :3, 3]
    camera = camera.expand(*batch, *camera.shape[-2:])
    depth = camera[..., 2].clone()
    valid = depth > near
    # The denominator is safe before the division: a mask behind it would let NaN into gradients.
    xy = camera[..., :2] / torch.where(valid, depth, 1.0)[..., None]
    x, y = torch.where(valid[..., None], xy, 0.0).unbind(-1)
    if dist is not None:
        x, y = _distort(x, y, dist[..., None, :])
    u = K[..., 0, 0, None] * x + K[..., 0, 1, None] * y + K[..., 0, 2, None]
    v = K[..., 1, 1, None] * y + K[..., 1, 2, None]
    uv = torch.where(valid[..., None], torch.stack([u, v], -1), 0.0)
    return Projection(uv, depth, valid)


def _distort(x: Tensor, y: Tensor, dist: Tensor) -> tuple[Tensor, Tensor]:
    k1, k2, p1, p2, k3 = dist.unbind(-1)
    r2 = x * x + y * y
    radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
    return (
        x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x),
        y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y,
    )


def _check(points: Tensor, pose: Tensor, K: Tensor, dist: Tensor | None) -> None:
    if points.ndim < 2 or points.shape[-1] != 3:
        raise ValueError(f"project: points must be (..., N, 3); got {tuple(points.shape)}.")
    if pose.shape[-2:] != (4, 4):
        raise ValueError(f"project: pose must be (..., 4, 4); got {tuple(pose.shape)}.")
    if K.shape[-2:] != (3, 3):
        raise ValueError(f"project: K must be (..., 3, 3); got {tuple(K.shape)}.")
    if dist is not None and dist.shape[-1:] != (5,):
        raise ValueError(f"project: dist must be (..., 5); got {tuple(dist.shape)}.")
