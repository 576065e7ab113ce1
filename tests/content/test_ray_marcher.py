"""The truth of problem 37 has the digits that its tolerances need, and its bounds hold."""

from typing import Any

import mpmath
import pytest
import torch

from tests.shipped import shipped_bank
from torchstone.judge.kit import Draw
from torchstone.judge.kit.problem import load_module

pytestmark = pytest.mark.torch

FOLDER = shipped_bank().get("37").path
RENDER = load_module(FOLDER / "render.py")
MEDIA = load_module(FOLDER / "media.py")


def exact_weights(sigma: list[float], t: list[float], far: float) -> tuple[list[Any], Any]:
    """Return the weights of one ray, and its opacity, to 50 digits."""
    ends = [mpmath.mpf(each) for each in [*t, far]]
    passed, weights = mpmath.mpf(0), []
    for place, density in enumerate(sigma):
        tau = mpmath.mpf(density) * (ends[place + 1] - ends[place])
        weights.append(-mpmath.exp(-passed) * mpmath.expm1(-tau))
        passed += tau
    return weights, -mpmath.expm1(-passed)


@pytest.mark.parametrize("medium", ["ladder", "thin", "wall", "mixed", "overflow"])
def test_weights_and_opacity_are_right_to_a_tenth_of_the_tolerance(medium: str) -> None:
    params = {"medium": medium, "rays": 18, "samples": 6, "channels": 1, "far": "rays"}
    params |= {"layout": "contiguous"}
    sigma, rgb, t, far = MEDIA.medium(params, torch.float64, Draw(5))
    found = RENDER.composite(sigma, rgb, t, far, None)
    rows = zip(sigma.tolist(), t.tolist(), far.tolist(), strict=True)
    with mpmath.workdps(50):
        for ray, row in enumerate(rows):
            weights, opacity = exact_weights(*row)
            most = float(max(weights))
            for came, wanted in zip(found.weights[ray].tolist(), weights, strict=True):
                assert abs(came - wanted) <= 1e-13 * (abs(wanted) + 0.01 * most)
            assert abs(found.opacity[ray].item() - opacity) <= 1e-13 * opacity


def test_moved_samples_stay_within_their_bounds_after_they_are_sorted() -> None:
    generator = torch.Generator().manual_seed(1)
    for _ in range(50):
        t = torch.rand(4, 12, dtype=torch.float64, generator=generator)
        off = torch.rand(4, 12, dtype=torch.float64, generator=generator) ** 4 / 5
        way = 2 * torch.rand(4, 12, dtype=torch.float64, generator=generator) - 1
        middle, limit = RENDER._sorted(t, off)
        moved = (t + off * way).sort(-1).values
        assert ((moved - middle).abs() <= limit + 1e-15).all()


def test_the_inverse_passes_plateaus_and_reaches_both_ends() -> None:
    params = {"kind": "plateaus", "rays": 6, "bins": 8, "samples": 8, "layout": "contiguous"}
    edges, weights, _ = MEDIA.distribution(params, torch.float64, Draw(2))
    total = weights.sum(-1, keepdim=True)
    levels = torch.cat([torch.zeros_like(total), weights.cumsum(-1) / total], -1)
    found = RENDER.invert(edges, weights, levels, 0.0)
    # The level at which a bin with mass begins belongs to the left edge of that bin.
    begins = weights > 0
    assert torch.equal(found[:, :-1][begins], edges[:, :-1][begins])
    assert torch.equal(found[:, -1], edges[:, -1])
    assert (found.diff(dim=-1) >= 0).all()
