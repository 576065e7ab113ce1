"""Counts, against PyTorch's."""

import math

import pytest
import torch

import torchstone.microtorch as micro
from tests.microtorch.conformance.convert import difference, to_micro

pytestmark = pytest.mark.torch

POINTS = torch.tensor([[0.0, 0.5], [1.0, 2.0], [0.25, 2.0], [math.nan, 1.0]])


@pytest.mark.parametrize(
    "x", [POINTS[:3], POINTS[:3].t(), torch.empty(0), torch.tensor([3.0]), torch.tensor(1.0)]
)
def test_parts_of_a_range_agree_with_pytorch(x):
    assert difference(to_micro(x).histc(4), torch.histc(x, 4)) is None
    assert difference(to_micro(x).histogram(4), torch.histogram(x, 4)) is None


def test_the_last_part_holds_its_right_edge():
    edges = micro.tensor([0.0, 1.0, 2.0])
    found = micro.histogram(micro.tensor([0.0, 1.0, 2.0, 2.5]), edges)
    assert (found.hist.tolist(), found.bin_edges.tolist()) == ([1.0, 2.0], [0.0, 1.0, 2.0])


def test_a_grid_of_cells_agrees_with_pytorch():
    weight = torch.tensor([1.0, 2.0, 3.0])
    arguments = {"bins": [2, 3], "range": [0.0, 1.0, 0.0, 2.0], "density": True}
    wanted = torch.histogramdd(POINTS[:3], weight=weight, **arguments)
    got = micro.histogramdd(to_micro(POINTS[:3]), weight=to_micro(weight), **arguments)
    assert difference(got, wanted) is None


def test_what_has_no_range_is_refused():
    with pytest.raises(RuntimeError, match="is not finite"):
        to_micro(POINTS).histogram(3)
    with pytest.raises(RuntimeError, match="max must be larger than min"):
        micro.ones(2).histc(3, 2, 1)
    for t in (micro, torch):
        with pytest.raises(RuntimeError, match="bins must be > 0"):
            t.ones(2).histc(0)
        with pytest.raises(RuntimeError, match="bins must be > 0"):
            t.ones(2).histogram(0)
        with pytest.raises(RuntimeError, match="if weight tensor is provided it should have"):
            t.ones(2).histogram(2, weight=t.ones(3))
        with pytest.raises(RuntimeError, match="minlength should be >= 0"):
            t.tensor([1]).bincount(minlength=-1)


def test_whole_numbers_are_counted():
    x, weights = micro.tensor([0, 3, 3]), micro.tensor([0.5, 1.0, 2.0])
    assert x.bincount(minlength=6).tolist() == [1, 0, 0, 2, 0, 0]
    assert x.bincount(weights).tolist() == [0.5, 0.0, 0.0, 3.0]
    with pytest.raises(RuntimeError, match="1-d non-negative"):
        micro.tensor([-1]).bincount()
