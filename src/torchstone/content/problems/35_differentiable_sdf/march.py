"""Follow rays to the surface of a field in float64, and say what can be asked of them.

Runs in the reference process only. A ray is `decided` where every right march must agree: half and
twice the tolerance, and an end a little nearer or farther, change nothing, and a dense scan of the
ray agrees as well. It is `smooth` where the surface has no edge near its hit, the ray meets it
with a slope of at least 0.15, and the derivative through all steps has converged: only there t is
compared and differentiated.

Legend: d unit directions, t arc length, n gradient of the field.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

Tensor = torch.Tensor
Function = Callable[[Tensor], Tensor]

LEAST_SLOPE = 0.15
# How far the derivative through all steps may be from that of the root, relative to the latter, at
# a tolerance of 1e-6, and in proportion at others. A ray that grazed something on its way has not
# converged in this sense, and is not asked.
MOST_APART = 1e-4
# Rays that come this near to a surface without crossing it, or end this near to t_far.
NEAR = 1e-3
SCANNED = 96
# A gradient that turns by more than this within NEAR of the hit belongs to an edge: for a curvature
# of 10, far above that of any scene, it turns by 0.01.
TURN = 0.05
NEWTON_STEPS = 4


class Truth(NamedTuple):
    """What rays do; every tensor has the leading shape of the rays.

    Attributes:
        t: The root at hits, ``t_far`` elsewhere.
        hit: Whether the march reached the surface in time.
        decided: Whether all right answers agree about ``hit``.
        smooth: Whether t and its derivative are compared.
        slope: The speed of the field along the ray at the root; 1 at misses.
        ran_out: Whether the march had no step left.
    """

    t: Tensor
    hit: Tensor
    decided: Tensor
    smooth: Tensor
    slope: Tensor
    ran_out: Tensor

    def taken(self, order: Tensor) -> Truth:
        """Return the truth about rays in another order of their flat positions."""
        return Truth(*(each.reshape(-1)[order].reshape(each.shape) for each in self))


def follow(
    f: Function, origins: Tensor, dirs: Tensor, options: dict[str, Any], *, spread: float = 2.0
) -> Truth:
    """Return the truth about rays.

    Args:
        f: The field.
        origins: Where the rays start.
        dirs: Where they go.
        options: The keywords of ``sphere_trace``.
        spread: A factor of the tolerance that changes nothing for a ray that is decided.
    """
    o, d = origins.double(), torch.nn.functional.normalize(dirs.double(), dim=-1)
    t_near, t_far = options.get("t_near", 0.0), options.get("t_far", 10.0)
    most, tol = options.get("max_steps", 128), options.get("tol", 1e-4)
    ends = [(t_far, tol), (t_far - NEAR, tol / spread), (t_far + NEAR, tol * spread)]
    (t, _, _), (hit, least, more), steps = march(f, o, d, t_near, ends, most)
    decided = (least == hit) & (more == hit) & ~grazes(f, o, d, t_near, t_far)
    root, n = polish(f, o, d, t)
    slope = (n * d).sum(-1)
    smooth = hit & decided & (slope.abs() >= LEAST_SLOPE) & ~turns(f, o + root[..., None] * d, n)
    if bool(smooth.any()):
        loop = through_all_steps(f, o, d, steps)
        smooth = smooth & ((loop * slope[..., None] + n).norm(dim=-1) < MOST_APART * tol / 1e-6)
    return Truth(
        t=torch.where(hit, torch.where(smooth, root, t), t_far),
        hit=hit,
        decided=decided,
        smooth=smooth,
        slope=torch.where(hit & (slope != 0), slope, 1),
        ran_out=~hit & (t <= t_far),
    )


class Step(NamedTuple):
    """Where the rays of the first pair were at one step, and which of them went on."""

    t: Tensor
    moves: Tensor


def march(
    f: Function, o: Tensor, d: Tensor, t_near: float, ends: list[tuple[float, float]], most: int
) -> tuple[Tensor, Tensor, list[Step]]:
    """Trace as the task defines it, once for each pair of t_far and tol, side by side.

    Returns:
        The arc lengths, and which rays hit; the first dimension is that of the pairs. Then every
        step with the first pair.
    """
    shape = [len(ends), *o.shape[:-1]]
    columns = torch.tensor(ends, dtype=torch.float64).view(len(ends), 2, *[1] * (o.ndim - 1))
    t_far, tol = columns[:, 0], columns[:, 1]
    t = torch.full(shape, t_near, dtype=torch.float64)
    hit = torch.zeros(shape, dtype=torch.bool)
    alive, steps = ~hit, []
    for _ in range(most):
        if not alive.any():
            break
        s = f(o + t[..., None] * d).abs()
        near = s < tol
        hit = hit | (alive & near)
        moves = alive & ~near
        steps.append(Step(t[0], moves[0]))
        t = torch.where(moves, t + s, t)
        alive = moves & (t <= t_far)
    return t, hit, steps


def through_all_steps(f: Function, o: Tensor, d: Tensor, steps: list[Step]) -> Tensor:
    """Return the derivative of t with respect to the origin, through every step of the march.

    A step adds s = |f(o + t d)|, so the derivative D of t becomes D + sign(f) (n + (n d) D).
    """
    t, moves = torch.stack([each.t for each in steps]), torch.stack([each.moves for each in steps])
    value, n = differentiate(f, o + t[..., None] * d)
    signed = n * torch.where(moves, value.sign(), 0)[..., None]
    growth = 1 + (signed * d).sum(-1, keepdim=True)
    through = torch.zeros_like(o)
    for factor, term in zip(growth, signed, strict=True):
        through = torch.addcmul(term, factor, through)
    return through


def grazes(f: Function, o: Tensor, d: Tensor, t_near: float, t_far: float) -> Tensor:
    """Return whether a ray comes near to a surface that it does not cross."""
    ts = torch.linspace(t_near, t_far, SCANNED, dtype=torch.float64)
    values = f(o[..., None, :] + ts[:, None] * d[..., None, :])
    side = torch.where(values[..., :1] < 0, -1.0, 1.0)
    closest = (values * side)[..., 1:].amin(-1)
    return closest.abs() < NEAR


def polish(f: Function, o: Tensor, d: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
    """Find the root near t by Newton's method; return it and the gradient there."""
    for _ in range(NEWTON_STEPS):
        value, n = differentiate(f, o + t[..., None] * d)
        slope = (n * d).sum(-1)
        # A step never leaves the neighbourhood of the hit; away from hits the result is not used.
        step = torch.where(slope.abs() > LEAST_SLOPE / 2, value / slope, 0)
        t = t - step.clamp(-0.1, 0.1)
    return t, differentiate(f, o + t[..., None] * d)[1]


def differentiate(f: Function, p: Tensor) -> tuple[Tensor, Tensor]:
    """Return values and gradients of a field."""
    with torch.enable_grad():
        x = p.detach().requires_grad_()
        value = f(x)
        return value.detach(), torch.autograd.grad(value.sum(), x)[0]


def turns(f: Function, p: Tensor, n: Tensor) -> Tensor:
    """Return whether the gradient is another one close to a point: there is an edge."""
    steps = torch.cat([torch.eye(3), -torch.eye(3)]).double() * NEAR
    around = differentiate(f, p[..., None, :] + steps)[1]
    return ((around - n[..., None, :]).norm(dim=-1) > TURN).any(-1)
