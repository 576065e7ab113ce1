"""Gathering and scattering: sizes that differ, strided input, and what is refused."""

import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def test_an_index_smaller_than_the_input_takes_a_corner() -> None:
    x = micro.arange(12.0).reshape(4, 3).t().requires_grad_()
    found = x.gather(1, micro.tensor([[3, 0], [1, 1]]))
    assert found.tolist() == [[9.0, 0.0], [4.0, 4.0]]
    found.sum().backward()
    assert x.grad.tolist() == [[1.0, 0.0, 0.0, 1.0], [0.0, 2.0, 0.0, 0.0], [0.0] * 4]


def test_a_source_larger_than_the_index_gets_zeros_beyond_it() -> None:
    source = micro.ones(2, 4, requires_grad=True)
    x = micro.zeros(2, 3).scatter_add(1, micro.tensor([[0, 0]]), source)
    x.sum().backward()
    assert x[0].tolist() == [2.0, 0.0, 0.0]
    assert source.grad.tolist() == [[1.0, 1.0, 0.0, 0.0], [0.0] * 4]


def test_numbers_and_older_reductions_are_scattered() -> None:
    index = [[0, 2], [1, 1]]
    for arguments in ({}, {"reduce": "add"}, {"reduce": "multiply"}):
        found = micro.ones(2, 3).scatter_(1, micro.tensor(index), 2.5, **arguments)
        wanted = torch.ones(2, 3).scatter_(1, torch.tensor(index), 2.5, **arguments)
        assert found.tolist() == wanted.tolist()


def test_extremes_reached_together_share_the_gradient() -> None:
    source = micro.tensor([2.0, 2.0, 1.0], requires_grad=True)
    x = micro.tensor([2.0], requires_grad=True)
    x.scatter_reduce(0, micro.tensor([0, 0, 0]), source, "amax").backward(micro.tensor([3.0]))
    assert source.grad.tolist() == [1.0, 1.0, 0.0]
    assert x.grad.tolist() == [1.0]


def test_the_product_with_one_zero_has_a_gradient_there_alone() -> None:
    source = micro.tensor([2.0, 0.0, 3.0], requires_grad=True)
    x = micro.ones(1)
    x.scatter_reduce(0, micro.tensor([0, 0, 0]), source, "prod").sum().backward()
    assert source.grad.tolist() == [0.0, 6.0, 0.0]


@pytest.mark.parametrize("bad", [3, -1])
def test_a_place_that_is_not_there_is_refused(bad: int) -> None:
    with pytest.raises(RuntimeError, match=f"index {bad} is out of bounds for dimension 1"):
        micro.zeros(2, 3).gather(1, micro.tensor([[bad]]))


def test_other_dimensions_sizes_and_types_are_refused() -> None:
    x, index = micro.zeros(2, 3), micro.zeros(2, 2, dtype=micro.int64)
    with pytest.raises(RuntimeError, match="same number of dimensions"):
        x.gather(1, index[0])
    with pytest.raises(RuntimeError, match="to be no larger than self"):
        x.gather(1, micro.zeros(3, 1, dtype=micro.int64))
    with pytest.raises(RuntimeError, match=r"equal to src\.dtype"):
        x.scatter(1, index, micro.zeros(2, 2, dtype=micro.float64))
    with pytest.raises(RuntimeError, match="int32/int64"):
        x.gather(1, micro.zeros(2, 2))
