"""K007: gradients of large tables for few indices, and those that are dense anyway."""

from __future__ import annotations

import pytest

from tests.doctor.kernels import Op, case_of
from torchstone.doctor.rules.whole_table import find

pytestmark = pytest.mark.pure

ROWS, DIM = 100_000, 64


def gradient(indices: int, us: float = 100.0) -> Op:
    return Op(
        name="aten::embedding_dense_backward",
        dims=[[indices, DIM], [indices], [], [], []],
        us=us,
        types=["float", "long int", "Scalar", "Scalar", "Scalar"],
        values=["", "", str(ROWS), "-1", "False"],
    )


def update(us: float = 100.0) -> Op:
    return Op(name="aten::add_", dims=[[ROWS, DIM], [ROWS, DIM]], us=us)


def other(us: float) -> Op:
    return Op(name="aten::mm", dims=[[512, 512], [512, 512]], us=us)


def test_the_gradient_and_the_update_of_the_table_count() -> None:
    found = find(case_of([gradient(500), update(), other(200)]))
    assert found is not None
    assert found.share == pytest.approx(0.5, abs=0.01)
    assert found.evidence["ratio"] == pytest.approx(200)
    assert found.recoverable == pytest.approx(found.share * (1 - 1 / 200))


@pytest.mark.parametrize(("indices", "is_found"), [(5_000, True), (5_001, False)])
def test_the_border_is_a_twentieth_of_the_rows(indices: int, is_found: bool) -> None:
    assert (find(case_of([gradient(indices), update()])) is not None) == is_found


@pytest.mark.parametrize(("us", "is_found"), [(1_780, True), (1_850, False)])
def test_the_border_is_a_tenth_of_the_window(us: float, is_found: bool) -> None:
    assert (find(case_of([gradient(500), update(), other(us)])) is not None) == is_found


def test_an_output_layer_of_the_same_sizes_makes_it_dense_anyway() -> None:
    tied = Op(name="aten::mm", dims=[[32, DIM], [DIM, ROWS]], us=100)
    assert find(case_of([gradient(500), update(), tied])) is None
