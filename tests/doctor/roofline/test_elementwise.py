"""Operators on elements: what they read once, and what they write."""

from __future__ import annotations

from typing import Any

import pytest

from tests.doctor.kernels import shapes
from torchstone.doctor.roofline.shapes import work_of

pytestmark = pytest.mark.pure

HALF = "c10::BFloat16"


@pytest.mark.parametrize(
    ("name", "dims", "types", "read", "written"),
    [
        ("aten::add", [[8, 4], [4], []], ["float", "float", "Scalar"], 128 + 16, 128),
        ("aten::add_", [[8, 4], [8, 4], []], ["float", "float", "Scalar"], 256, 128),
        ("aten::mul", [[8, 4], []], ["float", "double"], 128 + 8, 128),
        ("aten::mul", [[8, 4], [8, 4]], [HALF, "float"], 64 + 128, 128),
        # The third of two inputs is where the result goes.
        ("aten::mul", [[8, 4], [8, 4], [8, 4]], ["float"] * 3, 256, 128),
        ("aten::eq", [[8, 4], [8, 4]], ["float", "float"], 256, 32),
        ("aten::div", [[8, 4], []], ["long int", "Scalar"], 256, 128),
        ("aten::copy_", [[8, 4], [8, 4], []], ["float", HALF, "Scalar"], 64, 128),
        ("aten::fill_", [[8, 4], []], ["float", "Scalar"], 0, 128),
        ("aten::native_dropout", [[8, 4], [], []], ["float", "Scalar", "Scalar"], 128, 160),
        ("aten::gelu_backward", [[8, 4], [8, 4], []], ["float", "float", ""], 256, 128),
    ],
)
def test_bytes(name: str, dims: list[Any], types: list[str], read: int, written: int) -> None:
    found = work_of(name, shapes(dims, types))
    assert found is not None
    assert (found.read, found.written) == (read, written)


def test_an_expanded_input_is_read_as_it_is_stored() -> None:
    found = work_of("aten::mul", shapes([[8, 4], [8, 4]], strides=[[0, 1], [4, 1]]))
    assert found is not None
    assert found.read == 16 + 128


def test_sizes_that_do_not_fit_are_unknown() -> None:
    assert work_of("aten::add", shapes([[8, 4], [3]])) is None
