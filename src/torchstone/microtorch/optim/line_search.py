"""Line search with the strong Wolfe conditions, for LBFGS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torchstone.microtorch.tensor import Tensor

# Sufficient decrease (Armijo): the constant c1.
ENOUGH = 1e-4
# Curvature condition: the constant c2.
FLAT = 0.9
MAX_STEPS = 25


@dataclass
class Point:
    """Point of a line search.

    Attributes:
        length: The distance along the direction.
        loss: The loss.
        grad: The gradient.
        slope: The derivative along the direction.
    """

    length: Any
    loss: float
    grad: Tensor
    slope: Any = None


def strong_wolfe(
    look: Callable[[Any], Point], start: Point, length: Any, width: Any, max_steps: int
) -> tuple[Point, int]:
    """Find a point that satisfies the strong Wolfe conditions; count the evaluations.

    Args:
        look: Evaluates the point at a length.
        start: The point at length 0.
        length: The first length to try.
        width: The interval width at which the search stops.
        max_steps: The maximum number of further evaluations.

    Source:
        Nocedal and Wright, Numerical optimization (2006), algorithms 3.5 and 3.6.
    """
    max_steps = min(max_steps, MAX_STEPS)
    before, here, steps = start, look(length), 0
    while steps < max_steps:
        if _is_high(here, start) or (steps > 1 and here.loss >= before.loss):
            break
        if abs(here.slope) <= -FLAT * start.slope:
            return here, steps + 1
        if here.slope >= 0:
            break
        gap = here.length - before.length
        length = _lowest(before, here, here.length + 0.01 * gap, here.length * 10)
        before, here = here, look(length)
        steps += 1
    else:
        # The loss never started to rise, so there is no bracket.
        return min(start, here, key=lambda each: each.loss), steps + 1
    return _zoom(look, start, [before, here], width, max_steps, steps)


def _zoom(
    look: Callable[[Any], Point],
    start: Point,
    bracket: list[Point],
    width: Any,
    max_steps: int,
    steps: int,
) -> tuple[Point, int]:
    """Narrow a bracket that contains a point with the strong Wolfe conditions."""
    low = int(bracket[1].loss < bracket[0].loss)
    was_near_the_edge = False
    while steps < max_steps:
        lengths = [each.length for each in bracket]
        least, most = min(lengths), max(lengths)
        if most - least < width:
            break
        length = _lowest(bracket[0], bracket[1], least, most)
        edge = 0.1 * (most - least)
        is_near = bool(min(most - length, length - least) < edge)
        if is_near and (was_near_the_edge or not least < length < most):
            length = most - edge if most - length < length - least else least + edge
            is_near = False
        was_near_the_edge = is_near
        here = look(length)
        steps += 1
        if _is_high(here, start) or here.loss >= bracket[low].loss:
            bracket[1 - low] = here
            low = int(bracket[1].loss < bracket[0].loss)
            continue
        if abs(here.slope) <= -FLAT * start.slope:
            return here, steps + 1
        if here.slope * (lengths[1 - low] - lengths[low]) >= 0:
            bracket[1 - low] = bracket[low]
        bracket[low] = here
    return bracket[low], steps + 1


def _is_high(here: Point, start: Point) -> bool:
    """Return whether the loss violates the sufficient-decrease condition."""
    return bool(here.loss > start.loss + ENOUGH * here.length * start.slope)


def _lowest(one: Point, other: Point, least: Any, most: Any) -> Any:
    """Return the minimizer of the cubic through two points with their slopes."""
    first, second = (one, other) if one.length <= other.length else (other, one)
    gap = first.length - second.length
    bend = first.slope + second.slope - 3 * (first.loss - second.loss) / gap
    square = bend**2 - first.slope * second.slope
    if not square >= 0:
        return (least + most) / 2.0
    root = square.sqrt()
    share = (second.slope + root - bend) / (second.slope - first.slope + 2 * root)
    return min(max(second.length + gap * share, least), most)
