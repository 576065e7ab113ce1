"""Slices by their numbers: repeated, missing, and of other types."""

import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def test_slices_for_one_place_are_summed() -> None:
    index = [2, 0, 2, 2]
    x, theirs = micro.zeros(2, 3), torch.zeros(2, 3)
    source = [[1.0, 2.0, 4.0, 8.0], [16.0, 32.0, 64.0, 128.0]]
    x.index_add_(1, micro.tensor(index), micro.tensor(source), alpha=2)
    theirs.index_add_(1, torch.tensor(index), torch.tensor(source), alpha=2)
    assert x.tolist() == theirs.tolist()
    assert micro.zeros(2).index_add(0, micro.tensor([1, 1]), micro.ones(2)).tolist() == [0.0, 2.0]


def test_no_slices_change_nothing() -> None:
    nothing = micro.zeros(0, dtype=micro.int64)
    x = micro.ones(2, 3)
    assert x.index_add(0, nothing, micro.zeros(0, 3)).tolist() == x.tolist()
    assert tuple(x.index_select(1, nothing).shape) == (2, 0)


def test_a_number_that_is_not_there_is_refused() -> None:
    x = micro.zeros(2, 3)
    for bad in (3, -1):
        with pytest.raises(IndexError, match="out of range"):
            x.index_select(1, micro.tensor([bad]))
    assert x.index_fill(1, micro.tensor([-1]), 1.0)[0].tolist() == [0.0, 0.0, 1.0]
    with pytest.raises(RuntimeError, match="same dtype"):
        x.index_copy(0, micro.tensor([0]), micro.zeros(1, 3, dtype=micro.int64))


def test_an_index_that_is_changed_before_backward_is_found_out() -> None:
    x = micro.ones(3, requires_grad=True)
    index = micro.tensor([0, 1])
    picked = x.index_select(0, index)
    index.fill_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace"):
        picked.sum().backward()


@pytest.mark.filterwarnings("ignore:index_reduce")
@pytest.mark.parametrize("reduce", ["prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("include_self", [True, False])
def test_whole_numbers_are_reduced_as_in_pytorch(reduce: str, include_self: bool) -> None:
    values, index = [[7, -3, 5], [2, 9, -4], [1, 1, 8]], [0, 1, 0]
    found = micro.full((2, 3), 3).index_reduce(
        0, micro.tensor(index), micro.tensor(values), reduce, include_self=include_self
    )
    wanted = torch.full((2, 3), 3).index_reduce(
        0, torch.tensor(index), torch.tensor(values), reduce, include_self=include_self
    )
    assert found.tolist() == wanted.tolist()


def test_a_sum_of_slices_is_written_into_the_tensor_that_is_given() -> None:
    out, x = micro.empty(0), micro.zeros(3)
    assert micro.index_add(x, 0, micro.tensor([1]), micro.ones(1), out=out) is out
    assert out.tolist() == [0.0, 1.0, 0.0]
