"""Shapes: what can be looked at, what must be copied, and what is refused."""

from typing import Any

import numpy as np
import pytest

import torchstone.microtorch as micro


def test_reshape_is_a_view_where_that_is_possible() -> None:
    x = micro.arange(6.0).reshape(2, 3)
    assert x.reshape(3, -1)._base is not None
    copied = x.t().reshape(6)
    assert copied._base is None
    assert copied.tolist() == [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        x.t().view(6)


@pytest.mark.parametrize(
    ("shape", "wanted"), [((-1, 3), (0, 3)), ((0, 5), (0, 5)), ((3, 0, 2), (3, 0, 2))]
)
def test_no_elements_have_many_shapes(shape: Any, wanted: Any) -> None:
    assert tuple(micro.zeros(0).reshape(shape).shape) == wanted


@pytest.mark.parametrize("shape", [(-1, -1), (4,), (-2, 3), (5, -1)])
def test_a_shape_that_does_not_fit_is_refused(shape: Any) -> None:
    with pytest.raises(RuntimeError):
        micro.zeros(6).reshape(shape)
    with pytest.raises(RuntimeError, match="ambiguous"):
        micro.zeros(0).reshape(-1, 0)


def test_several_dimensions_are_squeezed_at_once() -> None:
    x = micro.zeros(1, 2, 1, 3, 1)
    assert tuple(x.squeeze((0, -1)).shape) == (2, 1, 3)
    assert tuple(x.squeeze((1, 2)).shape) == (1, 2, 3, 1)
    assert tuple(x.squeeze().shape) == (2, 3)


def test_dimensions_move_and_the_others_keep_their_order() -> None:
    x = micro.zeros(2, 3, 4, 5)
    assert tuple(x.movedim((0, 1), (-1, 0)).shape) == np.moveaxis(x.array, (0, 1), (-1, 0)).shape
    with pytest.raises(RuntimeError, match="repeated dim"):
        x.movedim((0, 0), (1, 2))


def test_transposes_are_properties() -> None:
    x = micro.zeros(2, 3)
    assert tuple(x.T.shape) == tuple(x.mT.shape) == tuple(x.H.shape) == (3, 2)
    assert micro.tensor([[1 + 2j]]).mH.tolist() == [[1 - 2j]]
    with pytest.raises(RuntimeError, match="only supported on matrices"):
        _ = micro.zeros(3).mT


def test_expanding_reads_minus_one_and_shares_memory() -> None:
    x = micro.arange(3.0)
    wide = x.expand(2, -1)
    assert wide.stride() == (0, 1)
    x[0] = 7
    assert wide.tolist() == [[7.0, 1.0, 2.0]] * 2
    with pytest.raises(RuntimeError, match="must match the existing size"):
        x.expand(4)


def test_a_number_can_be_flattened_and_unflattened() -> None:
    assert tuple(micro.tensor(1.0).flatten().shape) == (1,)
    assert tuple(micro.zeros(6).unflatten(0, (2, -1)).shape) == (2, 3)
    with pytest.raises(RuntimeError, match="multiply up to the size"):
        micro.zeros(6).unflatten(0, (4, 2))
