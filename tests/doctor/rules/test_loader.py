"""D001 and D002: the device waits for the loader, which works alone or has workers."""

from __future__ import annotations

import pytest

from tests.doctor.made import OTHER, Made
from torchstone.doctor.rules.loader import find

pytestmark = pytest.mark.pure

ALONE = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
WORKERS = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"


def run(load: float, name: str = ALONE) -> Made:
    """A device that waits for a load at the begin of each step, and 100 µs more."""
    made = Made().computes(wait=load + 100)
    for begin in made.each_step():
        made.span(name, "user_annotation", begin, begin + load)
    return made


@pytest.mark.parametrize(("name", "code"), [(ALONE, "TS-D001"), (WORKERS, "TS-D002")])
def test_the_iterator_says_who_loads(name: str, code: str) -> None:
    found = find(run(3000, name).case())
    assert found is not None
    assert found.code == code
    assert (found.share, found.recoverable) == pytest.approx((0.3, 0.3))
    assert found.margin == pytest.approx(3.0)
    assert found.evidence == pytest.approx({"wait_ms": 3.0, "load_ms": 3.0, "loads": 4})


@pytest.mark.parametrize("name", [ALONE, WORKERS])
@pytest.mark.parametrize(("load", "is_found"), [(999, False), (1001, True)])
def test_the_border_is_a_tenth_of_the_window(name: str, load: float, is_found: bool) -> None:
    assert (find(run(load, name).case()) is not None) == is_found


def test_a_loader_that_a_busy_device_covers_costs_nothing() -> None:
    made = Made().computes()
    for begin in made.each_step():
        made.span(ALONE, "user_annotation", begin + 500, begin + 8000)
    assert find(made.case()) is None


def test_a_loader_on_a_thread_of_its_own_holds_nothing_up() -> None:
    made = Made().computes(wait=3000)
    for begin in made.each_step():
        made.span(ALONE, "user_annotation", begin, begin + 3000, tid=OTHER)
    assert find(made.case()) is None


def test_of_two_loaders_the_one_that_takes_longer_counts() -> None:
    made = run(3000, WORKERS)
    for begin in made.each_step():
        made.span(ALONE, "user_annotation", begin + 3000, begin + 3050)
    found = find(made.case())
    assert found is not None
    assert found.code == "TS-D002"


def test_without_a_device_the_time_of_loading_itself_counts() -> None:
    made = Made()
    for begin in made.each_step():
        made.span(ALONE, "user_annotation", begin, begin + 2000)
        made.operator("aten::mm", begin + 2000, begin + 10_000)
    found = find(made.case())
    assert found is not None
    assert found.share == pytest.approx(0.2)
