"""The accounting, against one that looks at each microsecond by itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.doctor.simulated import Row, made
from torchstone.doctor.accounting import IDLE, Accounting, account, busy_devices
from torchstone.doctor.correlate import Launches, find_launches
from torchstone.doctor.events import NONE, Events
from torchstone.doctor.read.kinds import EXPLAINING, ON_DEVICE, Kind
from torchstone.doctor.window import Window

pytestmark = pytest.mark.pure

BUSY = ("compute", "communication", "copy_h2d", "copy_d2h", "copy_d2d")
LAST = 40
HOST = [*EXPLAINING, Kind.ANNOTATION, Kind.OPTIMIZER]
TIMES = st.tuples(st.integers(0, LAST), st.integers(0, LAST)).map(sorted)
NUMBERS = st.integers(1, 6)


def window_of(begin: float, end: float) -> Window:
    whole = np.array([begin, end], dtype=np.float64)
    return Window(begin=begin, end=end, steps=whole[None], cuts=whole, how="steps")


def accounted(events: Events, begin: float, end: float) -> Accounting:
    return account(events, find_launches(events), window_of(begin, end))


@st.composite
def runs(draw: st.DrawFn) -> Events:
    rows = [Row(kind=Kind.STEP, begin=0, end=LAST, name="ProfilerStep#1")]
    for _ in range(draw(st.integers(0, 8))):
        begin, end = draw(TIMES)
        kind, lane = draw(st.sampled_from(HOST)), draw(st.integers(0, 2))
        number = draw(NUMBERS) if kind in (Kind.LAUNCH, Kind.SYNC, Kind.ALLOC) else NONE
        rows.append(Row(kind=kind, begin=begin, end=end, lane=lane, correlation=number))
    for _ in range(draw(st.integers(1, 5))):
        begin, end = draw(TIMES)
        kind, lane = draw(st.sampled_from(ON_DEVICE)), draw(st.integers(17, 18))
        rows.append(Row(kind=kind, begin=begin, end=end, lane=lane, correlation=draw(NUMBERS)))
    return made(rows)


def obvious(events: Events, launches: Launches, begin: int, end: int) -> dict[str, float]:
    """The shares of one device, by looking at what is when in each microsecond."""
    found = dict.fromkeys((*BUSY, *(f"idle.{name}" for name in IDLE)), 0.0)
    (rows,) = busy_devices(events, window_of(begin, end))
    during = [
        [row for row in range(len(events)) if events.t0[row] <= at and events.t1[row] > at]
        for at in range(begin, end)
    ]
    running = [sorted(events.kind[row] for row in now if row in rows) for now in during]
    for at in range(begin, end):
        if running[at - begin]:
            found[BUSY[running[at - begin][0]]] += 1
            continue
        left, right = at, at
        while left > begin and not running[left - 1 - begin]:
            left -= 1
        while right < end and not running[right - begin]:
            right += 1
        late, thread = blamed(events, launches, rows.tolist(), (left, right), end)
        if at >= late:
            found["idle.unexplained"] += 1
            continue
        kinds: list[int] = []
        for lane in (thread, 0):
            doing = [events.kind[row] for row in during[at - begin] if events.lane[row] == lane]
            kinds = kinds or [k for k in doing if k in EXPLAINING and k != Kind.PYTHON]
        kind = Kind(min(kinds)) if kinds else Kind.PYTHON
        found[f"idle.{kind.name.lower()}"] += 1
    return {name: time / (end - begin) for name, time in found.items()}


def blamed(
    events: Events, launches: Launches, rows: list[int], gap: tuple[int, int], end: int
) -> tuple[float, int]:
    """Until when the host was late in a gap, and which thread."""
    left, right = gap
    if right == end:
        return right, 0
    first = next(row for row in rows if events.t0[row] >= right)
    call = int(launches.call_of[first])
    if call == NONE:
        return (left if launches.found > 0 else right), 0
    return min(right, float(events.t1[call])), int(events.lane[call])


@given(runs(), TIMES)
def test_shares_are_those_of_an_obvious_accounting(events: Events, times: list[int]) -> None:
    begin, end = times[0], times[1] + 1
    if len(busy_devices(events, window_of(begin, end))) != 1:
        return
    found = accounted(events, begin, end)
    wanted = obvious(events, find_launches(events), begin, end)
    assert found.shares == pytest.approx(wanted, abs=1e-9)


@given(runs(), TIMES)
def test_shares_add_up_to_one(events: Events, times: list[int]) -> None:
    found = accounted(events, times[0], times[1] + 0.37)
    assert sum(found.shares.values()) == pytest.approx(1.0, abs=1e-9)
    assert all(-1e-12 <= share <= 1 + 1e-12 for share in found.shares.values())
    for gaps in found.gaps:
        assert gaps.charged.sum(1) == pytest.approx(gaps.end - gaps.begin)


def kernel(begin: float, end: float, number: int = NONE, device: int = 0) -> Row:
    return Row(
        kind=Kind.KERNEL, begin=begin, end=end, lane=17 + device, correlation=number, device=device
    )


def test_each_device_counts_alike_and_one_that_hardly_works_does_not() -> None:
    one, two = kernel(0, 80), kernel(0, 40, device=1)
    assert accounted(made([one, two]), 0, 100).shares["compute"] == pytest.approx(0.6)
    assert accounted(made([one, kernel(0, 7, device=1)]), 0, 100).shares["compute"] == 0.8


def test_what_main_did_counts_where_the_launching_thread_had_not_begun() -> None:
    events = made(
        [
            Row(kind=Kind.STEP, begin=0, end=100, name="ProfilerStep#1"),
            Row(kind=Kind.LOADER, begin=0, end=50),
            Row(kind=Kind.OPERATOR, begin=60, end=90, lane=1),
            Row(kind=Kind.LAUNCH, begin=70, end=80, lane=1, correlation=5),
            kernel(80, 100, 5),
        ]
    )
    idle = accounted(events, 0, 100).shares
    assert (idle["idle.loader"], idle["idle.python"]) == (0.5, 0.1)
    assert (idle["idle.operator"], idle["idle.launch"]) == pytest.approx((0.1, 0.1))


def test_without_a_device_operators_compute() -> None:
    events = made(
        [
            Row(kind=Kind.STEP, begin=0, end=100, name="ProfilerStep#1"),
            Row(kind=Kind.LOADER, begin=0, end=30),
            Row(kind=Kind.OPERATOR, begin=20, end=80),
            Row(kind=Kind.OPERATOR, begin=30, end=40),
        ]
    )
    found = accounted(events, 0, 100)
    assert not found.has_device
    assert (found.shares["compute"], found.shares["idle.loader"]) == (0.5, 0.3)
    assert found.idle == pytest.approx(0.5)
    assert sum(found.shares.values()) == pytest.approx(1.0)
