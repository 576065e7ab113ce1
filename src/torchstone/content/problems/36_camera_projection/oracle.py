"""Know the truth of problem 36 in float64, and how far from it rounding alone may lead.

Legend: T the motion of a twist, G its cotangent; X point in the camera's frame, z its depth.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchstone.judge.kit import Case, Exact, Expected, Raises, Want

# 34 units of float32: an angle of 12 is rounded to 10 units by itself, and its square, its root and
# its sine add theirs. In float64 1e-11 is 45 000 units: whatever loses half of the digits is seen.
OF_MOTION = {torch.float32: 4e-6, torch.float64: 1e-11}
# A derivative of a coefficient is a difference of two terms, each by 1/theta larger than itself.
OF_TWIST = 8.0
# 84 units of float32: three products for each coordinate, a quotient, seven powers of r.
OF_IMAGE = {torch.float32: 1e-5, torch.float64: 1e-10}
OF_INPUT = 50.0
Image = tuple[Tensor, Tensor, Tensor]
NUM_SQUARINGS = 7
NUM_TERMS = 12
# Shapes of one camera's arguments, without the batch and the points.
INNER = {"points": 1, "pose": 2, "K": 2, "dist": 1}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    if "raises" in secret:
        return {f"{name}.raised": Raises(ValueError) for name in secret["raises"]}
    return _motion(secret) if "xi" in secret else _image(secret)


def builtin(case: Case) -> dict[str, Tensor]:
    """Compute the motions with PyTorch's own operator in float64."""
    if "xi" not in case.secret or not case.secret["is_asked"]:
        return {}
    xi = case.secret["xi"].double().requires_grad_()
    motion = torch.linalg.matrix_exp(_twist(xi))
    (gradient,) = torch.autograd.grad(motion, xi, case.secret["cotangent"].double())
    return {"out": motion.detach(), "grad.0": gradient}


# Motions


def _twist(xi: Tensor) -> Tensor:
    """Return the 4 x 4 matrix whose exponential is the motion."""
    generators = torch.zeros(6, 4, 4, dtype=torch.float64)
    for axis in range(3):
        generators[axis, axis, 3] = 1.0
        after, last = (axis + 1) % 3, (axis + 2) % 3
        generators[3 + axis, last, after], generators[3 + axis, after, last] = 1.0, -1.0
    return torch.einsum("...k,kij->...ij", xi, generators)


def exp_of_twist(xi: Tensor) -> Tensor:
    """Sum the series of the exponential: of a part of the twist, and squared.

    What is squared is the exponential less 1: (1 + F)**2 - 1 = 2 F + F**2 loses no digit of a
    small F, and no rounding is doubled again and again. Nothing is divided by the angle.
    """
    part = _twist(xi) / 2**NUM_SQUARINGS
    # The angle of a part is 0.1 at most: 0.1**12 / 13! is below a rounding of the whole.
    total = torch.zeros_like(part)
    for k in range(NUM_TERMS, 0, -1):
        total = (part + part @ total) / k
    for _ in range(NUM_SQUARINGS):
        total = 2 * total + total @ total
    return torch.eye(4, dtype=torch.float64) + total


def _motion(secret: dict[str, Any]) -> Expected:
    xi, dtype = secret["xi"].double().requires_grad_(), secret["xi"].dtype
    cotangent = secret["cotangent"].double()
    motion = exp_of_twist(xi)
    (gradient,) = torch.autograd.grad(motion, xi, cotangent)
    rho = xi.detach()[..., :3].abs()
    unit = OF_MOTION[dtype]
    # The largest entry of a motion is 1, or its translation.
    size = rho.amax(-1, keepdim=True).clamp(min=1.0) if rho.numel() else rho[..., :1]
    limit = (unit * size[..., None]).expand(motion.shape).clone()
    limit[..., 3, :] = 0.0
    # The motion of nothing is the unit matrix, bit for bit.
    limit[(xi.detach() == 0).all(-1)] = 0.0
    # Should all entries of a gradient cancel by chance, their terms have not.
    largest = gradient.abs().amax(-1, keepdim=True) if rho.numel() else gradient[..., :1]
    floor = cotangent.abs().flatten(-2).amax(-1, keepdim=True) if rho.numel() else largest
    slack = OF_TWIST * unit * torch.maximum(largest, floor / 2)
    expected: Expected = {"out": Want(motion.detach(), limit, dtype)}
    if secret["is_asked"]:
        expected["grad.0"] = Want(gradient, slack, dtype, aspect="grad", none_is_zero=True)
    return expected


# Images


def _image(secret: dict[str, Any]) -> Expected:
    inputs, near = secret["inputs"], secret["near"]
    dtype = inputs["points"].dtype
    full = per_point(inputs)
    (uv, depth, valid), gradients = _differentiate(secret, full)
    reach, fuzz = _reach(full, near)
    unit = OF_IMAGE[dtype]
    return {
        "out.len": Exact(3),
        "out.0": Want(uv, unit * fuzz, dtype),
        "out.1": Want(depth, unit * reach, dtype),
        "out.2": Want(valid, 0.0, torch.bool),
        **gradients,
    }


