"""Tensors of a trace: sizes, types, results."""

from __future__ import annotations

import pytest

from tests.doctor.kernels import shapes
from torchstone.doctor.roofline.tensors import Inputs, Tensor, Unknown, broadcast, promoted

pytestmark = pytest.mark.pure


def tensor(*shape: int, dtype: str = "float") -> Tensor:
    return Tensor(shape=shape, dtype=dtype)


def test_results_have_the_sizes_and_types_that_pytorch_gives_them() -> None:
    assert broadcast([tensor(8, 1, 4), tensor(5, 1), tensor()]) == (8, 5, 4)
    with pytest.raises(Unknown):
        broadcast([tensor(3), tensor(4)])
    half, long = "c10::Half", "long int"
    assert promoted([tensor(2, dtype=half), tensor(2)]) == "float"
    # Without dimensions, a wider type of the same category changes nothing.
    assert promoted([tensor(2, dtype=half), tensor()]) == half
    assert promoted([tensor(2, dtype=long), tensor(dtype=half)]) == half


def test_an_expanded_dimension_is_in_memory_once() -> None:
    assert Tensor(shape=(8, 4), dtype="float", strides=(0, 1)).num_bytes == 16
    assert Tensor(shape=(8, 0), dtype="float", strides=(0, 1)).num_bytes == 0


def test_values_are_read_as_the_profiler_writes_them() -> None:
    inputs = Inputs(shapes([[]] * 4, "", ["[2, 2]", "True", "[True, False]", ""]))
    assert inputs.numbers(0) == (2, 2)
    assert inputs.flags(1) == (True,)
    assert inputs.flags(2) == (True, False)
    for at in (1, 3, 9):
        with pytest.raises(Unknown):
            inputs.numbers(at)


def test_sizes_of_lists_need_no_type() -> None:
    inputs = Inputs(shapes([[[2, 3], [1, 3]], [2]], ["TensorList", "float"]))
    assert inputs.sizes_of_list(0) == [(2, 3), (1, 3)]
    assert inputs.sizes_of_list(1) == []
