"""P002: copies as fast as the bus, for which computation waits."""

from __future__ import annotations

import pytest

from tests.doctor.made import Made
from torchstone.doctor.rules.upload import find

pytestmark = pytest.mark.pure

PAGEABLE, PINNED = "HtoD (Pageable -> Device)", "HtoD (Pinned -> Device)"


def run(took: float, gbps: float = 12.0, name: str = PINNED, *, covered: float = 0.0) -> Made:
    made = Made().computes(wait=took - covered)
    for begin in made.each_step():
        made.copy(name, begin - 5 if begin else 0, begin, begin + took, size=int(gbps * took * 1e3))
    return made


def test_time_size_and_rate_are_told() -> None:
    found = find(run(2000).case())
    assert found is not None
    assert found.share == found.recoverable == pytest.approx(0.2)
    assert found.margin == pytest.approx(4.0)
    assert found.evidence == pytest.approx({"copy_ms": 2.0, "mb": 24.0, "rate_gbps": 12.0})


@pytest.mark.parametrize(("took", "is_found"), [(499, False), (501, True)])
def test_the_border_of_the_share(took: float, is_found: bool) -> None:
    assert (find(run(took).case()) is not None) == is_found


@pytest.mark.parametrize(("gbps", "is_found"), [(5.9, False), (6.1, True)])
def test_the_border_of_the_rate(gbps: float, is_found: bool) -> None:
    assert (find(run(2000, gbps).case()) is not None) == is_found


@pytest.mark.parametrize(("covered", "is_found"), [(1501, False), (1499, True)])
def test_what_a_kernel_covers_does_not_count(covered: float, is_found: bool) -> None:
    assert (find(run(2000, covered=covered).case()) is not None) == is_found


def test_pageable_copies_are_those_of_another_rule() -> None:
    assert find(run(2000, name=PAGEABLE).case()) is None


def test_a_trace_without_bytes_says_nothing_about_the_bus() -> None:
    assert find(run(2000, gbps=0.0).case()) is None
