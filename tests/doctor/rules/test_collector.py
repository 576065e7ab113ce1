"""Collections in the loop, at the share of TS-O002."""

from __future__ import annotations

import pytest

from tests.doctor.made import Made
from torchstone.doctor.rules import collector

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(("gc_us", "is_found"), [(201.0, True), (199.0, False)])
def test_collections_are_found_from_two_percent_on(gc_us: float, is_found: bool) -> None:
    run = Made()
    for step in run.each_step():
        run.operator("aten::mm", step, step + 100)
        run.frame("Python GC", step + 1000, step + 1000 + gc_us)
    found = collector.find(run.case())
    assert (found is not None) == is_found
    assert found is None or (found.evidence["per_step"], found.evidence["asked"]) == (1, 0)
