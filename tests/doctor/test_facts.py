"""Facts of a rank are computed once, and found by the names of events."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.doctor.made import Made

pytestmark = pytest.mark.pure


def test_rows_are_found_by_a_pattern_in_order_of_time() -> None:
    facts = Made().operator("aten::mm", 50, 60).operator("aten::add", 5, 6).case().facts
    rows = facts.named(r"^aten::")
    assert [facts.events.names[name] for name in facts.events.name[rows]] == [
        "aten::add",
        "aten::mm",
    ]
    assert facts.times_of(rows).length == pytest.approx(11.0)


def test_a_case_of_a_step_shares_them() -> None:
    case = Made().operator("aten::mm", 0, 10).case()
    assert replace(case, rank=3).facts.operators is case.facts.operators
