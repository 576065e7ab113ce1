"""What has come together so far, against PyTorch's."""

import math

import pytest
import torch

import torchstone.microtorch as micro
from tests.microtorch.conformance.convert import difference, to_micro

pytestmark = pytest.mark.torch

GRID = torch.tensor([[2.0, 0.0, 3.0, 3.0], [0.0, -1.0, 0.0, 2.0], [1.0, 4.0, 4.0, -2.0]])
NAMES = ("cumsum", "cumprod", "cummax", "cummin", "logcumsumexp")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "x",
    [
        GRID,
        GRID.t()[::2],
        torch.tensor(2.0),
        torch.empty(0, 2),
        torch.tensor([1.0, math.nan, 3.0, math.nan]),
        torch.tensor([-math.inf, -math.inf, 1.0]),
    ],
)
def test_values_agree_with_pytorch(name, x):
    for dim in (0, -1):
        wanted = getattr(torch, name)(x, dim)
        assert difference(getattr(micro, name)(to_micro(x), dim), wanted) is None


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dim", [0, 1])
def test_first_and_second_derivatives_agree_with_pytorch(name, dim):
    def derivatives(lib, x):
        x.requires_grad_()
        result = getattr(x, name)(dim)
        values = result[0] if isinstance(result, tuple) else result
        # No gradient is zero: PyTorch takes its logarithm, and the derivative of that.
        (first,) = lib.autograd.grad((values * (x + 5)).sum(), x, create_graph=True)
        (second,) = lib.autograd.grad((first * (x + 7)).sum(), x)
        return [first, second]

    x = GRID.double()
    assert difference(derivatives(micro, to_micro(x)), derivatives(torch, x.clone())) is None


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9])
def test_the_gradient_of_a_cumulative_product_takes_every_length(size):
    def gradient(lib):
        x = (lib.arange(float(size)) / 3 + 0.5).requires_grad_()
        x.cumprod(0).sum().backward()
        return x.grad

    assert difference(gradient(micro), gradient(torch)) is None


def test_whole_numbers_become_long():
    x = micro.tensor([100, 100, 100], dtype=micro.int8)
    assert x.cumsum(0).tolist() == [100, 200, 300]
    assert x.cumprod(0).dtype is micro.int64
    assert x.cumsum(0, dtype=micro.float32).dtype is micro.float32


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "logcumsumexp"])
def test_results_lie_in_order(name):
    assert getattr(micro.ones(2, 3).t(), name)(0).is_contiguous()


@pytest.mark.parametrize("name", ["cummax", "cummin"])
def test_extremes_so_far_fill_outputs(name):
    for t in (micro, torch):
        out = t.empty(2), t.empty(2, dtype=t.int64)
        getattr(t, name)(t.tensor([2.0, 2.0]), 0, out=out)
        assert [each.tolist() for each in out] == [[2.0, 2.0], [0, 1]]


def test_it_can_be_written_in_place():
    x = micro.tensor([1.0, 2.0, 3.0])
    assert x.cumsum_(0) is x
    assert (x.tolist(), x._version) == ([1.0, 3.0, 6.0], 1)
