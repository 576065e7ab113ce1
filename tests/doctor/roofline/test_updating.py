"""Updates of many tensors in one call."""

from __future__ import annotations

import pytest

from tests.doctor.kernels import shapes
from torchstone.doctor.roofline.shapes import work_of

pytestmark = pytest.mark.pure


def test_a_fused_optimizer_reads_all_lists_and_writes_all_but_gradients() -> None:
    given = shapes([[[10, 10], [5]]] * 4, "TensorList")
    found = work_of("aten::_fused_adamw_", given, "float")
    assert found is not None
    assert (found.read, found.written) == (4 * 105 * 4, 3 * 105 * 4)


def test_an_operator_on_lists_writes_one_of_them() -> None:
    given = shapes([[[10]], [[10]], [[10]], []], ["TensorList"] * 3 + ["Scalar"])
    found = work_of("aten::_foreach_addcmul_", given, "float")
    assert found is not None
    assert (found.read, found.written) == (120, 40)


def test_an_empty_list_is_unknown() -> None:
    assert work_of("aten::_foreach_add_", shapes([[], []], "TensorList"), "float") is None
