"""Order, against PyTorch's."""

import math

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro
from tests.microtorch.conformance.convert import difference, to_micro

pytestmark = pytest.mark.torch

MIXED = torch.tensor([[2.0, 1.0, 2.0, 1.0], [math.nan, 5.0, -math.inf, math.nan]])


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(
    "x", [MIXED, MIXED.t(), MIXED[:, ::2], torch.tensor(3.0), torch.empty(0, 2), MIXED.int()]
)
def test_sorting_keeps_equal_elements_in_their_order(x, descending):
    for dim in (0, -1):
        wanted = torch.sort(x, dim=dim, descending=descending, stable=True)
        assert difference(to_micro(x).sort(dim, descending), wanted) is None
        assert difference(to_micro(x).argsort(dim, descending), wanted.indices) is None


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("size", [20, 2000])
def test_the_top_few_agree_whether_the_row_is_long_or_short(size, largest):
    x = torch.from_numpy(np.random.default_rng(0).standard_normal((3, size)))
    wanted = x.topk(5, largest=largest)
    assert difference(to_micro(x).topk(5, largest=largest), wanted) is None
    assert difference(to_micro(x.t()).topk(5, 0, largest).values, wanted.values.t()) is None


@pytest.mark.parametrize("name", ["median", "nanmedian"])
def test_the_median_knows_what_is_not_a_number(name):
    rows = torch.tensor([[3.0, 1.0, 2.0, 4.0], [1.0, math.nan, 2.0, 3.0], [math.nan] * 4])
    wanted, got = getattr(rows, name)(1), getattr(to_micro(rows), name)(1)
    assert difference(got.values, wanted.values) is None
    assert difference(got.indices[:2], wanted.indices[:2]) is None
    assert difference(getattr(to_micro(rows), name)(), getattr(rows, name)()) is None


def test_the_gradient_goes_to_the_elements_that_were_picked():
    x = micro.tensor([[4.0, 1.0, 3.0]], requires_grad=True)
    values = [x.sort().values[:, :1], x.topk(1).values, x.kthvalue(2).values, x.median(1).values]
    sum(each.sum() * 10**place for place, each in enumerate(values)).backward()
    assert x.grad.tolist() == [[10.0, 1.0, 1100.0]]


def test_the_mode_is_the_smallest_of_the_commonest():
    x = torch.tensor([[2, 2, 1, 1, 3], [5, 4, 5, 5, 4]])
    assert difference(to_micro(x).mode(), x.mode()) is None


def test_what_is_not_there_is_refused():
    x = micro.ones(2, 3)
    with pytest.raises(RuntimeError, match="selected index k out of range"):
        x.topk(4)
    with pytest.raises(RuntimeError, match="selected number k out of range for dimension 1"):
        x.kthvalue(0)
    with pytest.raises(IndexError, match=r"median\(\): Expected reduction dim 0"):
        micro.empty(0, 3).median(0)
    values = micro.ones(4)
    with pytest.raises(RuntimeError, match="single memory location"):
        micro.kthvalue(values, 1, out=(values, micro.empty(1, dtype=micro.int64)))
