"""K002: float32 on cards with tensor cores, and what only looks like it."""

from __future__ import annotations

import pytest

from tests.doctor.kernels import H100, Op, case_of
from torchstone.doctor.rules.tensor_cores import find

pytestmark = pytest.mark.pure


def kernel(name: str, us: float = 100.0) -> Op:
    return Op(name="aten::mm", dims=[[512, 512], [512, 512]], us=us, kernel=name)


def test_float32_products_are_found_whether_or_not_shapes_are_there() -> None:
    found = find(case_of([kernel("volta_sgemm_128x64_nn"), kernel("elementwise")]))
    assert found is not None
    assert found.evidence["of_compute"] == pytest.approx(0.5)
    assert found.recoverable == pytest.approx(found.share / 2)


@pytest.mark.parametrize(("us", "is_found"), [(230, True), (235, False)])
def test_the_border_is_three_tenths_of_the_computation(us: float, is_found: bool) -> None:
    ops = [kernel("ampere_sgemm_64x64_nn"), kernel("other", us)]
    assert (find(case_of(ops)) is not None) == is_found


def test_tensor_cores_at_work_are_no_case() -> None:
    assert find(case_of([kernel("cutlass_80_tensorop_s1688gemm_256x64_16x4_nn_align4")])) is None


@pytest.mark.parametrize(
    "card",
    [
        {"name": "Tesla P100", "computeMajor": 6, "computeMinor": 0},
        {"name": "NVIDIA GeForce GTX 1660", "computeMajor": 7, "computeMinor": 5},
    ],
)
def test_a_card_without_tensor_cores_is_no_case(card: dict[str, object]) -> None:
    ops = [kernel("volta_sgemm_128x64_nn")]
    assert find(case_of(ops, card=card)) is None
    assert find(case_of(ops, card=H100)) is not None
