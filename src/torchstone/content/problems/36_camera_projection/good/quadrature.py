"""V is the mean of the rotations on the way: sixteen of them, and R = 1 + phi^ V."""

from typing import NamedTuple

import torch
from torch import Tensor


class Projection(NamedTuple):
    uv: Tensor
    depth: Tensor
    valid: Tensor


def gauss_legendre(count: int) -> tuple[Tensor, Tensor]:
    """Return nodes and weights on [0, 1], from the eigenvectors of Jacobi's matrix."""
    k = torch.arange(1, count, dtype=torch.float64)
    beside = k / (4 * k * k - 1).sqrt()
    nodes, vectors = torch.linalg.eigh(torch.diag(beside, 1) + torch.diag(beside, -1))
    return (nodes + 1) / 2, vectors[0] ** 2


NODES, WEIGHTS = gauss_legendre(24)


def se3_exp(xi: Tensor) -> Tensor:
    if xi.shape[-1:] != (6,):
        raise ValueError("se3_exp takes (..., 6)")
    rho, phi = xi.double().tensor_split(2, -1)
    basis = torch.zeros(3, 3, 3, dtype=torch.float64)
    for i, j, k, sign in ((0, 1, 2, -1), (1, 2, 0, -1), (2, 0, 1, -1)):
        basis[i, j, k], basis[i, k, j] = sign, -sign
    hat = torch.einsum("...k,kij->...ij", phi, basis)
    eye = torch.eye(3, dtype=torch.float64)
    small = hat[..., None, :, :] * (NODES[:, None, None] / 16)
    # Cayley of a small angle is not exp; the series is, and squares follow.
    turn = eye.expand_as(small)
    for k in range(14, 0, -1):
        turn = eye + small @ turn / k
    for _ in range(4):
        turn = turn @ turn
    mean = (turn * WEIGHTS[:, None, None]).sum(-3)
    upper = torch.cat([eye + hat @ mean, mean @ rho.unsqueeze(-1)], dim=-1)
    lower = torch.zeros_like(upper[..., :1, :])
    lower[..., 3] = 1.0
    return torch.cat([upper, lower], dim=-2).to(xi.dtype)


def project(
    points: Tensor, pose: Tensor, K: Tensor, dist: Tensor | None = None, near: float = 1e-6
) -> Projection:
    lens = points.new_zeros(5) if dist is None else dist
    shapes = {"points": points.shape[-1:], "pose": pose.shape[-2:], "K": K.shape[-2:]}
    shapes["dist"] = lens.shape[-1:]
    if shapes != {"points": (3,), "pose": (4, 4), "K": (3, 3), "dist": (5,)}:
        raise ValueError(f"wrong trailing shapes: {shapes}")
    X, Y, Z = points.unbind(-1)
    # One more axis behind every number of a camera: that of the points.
    m = pose[..., None]
    x, y, z = (
        m[..., i, 0, :] * X + m[..., i, 1, :] * Y + m[..., i, 2, :] * Z + m[..., i, 3, :]
        for i in range(3)
    )
    seen = z > near
    inverse = 1 / z.masked_fill(~seen, 1.0)
    x, y = (x * inverse).masked_fill(~seen, 0.0), (y * inverse).masked_fill(~seen, 0.0)
    k1, k2, p1, p2, k3 = lens[..., None].unbind(-2)
    r2 = x * x + y * y
    g = torch.addcmul(torch.ones_like(r2), r2, k1 + r2 * k2 + r2 * r2 * k3)
    twist = 2 * (p1 * y + p2 * x)
    xx, yy = x * (g + twist) + p2 * r2, y * (g + twist) + p1 * r2
    f = K[..., None]
    u = f[..., 0, 0, :] * xx + f[..., 0, 1, :] * yy + f[..., 0, 2, :]
    v = f[..., 1, 1, :] * yy + f[..., 1, 2, :]
    u, v, depth, valid = torch.broadcast_tensors(u, v, z, seen)
    return Projection(torch.stack((u, v), -1) * valid[..., None], depth, valid)
