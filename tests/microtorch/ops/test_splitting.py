"""Splitting: the sizes of the parts, which are views, and gradients that are missing."""

import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("extent", [0, 1, 5, 6])
@pytest.mark.parametrize("count", [1, 2, 4, 7])
def test_parts_have_the_sizes_of_pytorchs(extent: int, count: int) -> None:
    x, theirs = micro.zeros(extent, 2), torch.zeros(extent, 2)
    for name in ("chunk", "tensor_split", "split"):
        found, wanted = getattr(x, name)(count), getattr(theirs, name)(count)
        assert [tuple(each.shape) for each in found] == [tuple(each.shape) for each in wanted]


def test_parts_share_memory_but_those_of_unsafe_split() -> None:
    x = micro.zeros(4)
    x.split([1, 3])[1].add_(1)
    x.unsafe_split(2)[0].add_(1)
    assert x.tolist() == [0.0, 1.0, 1.0, 1.0]


def test_a_part_that_nobody_used_has_a_gradient_of_zeros() -> None:
    x = micro.ones(4, requires_grad=True)
    x.split(2)[1].sum().backward()
    micro.stack(x.unbind()[1:3]).sum().backward()
    assert x.grad.tolist() == [0.0, 1.0, 2.0, 1.0]


def test_sizes_must_add_up() -> None:
    with pytest.raises(RuntimeError, match="sum exactly to 4"):
        micro.zeros(4).split([1, 2])
    with pytest.raises(RuntimeError, match="at least a 1-dimensional"):
        micro.tensor(1.0).split(1)
    with pytest.raises(RuntimeError, match="not divisible"):
        micro.zeros(3, 3).hsplit(2)


def test_no_slices_are_an_empty_tuple() -> None:
    assert micro.ones(0, 3).unbind(0) == torch.ones(0, 3).unbind(0) == ()
