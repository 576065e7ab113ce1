"""Differences, slopes and areas, against PyTorch's."""

import math

import pytest
import torch

import torchstone.microtorch as micro
from tests.microtorch.conformance.convert import difference, to_micro

pytestmark = pytest.mark.torch

GRID = torch.tensor([[1.0, 4.0, 9.0, 16.0], [2.0, 3.0, 5.0, 8.0], [1.0, 0.0, 1.0, 0.0]])
PLACES = torch.tensor([0.0, 1.0, 3.0, 7.0])
CALLS = {
    "diff": lambda lib, x, t: lib.diff(x, 2, dim=0),
    "diff, more often than there are elements": lambda lib, x, t: lib.diff(x, 9),
    "diff with ends": lambda lib, x, t: lib.diff(x, prepend=x[:, :1], append=x),
    "trapezoid": lambda lib, x, t: lib.trapezoid(x, dx=0.5, dim=0),
    "trapezoid at places": lambda lib, x, t: lib.trapz(x, t),
    "trapezoid of rows at places": lambda lib, x, t: lib.trapezoid(x, x * 2, dim=0),
    "areas so far": lambda lib, x, t: lib.cumulative_trapezoid(x, t),
    "slopes": lambda lib, x, t: lib.gradient(x, spacing=0.5),
    "slopes, second order at the ends": lambda lib, x, t: lib.gradient(x, edge_order=2),
    "slopes at places": lambda lib, x, t: lib.gradient(x, spacing=(t,), dim=1, edge_order=2),
}


@pytest.mark.parametrize("name", CALLS)
def test_it_agrees_with_pytorch(name):
    wanted = CALLS[name](torch, GRID, PLACES)
    assert difference(CALLS[name](micro, to_micro(GRID), to_micro(PLACES)), wanted) is None


def test_the_slope_at_an_element_does_not_look_at_it():
    x = micro.tensor([0.0, math.nan, 2.0])
    assert micro.gradient(x)[0][1].item() == 1.0


def test_the_difference_of_truths_is_whether_they_differ():
    assert micro.tensor([True, True, False]).diff().tolist() == [False, True]


def test_what_does_not_fit_is_refused():
    with pytest.raises(RuntimeError, match="order must be non-negative but got -1"):
        micro.ones(3).diff(-1)
    with pytest.raises(RuntimeError, match="one `x` value for each sample point"):
        micro.trapezoid(micro.ones(3), micro.ones(4))
    with pytest.raises(RuntimeError, match="a list of length 1"):
        micro.gradient(micro.ones(3, 3), spacing=[1.0])
