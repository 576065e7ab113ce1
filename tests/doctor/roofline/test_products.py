"""Products and recurrent layers, by hand."""

from __future__ import annotations

import pytest

from tests.doctor.kernels import shapes
from torchstone.doctor.roofline.shapes import work_of

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("name", "dims", "flops", "elements"),
    [
        ("aten::mm", [[2, 3], [3, 5]], 60, 6 + 15 + 10),
        ("aten::addmm", [[5], [2, 3], [3, 5]], 60, 5 + 6 + 15 + 10),
        ("aten::bmm", [[4, 2, 3], [4, 3, 5]], 240, 4 * 31),
        ("aten::baddbmm", [[4, 2, 5], [4, 2, 3], [4, 3, 5]], 240, 4 * 41),
        ("aten::linear", [[7, 2, 3], [5, 3], [5]], 420, 42 + 15 + 5 + 70),
        ("aten::mv", [[2, 3], [3]], 12, 6 + 3 + 2),
        ("aten::dot", [[7], [7]], 14, 15),
    ],
)
def test_products(name: str, dims: list[list[int]], flops: int, elements: int) -> None:
    found = work_of(name, shapes(dims))
    assert found is not None
    assert (found.flops, found.num_bytes) == (flops, 4 * elements)


def test_sizes_that_do_not_fit_are_unknown() -> None:
    assert work_of("aten::mm", shapes([[2, 3], [4, 5]])) is None


def test_an_expanded_matrix_is_read_once() -> None:
    found = work_of("aten::mm", shapes([[8, 4], [4, 8]], strides=[[0, 1], [8, 1]]))
    assert found is not None
    assert found.read == 4 * (4 + 32)


def test_a_recurrent_layer_multiplies_its_weights_in_each_step() -> None:
    types = ["float", "TensorList"]
    found = work_of("aten::_cudnn_rnn", shapes([[5, 2, 8], [[32, 8], [32, 8], [32]]], types))
    assert found is not None
    assert found.flops == 2 * 10 * 512
