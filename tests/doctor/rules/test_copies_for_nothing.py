"""K009: copies into another order, growing tensors, and copies with a reason."""

from __future__ import annotations

import pytest

from tests.doctor.kernels import Op, case_of
from torchstone.doctor.rules.copies_for_nothing import find

pytestmark = pytest.mark.pure

SIZE = [1024, 1024]


def copy(within: str, types: tuple[str, str] = ("float", "float"), us: float = 100.0) -> Op:
    dims = [SIZE, SIZE, []]
    return Op(name="aten::copy_", dims=dims, us=us, types=[*types, "Scalar"], within=within)


def joined(length: int, us: float = 20.0) -> Op:
    return Op(
        name="aten::cat",
        dims=[[[length, 64], [1, 64]], []],
        us=us,
        types=["TensorList", "Scalar"],
        values=["", "0"],
    )


def other(us: float) -> Op:
    return Op(name="aten::mm", dims=[[512, 512], [512, 512]], us=us)


@pytest.mark.parametrize("within", ["aten::contiguous", "aten::clone", "aten::reshape"])
def test_copies_into_another_order_are_found(within: str) -> None:
    found = find(case_of([copy(within), other(100)]))
    assert found is not None
    assert found.share == pytest.approx(0.5, abs=0.02)
    assert found.evidence["copies_per_step"] == 1


@pytest.mark.parametrize("has_device", [True, False])
def test_a_growing_tensor_is_found_with_a_device_and_without(has_device: bool) -> None:
    found = find(case_of([joined(at) for at in range(1, 30)], has_device=has_device, steps=1))
    assert found is not None
    assert found.evidence["growing"] == 28


def test_joining_the_same_parts_in_each_step_grows_nothing() -> None:
    assert find(case_of([joined(64)] * 20)) is None


def test_casts_and_copies_into_a_tensor_that_is_there_have_a_reason() -> None:
    assert find(case_of([copy("aten::contiguous", ("c10::Half", "float"))])) is None
    assert find(case_of([copy("")])) is None


@pytest.mark.parametrize(("us", "is_found"), [(880, True), (920, False)])
def test_the_border_is_a_tenth_of_the_window(us: float, is_found: bool) -> None:
    assert (find(case_of([copy("aten::contiguous"), other(us)])) is not None) == is_found
