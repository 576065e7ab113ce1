from collections.abc import Callable
from typing import NamedTuple

from torch import Tensor

Field = Callable[[Tensor], Tensor]  # maps (..., 3) to (...)


def sphere(p: Tensor, radius) -> Tensor:
    """Return the distance of points (..., 3) to a sphere round the origin."""
    raise NotImplementedError


def box(p: Tensor, half_size) -> Tensor:
    """Return the exact distance to a box round the origin, negative inside."""
    raise NotImplementedError


def torus(p: Tensor, major, minor) -> Tensor:
    """Return the distance to a torus round the y axis."""
    raise NotImplementedError


def plane(p: Tensor, normal, offset) -> Tensor:
    """Return the signed distance to a plane; the normal may have any length."""
    raise NotImplementedError


def capsule(p: Tensor, a, b, radius) -> Tensor:
    """Return the distance to the segment from a to b, less the radius."""
    raise NotImplementedError


def smooth_union(d1: Tensor, d2: Tensor, k: float) -> Tensor:
    """Return the quadratic smooth minimum; k = 0 is the minimum."""
    raise NotImplementedError


def smooth_intersection(d1: Tensor, d2: Tensor, k: float) -> Tensor:
    """Return the smooth maximum."""
    raise NotImplementedError


def smooth_subtraction(d1: Tensor, d2: Tensor, k: float) -> Tensor:
    """Return the first shape without the second."""
    raise NotImplementedError


def gradient(f: Field, p: Tensor, create_graph: bool = True) -> Tensor:
    """Return the gradient of f at each point."""
    raise NotImplementedError


def normals(f: Field, p: Tensor, create_graph: bool = False) -> Tensor:
    """Return unit gradients, and zero where the gradient is zero."""
    raise NotImplementedError


def eikonal_loss(f: Field, p: Tensor) -> Tensor:
    """Return the mean of (|gradient| - 1)^2."""
    raise NotImplementedError


class TraceResult(NamedTuple):
    """Hold where rays meet a surface."""

    t: Tensor
    points: Tensor
    hit: Tensor
    steps: int


def sphere_trace(
    f: Field,
    origins: Tensor,
    dirs: Tensor,
    t_near: float = 0.0,
    t_far: float = 10.0,
    max_steps: int = 128,
    tol: float = 1e-4,
) -> TraceResult:
    """Follow each ray to the surface f = 0, with gradients of t and points."""
    raise NotImplementedError