def per_point(inputs: dict[str, Tensor]) -> dict[str, Tensor]:
    """Give each point of each image arguments of its own, in float64."""
    apart = {
        name: value.double() if name == "points" else _one_more(value.double(), INNER[name])
        for name, value in inputs.items()
    }
    shapes = [value.shape[: value.ndim - INNER[name]] for name, value in apart.items()]
    batch = torch.broadcast_shapes(*shapes)
    return {
        name: value.expand(*batch, *value.shape[value.ndim - INNER[name] :])
        for name, value in apart.items()
    }


def _one_more(value: Tensor, inner: int) -> Tensor:
    return value.unsqueeze(-inner - 1)


def pinhole(full: dict[str, Tensor], near: float) -> Image:
    """Return pixels, depths and validity of points that each have a camera of their own."""
    pose, K = full["pose"], full["K"]
    inside = (pose[..., :3, :3] @ full["points"][..., None])[..., 0] + pose[..., :3, 3]
    depth = inside[..., 2]
    valid = depth > near
    # What lies behind is replaced before anything is divided: its derivatives are zeros.
    ahead = torch.where(valid[..., None], inside, inside.new_tensor([0.0, 0.0, 1.0]))
    x, y = ahead[..., 0] / ahead[..., 2], ahead[..., 1] / ahead[..., 2]
    if "dist" in full:
        k1, k2, p1, p2, k3 = full["dist"].unbind(-1)
        r2 = x**2 + y**2
        radial = 1 + k1 * r2 + k2 * r2**2 + k3 * r2**3
        x, y = (
            x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x**2),
            y * radial + p1 * (r2 + 2 * y**2) + 2 * p2 * x * y,
        )
    u = K[..., 0, 0] * x + K[..., 0, 1] * y + K[..., 0, 2]
    v = K[..., 1, 1] * y + K[..., 1, 2]
    uv = torch.where(valid[..., None], torch.stack([u, v], -1), 0.0)
    return uv, depth, valid


def _reach(full: dict[str, Tensor], near: float) -> tuple[Tensor, Tensor]:
    """Return how large the terms of each depth and of each pixel are."""
    pose, K = full["pose"], full["K"].abs()
    terms = (pose[..., :3, :3].abs() @ full["points"].abs()[..., None])[..., 0]
    terms = terms + pose[..., :3, 3].abs()
    inside = (pose[..., :3, :3] @ full["points"][..., None])[..., 0] + pose[..., :3, 3]
    valid = inside[..., 2] > near
    z = torch.where(valid, inside[..., 2], 1.0)
    # x = X / z inherits the roundings of X, and by x those of z.
    across = inside[..., :2].abs() / z[..., None]
    error = (terms[..., :2] / z[..., None] + across * (terms[..., 2] / z)[..., None]).sum(-1)
    bend = torch.ones_like(z)
    if "dist" in full:
        r2 = across.square().sum(-1)
        k1, k2, p1, p2, k3 = full["dist"].abs().unbind(-1)
        bend = 1 + k1 * r2 + k2 * r2**2 + k3 * r2**3 + 4 * (p1 + p2) * r2.sqrt()
    of_u = (K[..., 0, 0] + K[..., 0, 1]) * bend * error + K[..., 0, 2] * terms[..., 2] / z
    of_v = K[..., 1, 1] * bend * error + K[..., 1, 2] * terms[..., 2] / z
    fuzz = torch.where(valid[..., None], torch.stack([of_u, of_v], -1), 0.0)
    return terms[..., 2], fuzz


def _differentiate(secret: dict[str, Any], full: dict[str, Tensor]) -> tuple[Image, Expected]:
    """Add up what each point, by u, v and depth apart, gives to an argument: truth and size."""
    # Three copies, of which one is asked for u, one for v and one for the depth: a single backward.
    leaves = {name: torch.stack([value] * 3).requires_grad_() for name, value in full.items()}
    image = pinhole(leaves, secret["near"])
    of_uv, of_depth = secret["of_uv"].double(), secret["of_depth"]
    asked = [torch.zeros_like(image[0]), torch.zeros_like(image[1])]
    asked[0][0, ..., 0], asked[0][1, ..., 1] = of_uv.unbind(-1)
    if of_depth is not None:
        asked[1][2] = of_depth
    wanted = [name for name in full if name in secret["keys"]]
    sought = [leaves[name] for name in wanted]
    found = torch.autograd.grad(image[:2], sought, asked) if sought else ()
    expected: Expected = {}
    for name, each in zip(wanted, found, strict=True):
        given = secret["inputs"][name]
        value = _sum_to(each.sum(0), name, given.shape)
        size = _sum_to(each.abs().sum(0), name, given.shape)
        limit = OF_INPUT * OF_IMAGE[given.dtype] * _largest(size, name)
        key = f"grad.{secret['keys'][name]}"
        expected[key] = Want(value, limit, given.dtype, aspect="grad", none_is_zero=True)
    uv, depth, valid = (each[0].detach() for each in image)
    return (uv, depth, valid), expected


def _sum_to(value: Tensor, name: str, shape: torch.Size) -> Tensor:
    """Sum over the points and over the batch along which an argument was repeated."""
    wanted = shape if name == "points" else _one_more(torch.empty(shape), INNER[name]).shape
    return value.sum_to_size(*wanted).reshape(shape)


def _largest(size: Tensor, name: str) -> Tensor:
    """Compare coordinates of a point with the largest, and entries of a pose; others alone."""
    if not size.numel() or name in ("K", "dist"):
        return size
    dims = (-1,) if name == "points" else (-2, -1)
    return size.amax(dims, keepdim=True)
