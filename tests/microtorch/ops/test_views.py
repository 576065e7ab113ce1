"""Views share memory; what strides reach beyond a tensor, and parts that are written."""

from typing import Any

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro
from torchstone.microtorch.ops.views import storage

pytestmark = pytest.mark.torch


def matrix(t: Any) -> Any:
    return t.arange(12, dtype=t.float64).reshape(3, 4)


@pytest.mark.parametrize(
    "look",
    [
        lambda x: x.select(1, -2),
        lambda x: x.narrow(0, 1, 2),
        lambda x: x.diagonal(1),
        lambda x: x.T.diagonal(-1),
        lambda x: x[:, 1:].diagonal(),
        lambda x: x.unfold(1, 2, 2),
        lambda x: x.t().unfold(0, 3, 1),
        lambda x: x[1:].as_strided((2, 2), (1, 3)),
        lambda x: x[1:].as_strided((2, 2), (1, 3), 0),
        lambda x: x.t()[1].expand(2, 3),
        lambda x: x[2:, ::2].unsqueeze(1),
    ],
)
def test_a_view_has_the_strides_offset_and_memory_of_pytorchs(look: Any) -> None:
    base, theirs = matrix(micro), matrix(torch)
    found, wanted = look(base), look(theirs)
    assert found.stride() == wanted.stride()
    assert found.storage_offset() == wanted.storage_offset()
    assert np.shares_memory(found.array, base.array)
    np.testing.assert_array_equal(found.array, wanted.numpy())


def test_storage_is_found_through_views_of_any_order() -> None:
    owner = np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1).copy(order="K")
    part = owner[1:, :, ::2].transpose(1, 0, 2)
    assert storage(part).shape == (24,)
    assert np.shares_memory(storage(part), owner)


def test_strides_that_leave_the_memory_are_refused() -> None:
    with pytest.raises(RuntimeError, match="out of bounds for storage"):
        micro.arange(4.0).as_strided((3,), (2,))
    with pytest.raises(RuntimeError, match="length of strides"):
        micro.arange(4.0).as_strided((3,), (1, 1))


def test_overlapping_windows_add_up_their_gradients() -> None:
    x = micro.arange(5.0).requires_grad_()
    x.unfold(0, 3, 1).sum().backward()
    assert x.grad.tolist() == [1.0, 2.0, 3.0, 2.0, 1.0]
    x.grad = None
    x.as_strided((3, 3), (1, 1)).sum().backward()
    assert x.grad.tolist() == [1.0, 2.0, 3.0, 2.0, 1.0]


def test_the_gradient_of_an_expanded_input_is_shared_out() -> None:
    for t in (micro, torch):
        x = t.ones(1, dtype=t.float64, requires_grad=True)
        (x.expand(4).as_strided((1,), (1,)) * 8).sum().backward()
        assert x.grad.tolist() == [8.0]


def test_what_is_scattered_into_a_part_is_not_seen_in_the_input() -> None:
    x = micro.zeros(2, 3)
    x.select_scatter(micro.ones(3), 0, 1)
    x.diagonal_scatter(micro.ones(2))
    x.slice_scatter(micro.ones(2, 1), 1, 0, 1)
    x.as_strided_scatter(micro.ones(2), (2,), (1,), 1)
    assert not x.any()
    with pytest.raises(RuntimeError, match="expected src to have a size equal"):
        x.select_scatter(micro.ones(2), 0, 1)


def test_bytes_are_looked_at_as_another_type() -> None:
    bits = micro.tensor([1.0, -2.0]).view(micro.int32)
    assert bits.tolist() == torch.tensor([1.0, -2.0]).view(torch.int32).tolist()
    assert not micro.ones(2, requires_grad=True).view(micro.int32).requires_grad
