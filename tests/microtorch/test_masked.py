"""Reductions under a mask, against PyTorch's."""

import math

import pytest
import torch

import torchstone.microtorch as micro
from tests.microtorch.conformance.convert import difference, to_micro

pytestmark = pytest.mark.torch

GRID = torch.tensor([[1.0, math.nan, 3.0], [4.0, 5.0, 6.0], [math.nan, 8.0, 9.0]])
MASK = torch.tensor([[True, False, True], [False, False, False], [False, True, True]])
REDUCTIONS = "sum prod mean amax amin argmax argmin logsumexp norm var std median".split()


@pytest.mark.parametrize("name", [*REDUCTIONS, "cumsum", "cumprod", "softmax", "log_softmax"])
@pytest.mark.parametrize("dim", [0, 1])
def test_what_is_masked_out_is_not_seen(name, dim):
    arguments = {"dim": dim}
    wanted = getattr(torch.masked, name)(GRID, **arguments, mask=MASK)
    got = getattr(micro.masked, name)(to_micro(GRID), **arguments, mask=to_micro(MASK))
    assert difference(got, wanted) is None


def test_whole_numbers_have_limits_of_their_own():
    x = micro.tensor([[1, 2]])
    nothing = micro.tensor([False, False])
    assert micro.masked.amin(x, 1, mask=nothing).item() == 2**63 - 1
    with pytest.raises(ValueError, match="no fully masked out rows"):
        micro.masked.median(x, 1, mask=nothing)


def test_a_mask_may_not_have_more_dimensions_than_its_tensor():
    with pytest.raises(IndexError, match="mask dimensionality higher"):
        micro.masked.sum(micro.ones(2), mask=micro.ones(2, 2, dtype=micro.bool))
