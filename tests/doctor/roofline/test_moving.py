"""Operators that gather, join, reduce and pool."""

from __future__ import annotations

from typing import Any

import pytest

from tests.doctor.kernels import shapes
from torchstone.doctor.roofline.shapes import work_of

pytestmark = pytest.mark.pure

LONG = "long int"


@pytest.mark.parametrize(
    ("name", "dims", "types", "values", "output", "read", "written"),
    [
        ("aten::sum", [[8, 4], []], ["float", "ScalarList"], ["", "[0]"], (4,), 128, 16),
        ("aten::sum", [[8, 4], []], ["float", ""], ["", ""], (), 128, 4),
        ("aten::mean", [[8, 4], []], ["float", ""], ["", "6"], (), 128, 4),
        ("aten::max", [[8, 4], [8, 4]], ["float", "float"], ["", ""], (8, 4), 256, 128),
        ("aten::cat", [[[8, 4], [2, 4]], []], ["TensorList", "Scalar"], ["", "0"], (10, 4),
         160, 160),
        ("aten::index_select", [[100, 4], [], [8]], ["float", "Scalar", LONG], ["", "0", ""],
         (8, 4), 128 + 64, 128),
        ("aten::embedding", [[100, 4], [2, 4]], ["float", LONG], ["", ""], (2, 4, 4),
         128 + 64, 128),
        ("aten::embedding_dense_backward", [[8, 4], [8], []], ["float", LONG, "Scalar"],
         ["", "", "100"], (100, 4), 128 + 64, 1600),
        ("aten::max_pool2d_with_indices", [[1, 2, 8, 8], [], [], [], []],
         ["float", "ScalarList", "ScalarList", "ScalarList", "ScalarList"],
         ["", "[2, 2]", "[]", "[0, 0]", "[1, 1]"], (1, 2, 4, 4), 512, 32 * 12),
        ("aten::_adaptive_avg_pool2d", [[1, 2, 8, 8], []], ["float", "ScalarList"],
         ["", "[1, 1]"], (1, 2, 1, 1), 512, 8),
    ],
)  # fmt: skip
def test_bytes(
    name: str,
    dims: list[Any],
    types: list[str],
    values: list[str],
    output: tuple[int, ...],
    read: int,
    written: int,
) -> None:
    found = work_of(name, shapes(dims, types, values), "float")
    assert found is not None
    assert (found.output, found.read, found.written) == (output, read, written)


def test_the_rows_that_a_gradient_touches_are_no_more_than_the_table() -> None:
    for indices, touched in ((8, 128), (500, 1600)):
        dims = [[indices, 4], [indices], []]
        types, values = ["float", LONG, "Scalar"], ["", "", "100"]
        found = work_of("aten::embedding_dense_backward", shapes(dims, types, values))
        assert found is not None
        assert found.touched == touched
