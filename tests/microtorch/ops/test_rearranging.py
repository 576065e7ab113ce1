"""Elements in other places: views that are copied, odd layouts, missing elements."""

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def test_flipping_copies_and_keeps_the_layout() -> None:
    x = micro.arange(6.0).reshape(2, 3).t()
    flipped = x.flip(0)
    assert flipped.stride() == (1, 3)
    assert not np.shares_memory(flipped.array, x.array)
    with pytest.raises(RuntimeError, match="appears multiple times"):
        x.flip(0, -2)


def test_repeating_a_strided_tensor() -> None:
    x, theirs = micro.arange(6.0).reshape(2, 3), torch.arange(6.0).reshape(2, 3)
    assert x.t().repeat(2, 1, 2).tolist() == theirs.t().repeat(2, 1, 2).tolist()
    assert tuple(x.repeat(0, 1).shape) == (0, 3)
    counts = micro.tensor([0, 2])
    assert x.repeat_interleave(counts, 0).tolist() == [[3.0, 4.0, 5.0]] * 2
    with pytest.raises(RuntimeError, match="can not be negative"):
        x.repeat_interleave(-1)


def test_triangles_keep_nan_out() -> None:
    x = micro.full((2, 2), float("nan"))
    assert x.tril(-1)[0].tolist() == [0.0, 0.0]
    assert x.triu_(1)[1].tolist() == [0.0, 0.0]


def test_a_diagonal_is_written_round_a_tall_matrix() -> None:
    x, theirs = micro.zeros(7, 3), torch.zeros(7, 3)
    assert x.fill_diagonal_(2, wrap=True).tolist() == theirs.fill_diagonal_(2, wrap=True).tolist()


def test_grids_of_both_orders() -> None:
    for indexing in ("ij", "xy"):
        found = micro.meshgrid(micro.arange(2), micro.arange(3), indexing=indexing)
        wanted = torch.meshgrid(torch.arange(2), torch.arange(3), indexing=indexing)
        assert [each.tolist() for each in found] == [each.tolist() for each in wanted]


def test_shapes_that_do_not_meet_are_refused() -> None:
    assert micro.broadcast_shapes((2, 1), 3, ()) == (2, 3)
    with pytest.raises(RuntimeError, match="must match the size"):
        micro.broadcast_tensors(micro.zeros(2), micro.zeros(3))


@pytest.mark.parametrize("numbers", [[3, 5], [6, -1], 4])
def test_numbers_of_elements_become_places_as_in_pytorch(numbers):
    found = micro.unravel_index(micro.tensor(numbers), (2, 3))
    wanted = torch.unravel_index(torch.tensor(numbers), (2, 3))
    assert [each.tolist() for each in found] == [each.tolist() for each in wanted]


@pytest.mark.parametrize(
    "call",
    [
        lambda lib, x: lib.permute(x, dims=(1, 0)),
        lambda lib, x: lib.reshape(x, shape=(3, 2)),
        lambda lib, x: lib.tile(x, dims=(2,)),
        lambda lib, x: x.repeat(repeats=(2, 1)),
        lambda lib, x: x.sum_to_size(size=(3,)),
        lambda lib, x: lib.take_along_dim(x, lib.tensor([[4, -4]]), 1),
    ],
)
def test_arguments_may_be_named_as_in_pytorch(call):
    ours, theirs = (call(lib, lib.arange(6.0).reshape(2, 3)) for lib in (micro, torch))
    assert ours.tolist() == theirs.tolist()


def test_what_has_the_shape_already_stays_the_tensor_that_it_is():
    for t in (micro, torch):
        mean, scale = t.zeros(3, requires_grad=True), t.ones(1)
        same, other = t.broadcast_tensors(mean, scale)
        assert same is mean
        assert other is not scale
        assert t.broadcast_tensors(mean)[0] is mean
        assert mean.sum_to_size(3) is mean
