"""More threads than cores, at the thresholds of TS-O001."""

from __future__ import annotations

import pytest

from tests.doctor.made import Made
from torchstone.doctor.rules import oversubscription
from torchstone.doctor.source import Host

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("threads", "switches", "is_found"),
    [(32, 5000.0, True), (32, 499.0, False), (2, 5000.0, False)],
)
def test_a_crowd_that_gives_up_its_cores_is_found(
    threads: int, switches: float, is_found: bool
) -> None:
    host = Host(cores=2, threads=threads, processes=1, switches=switches, reference=10.0)
    found = oversubscription.find(Made().operator("aten::mm", 0, 10).case(host=host))
    assert (found is not None) == is_found


def test_a_trace_alone_says_nothing() -> None:
    assert oversubscription.find(Made().operator("aten::mm", 0, 10).case()) is None
