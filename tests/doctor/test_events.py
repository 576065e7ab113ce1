"""Columns of events."""

from __future__ import annotations

import pytest

from tests.doctor.simulated import Row, made
from torchstone.doctor.read.kinds import Kind

pytestmark = pytest.mark.pure

EVENTS = made(
    [
        Row(kind=Kind.OPERATOR, begin=3, end=4, name="aten::mm"),
        Row(kind=Kind.KERNEL, begin=1, end=2, name="gemm", lane=17),
        Row(kind=Kind.COPY_H2D, begin=2, end=9, name="Memcpy HtoD", lane=17),
    ]
)


def test_rows_of_kinds_are_in_order_of_time() -> None:
    assert EVENTS.of(Kind.OPERATOR, Kind.KERNEL).tolist() == [0, 2]
    assert EVENTS.on_device().tolist() == [0, 1]
    assert len(EVENTS) == 3


def test_rows_that_are_shared_cannot_be_changed() -> None:
    rows = EVENTS.of(Kind.KERNEL)
    assert rows is EVENTS.of(Kind.KERNEL)
    with pytest.raises(ValueError, match="read-only"):
        rows[0] = 5


def test_names_are_found_by_a_part_of_them() -> None:
    found = EVENTS.named("gem", "HtoD")
    assert [EVENTS.names[name] for name in found] == ["Memcpy HtoD", "gemm"]
    assert len(EVENTS.named("nothing")) == 0
