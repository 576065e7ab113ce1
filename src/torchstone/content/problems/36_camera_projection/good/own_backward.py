"""The coefficients as one function whose backward states their derivatives by themselves."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor


class Coefficients(torch.autograd.Function):
    """Map s = theta**2 to sin/theta, (1 - cos)/theta**2, (theta - sin)/theta**3.

    With f_n = the sum of (-s)**k / (2k + n)!, f_n = 1/n! - s f_(n + 2), and the derivative of f_n
    is (n f_(n + 2) - f_(n + 1)) / 2.
    """

    @staticmethod
    def forward(ctx: Any, s: Tensor) -> tuple[Tensor, ...]:
        wide = s.double()
        f4, f5 = _low(wide, 4, 24.0), _low(wide, 5, 120.0)
        theta = wide.sqrt()
        far = wide > 4.0
        safe = torch.where(far, theta, 1.0)
        f1 = torch.where(far, safe.sin() / safe, 1 - wide * (1 / 6 - wide * f5))
        f2 = torch.where(far, 2 * (safe / 2).sin() ** 2 / safe**2, 0.5 - wide * f4)
        f3 = torch.where(far, (1 - f1) / safe**2, 1 / 6 - wide * f5)
        f4 = torch.where(far, (0.5 - f2) / safe**2, f4)
        f5 = torch.where(far, (1 / 6 - f3) / safe**2, f5)
        ctx.save_for_backward(f2, f3, f4, f5)
        return f1.to(s.dtype), f2.to(s.dtype), f3.to(s.dtype)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Tensor:
        f2, f3, f4, f5 = ctx.saved_tensors
        one, two, three = (g.double() for g in grads)
        total = one * (f3 - f2) + two * (2 * f4 - f3) + three * (3 * f5 - f4)
        return (total / 2).to(grads[0].dtype)


def _low(s: Tensor, n: int, factor: float) -> Tensor:
    near = s.clamp(max=4.0)
    term = torch.full_like(near, 1 / factor)
    total = term
    for k in range(1, 16):
        term = -term * near / ((2 * k + n - 1) * (2 * k + n))
        total = total + term
    return total


def se3_exp(xi: Tensor) -> Tensor:
    if xi.shape[-1] != 6:
        raise ValueError("the last dimension of xi must be 6")
    rho, phi = xi[..., :3], xi[..., 3:]
    a, b, c = Coefficients.apply((phi * phi).sum(-1, keepdim=True))
    # Rodrigues on four columns at once: three unit vectors and rho.
    eye = torch.eye(3, dtype=xi.dtype).expand(*xi.shape[:-1], 3, 3)
    axis = phi.unsqueeze(-2).expand(*xi.shape[:-1], 3, 3)
    once = torch.cross(axis, eye, dim=-1)
    twice = torch.cross(axis, once, dim=-1)
    rotation = (eye + a.unsqueeze(-1) * once + b.unsqueeze(-1) * twice).transpose(-1, -2)
    once = torch.cross(phi, rho, dim=-1)
    shift = rho + b * once + c * torch.cross(phi, once, dim=-1)
    motion = torch.nn.functional.pad(
        torch.cat([rotation, shift.unsqueeze(-1)], dim=-1), (0, 0, 0, 1)
    )
    return motion + torch.diag(torch.tensor([0.0, 0.0, 0.0, 1.0], dtype=xi.dtype))


class Projection(NamedTuple):
    uv: Tensor
    depth: Tensor
    valid: Tensor


@dataclass
class Camera:
    """One camera for each point, or what broadcasts to it."""

    pose: Tensor
    K: Tensor
    dist: Tensor | None

    def __post_init__(self) -> None:
        for name, tail in (("pose", (4, 4)), ("K", (3, 3))):
            if getattr(self, name).shape[-2:] != tail:
                raise ValueError(f"{name} must end in {tail}")
        if self.dist is not None and self.dist.shape[-1] != 5:
            raise ValueError("dist must end in 5")

    def see(self, points: Tensor, near: float) -> Projection:
        moved = torch.matmul(points, self.pose[..., :3, :3].transpose(-1, -2))
        moved = moved + self.pose[..., :3, 3].unsqueeze(-2)
        z = moved[..., 2]
        valid = z > near
        ahead = torch.where(valid[..., None], moved, torch.ones_like(moved))
        plane = ahead[..., :2] / ahead[..., 2:]
        if self.dist is not None:
            plane = self.bend(plane)
        matrix = torch.stack([self.K[..., 0, :2], self.K[..., 1, :2] * self._second_row()], dim=-2)
        image = plane @ matrix.transpose(-1, -2) + self.K[..., None, :2, 2]
        valid, z, _ = torch.broadcast_tensors(valid, z, image[..., 0])
        uv = torch.where(valid[..., None], image, torch.zeros_like(image))
        return Projection(uv, z.clone(), valid.clone())

    def _second_row(self) -> Tensor:
        return torch.tensor([0.0, 1.0], dtype=self.K.dtype)

    def bend(self, plane: Tensor) -> Tensor:
        assert self.dist is not None
        k1, k2, p1, p2, k3 = self.dist.unsqueeze(-2).chunk(5, dim=-1)
        r2 = (plane * plane).sum(-1, keepdim=True)
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        tangent = torch.cat([p2, p1], dim=-1)
        flipped = plane.flip(-1)
        cross = 2 * (tangent.flip(-1) * plane * flipped)
        return plane * radial + cross + tangent * (r2 + 2 * plane * plane)


def project(
    points: Tensor, pose: Tensor, K: Tensor, dist: Tensor | None = None, near: float = 1e-6
) -> Projection:
    if points.ndim < 2 or points.shape[-1] != 3:
        raise ValueError("points must end in (N, 3)")
    return Camera(pose, K, dist).see(points, near)
