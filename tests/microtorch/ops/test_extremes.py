"""The largest and the smallest, against PyTorch's."""

import math

import pytest
import torch

import torchstone.microtorch as micro
from tests.microtorch.conformance.convert import difference, to_micro

pytestmark = pytest.mark.torch

TIES = torch.tensor([[1.0, 3.0, 3.0], [math.nan, 2.0, 2.0], [0.0, 0.0, math.inf]])


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin", "amax", "amin"])
@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("x", [TIES, TIES.t(), TIES[::2], TIES.int().nan_to_num(0)])
def test_an_extreme_along_a_dimension_agrees_with_pytorch(name, dim, x):
    wanted = getattr(torch, name)(x, dim, keepdim=True)
    assert difference(getattr(micro, name)(to_micro(x), dim, keepdim=True), wanted) is None


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.amax(),
        lambda x: x.amin(1),
        lambda x: x.max(),
        lambda x: x.max(1).values,
        lambda x: x.min(0, keepdim=True)[0],
    ],
)
@pytest.mark.parametrize("rows", [slice(0, 1), slice(2, 3), slice(0, 3)])
def test_equal_elements_get_the_gradient_as_in_pytorch(call, rows):
    def gradient(x):
        x.requires_grad_()
        call(x).sum().backward()
        return x.grad

    x = TIES[rows].clone()
    assert difference(gradient(to_micro(x)), gradient(x)) is None


def test_the_binary_form_takes_a_tensor_where_a_dimension_may_stand():
    x = micro.tensor([1.0, 5.0])
    assert micro.max(x, micro.tensor(3.0)).tolist() == [3.0, 5.0]
    assert x.min(other=micro.tensor([0.0, 9.0])).tolist() == [0.0, 5.0]


def test_a_result_has_named_fields():
    found = micro.tensor([[1.0, 2.0]]).max(dim=1)
    assert (found.values.tolist(), found.indices.tolist()) == ([2.0], [1])
    assert isinstance(found, micro.return_types.max)


def test_nothing_has_no_extreme():
    empty = micro.empty(0, 3)
    with pytest.raises(RuntimeError, match=r"max\(\): Expected reduction dim to be specified"):
        empty.max()
    with pytest.raises(IndexError, match=r"argmin\(\): Expected reduction dim 0 to have non-zero"):
        empty.argmin(0)
    with pytest.raises(RuntimeError, match="no identity"):
        empty.aminmax()
    assert list(empty.amax(1).shape) == [0]
    with pytest.raises(TypeError):
        micro.ones(2).max(0.5)


def test_outputs_are_filled():
    values, places = micro.empty(1), micro.empty(1, dtype=micro.int64)
    micro.max(micro.tensor([[1.0, 2.0]]), 1, out=(values, places))
    assert (values.tolist(), places.tolist()) == ([2.0], [1])
