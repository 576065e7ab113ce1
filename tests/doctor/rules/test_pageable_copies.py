"""P001: copies from pageable memory."""

from __future__ import annotations

import pytest

from tests.doctor.made import Made
from torchstone.doctor.rules.pageable_copies import find

pytestmark = pytest.mark.pure

PAGEABLE, PINNED = "HtoD (Pageable -> Device)", "HtoD (Pinned -> Device)"


def run(took: float, gbps: float = 3.0, name: str = PAGEABLE, *, beside: bool = False) -> Made:
    """Copies for which the device waits, or which run beside what it computes."""
    made = Made().computes(wait=0 if beside else took)
    for begin in made.each_step():
        made.copy(name, begin - 5 if begin else 0, begin, begin + took, size=int(gbps * took * 1e3))
    return made


def test_time_size_and_rate_are_told() -> None:
    found = find(run(2000).case())
    assert found is not None
    assert found.share == found.recoverable == pytest.approx(0.2)
    assert found.margin == pytest.approx(4.0)
    told = {"copy_ms": 2.0, "mb": 6.0, "rate_gbps": 3.0, "pinned_gbps": 12, "copies": 4}
    assert found.evidence == pytest.approx(told)


@pytest.mark.parametrize(("took", "is_found"), [(499, False), (501, True)])
def test_the_border_is_a_twentieth_of_the_window(took: float, is_found: bool) -> None:
    assert (find(run(took, 9.0).case()) is not None) == is_found


@pytest.mark.parametrize(
    ("took", "gbps", "is_found"),
    [(199, 3.0, False), (201, 3.0, True), (201, 5.9, True), (201, 6.1, False), (201, 0.0, False)],
)
def test_slow_ones_are_told_from_a_fiftieth_on(took: float, gbps: float, is_found: bool) -> None:
    assert (find(run(took, gbps).case()) is not None) == is_found


@pytest.mark.parametrize(("gbps", "won"), [(3.0, 0.15), (9.0, 0.05), (15.0, 0.0)])
def test_beside_a_kernel_only_the_rate_can_be_won(gbps: float, won: float) -> None:
    found = find(run(2000, gbps, beside=True).case())
    assert found is not None
    assert found.recoverable == pytest.approx(won, abs=1e-4)


def test_copies_from_pinned_memory_are_none() -> None:
    assert find(run(2000, name=PINNED).case()) is None


def test_a_trace_without_bytes_has_no_rate() -> None:
    found = find(run(2000, gbps=0.0).case())
    assert found is not None
    assert found.recoverable == pytest.approx(0.2)
