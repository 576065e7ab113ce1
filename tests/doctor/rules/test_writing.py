"""Files written in the loop, at the share of TS-O004."""

from __future__ import annotations

import pytest

from tests.doctor.made import Made
from torchstone.doctor.rules import writing

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("name", "write_us", "is_found"),
    [
        ("<built-in function fsync>", 501.0, True),
        ("<built-in function fsync>", 499.0, False),
        ("torch/serialization.py(944): save", 5000.0, True),
        ("<built-in method write of _io.BytesIO object at 0x7f>", 5000.0, False),
    ],
)
def test_what_waits_for_a_disk_is_found(name: str, write_us: float, is_found: bool) -> None:
    run = Made()
    for step in run.each_step():
        run.operator("aten::mm", step, step + 100)
        run.frame(name, step + 1000, step + 1000 + write_us)
    found = writing.find(run.case())
    assert (found is not None) == is_found
    assert found is None or found.evidence["writes"] == 1
