"""The truth of problem 38 is PyTorch's, and its positions are exact and away from pixels."""

import itertools
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.shipped import shipped_bank
from torchstone.judge.kit import load_code
from torchstone.judge.kit.problem import load_module

pytestmark = pytest.mark.torch

FOLDER = shipped_bank().get("38").path
CODE = load_code(FOLDER)
ORACLE = load_module(FOLDER / "oracle.py")
PADDINGS = ("zeros", "border", "reflection")
HOWS = list(itertools.product(("bilinear", "bicubic"), PADDINGS, (False, True)))


def twice(function: Any, how: tuple[str, str, bool]) -> list[torch.Tensor]:
    """Differentiate a gradient once more: by the image, the grid and the cotangent."""
    generator = torch.Generator().manual_seed(7)

    def draw(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, dtype=torch.float64, generator=generator)

    leaves = [draw(2, 3, 4, 5), 1.5 * draw(2, 3, 4, 2), draw(2, 3, 3, 4)]
    image, grid, cotangent = (leaf.requires_grad_() for leaf in leaves)
    out = function(image, grid, *how)
    first = torch.autograd.grad(out, (image, grid), cotangent, create_graph=True)
    slope = (first[0] * draw(2, 3, 4, 5)).sum() + (first[1] * draw(2, 3, 4, 2)).sum()
    return [out.detach(), *torch.autograd.grad(slope, leaves)]


@pytest.mark.parametrize("how", HOWS, ids=str)
def test_second_derivatives_are_those_of_pytorch(how: tuple[str, str, bool]) -> None:
    ours = twice(lambda *args: ORACLE.interpolate(*args)[0], how)
    for mine, truth in zip(ours, twice(F.grid_sample, how), strict=True):
        assert (mine - truth).abs().max() < 1e-11 * (1 + truth.abs().max())


def positions(grid: torch.Tensor, sizes: torch.Size, align: bool) -> torch.Tensor:
    n = torch.tensor(sizes[::-1], dtype=grid.dtype)
    return (grid + 1) / 2 * (n - 1) if align else ((grid + 1) * n - 1) / 2


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**62 - 1))
def test_drawn_positions_are_exact_and_away_from_pixels(seed: int) -> None:
    for planned in CODE.plan(seed, ["sample", "small", "layout", "grad", "large"]):
        case = CODE.build(planned)
        for part in (case.parts or {"": case}).values():
            if "grid" not in part.secret or not part.secret["grid"].numel():
                continue
            grid, align = part.secret["grid"], part.secret["options"]["align_corners"]
            sizes = part.secret["input"].shape[2:]
            x = positions(grid, sizes, align)
            assert torch.equal(x.double(), positions(grid.double(), sizes, align))
            # Where all is inside, the last pixel itself is named once along each axis.
            is_known = (grid == 1.0) & (planned.group in ("sample", "large"))
            to_half = (2 * x - (2 * x).round()).abs() / 2
            assert ((to_half > 0.05) | is_known).all()


def test_the_large_image_is_beyond_the_whole_numbers_of_float32() -> None:
    for seed in range(20):
        for planned in CODE.plan(seed, ["large"]):
            secret = CODE.build(planned).secret
            if "pixels" not in secret:
                continue
            y, x = secret["pixels"]
            (size,) = {len(each) for each in secret["product"]}
            number = y * size + x
            assert (number.float().long() != number).sum() >= 20
