from typing import NamedTuple

from torch import Tensor


class Projection(NamedTuple):
    """Where points appear: pixels (..., N, 2), depths (..., N), and which are in front of near."""

    uv: Tensor
    depth: Tensor
    valid: Tensor


def se3_exp(xi: Tensor) -> Tensor:
    """Return the rigid motions (..., 4, 4) of the twists xi (..., 6) = [rho, phi].

    Value and gradient are exact at every angle, at 0 as well.

    Raises:
        ValueError: the last dimension of xi is not 6.
    """
    raise NotImplementedError


def project(
    points: Tensor, pose: Tensor, K: Tensor, dist: Tensor | None = None, near: float = 1e-6
) -> Projection:
    """Project world points (..., N, 3) to pixels.

    Args:
        points: World points.
        pose: World-to-camera motions (..., 4, 4); the bottom row is ignored.
        K: Intrinsics (..., 3, 3); only fx, skew, cx, fy, cy are read.
        dist: Distortion (..., 5) as k1, k2, p1, p2, k3; None for none.
        near: A point is valid if its depth is larger than this.

    Raises:
        ValueError: the trailing shape of an argument is wrong.
    """
    raise NotImplementedError
