"""C001: exchanges that no computation covers."""

from __future__ import annotations

import pytest

from tests.doctor.made import Made
from torchstone.doctor.rules.communication import find

pytestmark = pytest.mark.pure


def run(alone: float, covered: float = 0.0) -> Made:
    """An exchange at the end of each step that begins beside what computes."""
    made = Made().computes(until=10_000 - alone)
    for begin in made.each_step():
        start = begin + 10_000 - alone - covered
        made.exchange(start, begin + 10_000)
    return made


def test_exposed_time_and_overlap_are_told() -> None:
    found = find(run(2000, 3000).case())
    assert found is not None
    assert found.share == found.recoverable == pytest.approx(0.2)
    assert found.margin == pytest.approx(2.0)
    told = {"exposed_ms": 2.0, "overlap": 0.6, "collectives_per_step": 1.0}
    assert found.evidence == pytest.approx(told)


@pytest.mark.parametrize(("alone", "is_found"), [(999, False), (1001, True)])
def test_the_border_is_a_tenth_of_the_window(alone: float, is_found: bool) -> None:
    assert (find(run(alone, 2000).case()) is not None) == is_found


def test_exchanges_behind_a_backward_pass_are_free() -> None:
    assert find(run(0.0, 6000).case()) is None


def test_what_a_rule_with_a_cure_explains_is_that_rules() -> None:
    made = run(2000)
    for begin in made.each_step()[::2]:
        made.span("Optimizer.step#SGD.step", "user_annotation", begin + 9000, begin + 9900)
    for begin in made.each_step():
        name = "DistributedDataParallel.forward"
        made.operator(name, begin + 10, begin + 100)
    found = find(made.case())
    assert found is not None
    # Two micro-batches for each update: half of it is needless.
    assert (found.share, found.recoverable) == pytest.approx((0.2, 0.1))


def test_a_run_of_one_rank_exchanges_nothing() -> None:
    assert find(Made().computes(wait=5000).case()) is None
