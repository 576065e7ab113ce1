"""Norms, softmax and losses."""

from __future__ import annotations

from typing import Any

import pytest

from tests.doctor.kernels import shapes
from torchstone.doctor.roofline.shapes import work_of

pytestmark = pytest.mark.pure

HALF, LONG = "c10::BFloat16", "long int"


@pytest.mark.parametrize(
    ("name", "dims", "types", "read", "written"),
    [
        ("aten::native_layer_norm", [[8, 4], [], [4], [4], []],
         ["float", "ScalarList", "float", "float", "Scalar"], 128 + 32, 128),
        ("aten::native_layer_norm_backward", [[8, 4], [8, 4], [], [8, 1], [8, 1], [4]],
         ["float", "float", "ScalarList", "float", "float", "float"], 256 + 64 + 16, 128),
        ("aten::_softmax", [[8, 4], [], []], [HALF, "Scalar", "Scalar"], 64, 64),
        ("aten::_softmax_backward_data", [[8, 4], [8, 4]], [HALF, HALF], 128, 64),
        ("aten::nll_loss_forward", [[8, 4], [8]], ["float", LONG], 64 + 32, 32),
        ("aten::nll_loss_backward", [[], [8, 4], [8]], ["float", "float", LONG], 64, 128),
        ("aten::mse_loss", [[8, 4], [8, 4], []], ["float", "float", "Scalar"], 256, 0),
        ("_C::rms_norm", [[8, 4], [8, 4], [4], []], [HALF, HALF, HALF, "Scalar"], 64 + 8, 64),
        ("_C::fused_add_rms_norm", [[8, 4], [8, 4], [4]], [HALF] * 3, 136, 128),
        ("_C::silu_and_mul", [[8, 2], [8, 4]], [HALF, HALF], 64, 32),
    ],
)  # fmt: skip
def test_bytes(name: str, dims: list[Any], types: list[str], read: int, written: int) -> None:
    found = work_of(name, shapes(dims, types))
    assert found is not None
    assert (found.read, found.written) == (read, written)


def test_a_softmax_of_half_precision_may_make_float32() -> None:
    types, values = [HALF, "Scalar", "Scalar"], ["", "1", "True"]
    found = work_of("aten::_softmax", shapes([[8, 4], [], []], types, values))
    assert found is not None
    assert found.written == 128
