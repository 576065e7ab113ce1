"""The truth of problem 36 has the digits that its tolerances need, and its picture its numbers."""

import math
import re
from typing import Any

import mpmath
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.shipped import shipped_bank
from torchstone.judge.kit import load_code
from torchstone.judge.kit.problem import load_module

pytestmark = pytest.mark.torch

FOLDER = shipped_bank().get("36").path
CODE = load_code(FOLDER)
ORACLE = load_module(FOLDER / "oracle.py")
ANGLES = (0.0, 1e-12, 1e-8, 1e-5, 1e-3, 0.1, 0.7, math.pi - 1e-9, math.pi, 3.3, 6.4, 12.0)


def exact_motion(xi: list[Any]) -> Any:
    """Return the motion of a twist, to 50 digits."""
    a, b, c, x, y, z = xi
    return mpmath.expm(mpmath.matrix([[0, -z, y, a], [z, 0, -x, b], [-y, x, 0, c], [0, 0, 0, 0]]))


def as_tensor(matrix: Any) -> torch.Tensor:
    rows = [[float(matrix[i, j]) for j in range(4)] for i in range(4)]
    return torch.tensor(rows, dtype=torch.float64)


@pytest.mark.parametrize("angle", ANGLES)
def test_motions_and_their_gradients_are_right_to_fifty_digits(angle: float) -> None:
    axis = torch.tensor([0.6, -0.64, 0.48], dtype=torch.float64)
    xi = torch.cat([torch.tensor([0.7, -1.3, 0.4], dtype=torch.float64), axis * angle])
    cotangent = torch.randn(4, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    leaf = xi.clone().requires_grad_()
    motion = ORACLE.exp_of_twist(leaf)
    (gradient,) = torch.autograd.grad(motion, leaf, cotangent)
    with mpmath.workdps(50):
        numbers = [mpmath.mpf(number) for number in xi.tolist()]
        # A hundredth of the tightest tolerance, 1e-11 of the largest entry.
        assert (motion.detach() - as_tensor(exact_motion(numbers))).abs().max() < 1e-13
        step, way = mpmath.mpf(10) ** -20, [1, -2, 3, -1, 2, 1]
        ahead, behind = (
            exact_motion([n + sign * step * d for n, d in zip(numbers, way, strict=True)])
            for sign in (1, -1)
        )
        slope = (as_tensor((ahead - behind) / (2 * step)) * cotangent).sum()
    assert abs(slope - gradient @ torch.tensor(way, dtype=torch.float64)) < 8e-13


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**62 - 1))
def test_no_depth_is_so_close_to_near_that_rounding_decides(seed: int) -> None:
    for planned in CODE.plan(seed, ["sample", "small", "edge", "layout"]):
        case = CODE.build(planned)
        for part in (case.parts or {"": case}).values():
            if "inputs" in part.secret:
                near = part.secret["near"]
                full = ORACLE.per_point(part.secret["inputs"])
                _, depth, _ = ORACLE.pinhole(full, near)
                assert not ((depth - near).abs() < 1e-5).any()


def test_the_picture_is_drawn_from_the_numbers_of_the_cells() -> None:
    text = (FOLDER / "editorial.en.md").read_text(encoding="utf-8")
    scope: dict[str, Any] = {}
    try:
        for cell in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
            exec(cell, scope)
    finally:
        torch.set_default_dtype(torch.float32)
    picture = (FOLDER / "figure_recover.svg").read_text(encoding="utf-8")
    found = [
        [tuple(map(int, pair.split(","))) for pair in line.split()]
        for line in re.findall(r'<polyline points="([^"]*)"', picture)
    ]
    ways = [_in_image(scope["tracks"][:4, corner]) for corner in range(8)]
    falls = [_in_chart(scope[name]) for name in ("errors", "slow_errors")]
    for drawn, wanted in zip(found, ways + falls, strict=True):
        # Half a unit is the rounding of the picture; the last errors are those of the processor.
        assert all(
            math.dist(a, b) < (2 if b[1] < 190 else 15) for a, b in zip(drawn, wanted, strict=True)
        )


def _in_image(track: torch.Tensor) -> list[tuple[float, float]]:
    return [(20 + u, 32 + 0.85 * (v + 44)) for u, v in track.tolist()]


def _in_chart(errors: torch.Tensor) -> list[tuple[float, float]]:
    return [
        (410 + 35 * step, 30 + 12.5 * (2 - math.log10(error)))
        for step, error in enumerate(errors.tolist())
    ]
