"""CPU time and idle time are charged; time in which a process waits for a processor is not."""

import itertools
import signal
from pathlib import Path
from typing import Any

import pytest

from torchstone.bank.schema import Deny, Kind, Limits
from torchstone.judge.order import Assignment, Dead, MachineBusy, Outcome
from torchstone.judge.pool.submission_process import CPU_SHARE, SubmissionProcess
from torchstone.judge.pool.zygotes import JobEnded
from torchstone.judge.process import time_limit
from torchstone.judge.process.channel import Ended, How
from torchstone.judge.process.time_limit import (
    MOST_IDLE_SECONDS,
    SLICE_SECONDS,
    Allowance,
)
from torchstone.judge.process.usage import Usage

pytestmark = pytest.mark.pure

LIMITS = Limits(wall_s=3.0, cpu_s=2.0, memory_mib=64)
ASSIGNMENT = Assignment(
    problem_id="00",
    folder=Path("/"),
    kind=Kind.FUNCTION,
    names=("f",),
    limits=LIMITS,
    deny=Deny(),
    probe="",
    content_hash="",
)


class FakeMeter:
    """Use a share of each slice, as a process would."""

    def __init__(self, *usages: Usage) -> None:
        self._usages = iter(usages)
        self._last: Usage | None = None

    def read(self) -> Usage | None:
        self._last = next(self._usages, self._last)
        return self._last


def uses(share: float, *, is_active: bool, begin: float = 0.0) -> Any:
    """Return a meter of a process that gets a share of a processor, for ever."""
    seconds = (begin + share * SLICE_SECONDS * number for number in itertools.count(1))
    meter = FakeMeter()
    meter._usages = (Usage(each, is_active) for each in seconds)
    return meter


def charge_for_ever(allowance: Allowance, meter: Any, seconds: float = SLICE_SECONDS) -> Ended:
    for _ in range(10_000):
        try:
            allowance.charge(meter, seconds)
        except Ended as ended:
            return ended
    raise AssertionError("no limit was reached")


@pytest.mark.parametrize(
    ("share", "is_active", "how", "wall_s"),
    [
        (1.0, True, How.CPU, 2.0),
        # Eight busy loops a core leave a ninth of it.
        (1 / 9, True, How.CPU, 18.0),
        # It waits for a processor that it does not get.
        (0.0, True, How.STALLED, 60.0),
        (0.0, False, How.IDLE, 3.0),
        # Many short naps.
        (0.1, False, How.IDLE, 3.0),
    ],
)
def test_each_kind_of_time_has_its_limit(
    share: float, is_active: bool, how: How, wall_s: float
) -> None:
    allowance = Allowance.of(LIMITS)
    ended = charge_for_ever(allowance, uses(share, is_active=is_active))
    assert ended.how is how
    assert allowance._spent_wall_s == pytest.approx(wall_s, abs=2 * SLICE_SECONDS)


def test_all_the_time_of_a_process_that_cannot_be_read_is_idle() -> None:
    assert charge_for_ever(Allowance.of(LIMITS), None).how is How.IDLE
    assert charge_for_ever(Allowance.of(LIMITS), FakeMeter()).how is How.IDLE


def test_stillness_outlasts_a_short_wake_and_not_work() -> None:
    """The threads of gloo wake up often; what works in every third reading is not still."""
    allowance = Allowance(1000.0, 1000.0, 1000.0)
    still = [uses(0.0, is_active=False), uses(0.0, is_active=True)]
    seen = []
    for look in [0, 0, 0, 1, 0, 0, 0, 1, 1, *[0, 0, 1] * 3]:
        allowance.charge(still[look], 0.25)
        seen.append(allowance.num_still)
    assert seen == [1, 2, 3, 1, 2, 3, 4, 2, 0, *[1, 2, 0] * 3]


def test_processes_share_one_limit() -> None:
    allowance = Allowance.of(LIMITS)
    first, second = uses(0.5, is_active=True), uses(0.5, is_active=True)
    for _ in range(7):
        allowance.charge(first, SLICE_SECONDS)
    # The first one still runs while the second one is waited for.
    assert charge_for_ever(allowance, second).how is How.CPU
    assert allowance.spent_cpu_s == pytest.approx(2.0, abs=SLICE_SECONDS)
    assert allowance._spent_wall_s < 3.5


def test_a_stall_of_the_host_itself_is_not_charged_as_idle_time() -> None:
    allowance = Allowance.of(LIMITS)
    allowance.charge(FakeMeter(Usage(0.0, False)), 30.0)  # type: ignore[arg-type]
    assert allowance.spent_idle_s == MOST_IDLE_SECONDS


def test_a_process_of_the_judge_is_charged_from_the_first_reading_on() -> None:
    allowance = Allowance.of_judge(2.0)
    ended = charge_for_ever(allowance, uses(1.0, is_active=True, begin=500.0))
    assert ended.how is How.CPU
    assert allowance.spent_cpu_s == pytest.approx(2.0, abs=SLICE_SECONDS)


def test_an_allowance_can_be_lowered_and_never_raised() -> None:
    assert Allowance.of(LIMITS, at_most=0.5).cpu_s == Allowance.of(LIMITS, at_most=0.5).idle_s
    assert Allowance.of(LIMITS, at_most=0.5).cpu_s == 0.5
    assert Allowance.of(LIMITS, at_most=50.0) == Allowance.of(LIMITS)


def test_many_short_waits_are_looked_at_as_often_as_a_long_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [100.0]
    monkeypatch.setattr(time_limit.time, "monotonic", lambda: now[0])
    allowance = Allowance.of(LIMITS)
    meter = uses(1.0, is_active=True)
    ended = None
    for _ in range(1000):
        watch = allowance.watch(meter)
        try:
            watch()
            now[0] += SLICE_SECONDS / 5
            watch()
        except Ended as end:
            ended = end
            break
        finally:
            watch.finish()
    assert ended is not None
    assert ended.how is How.CPU


HELD_KIB = 300 << 10


class EndedJob:
    """Tell how a process ended, as its zygote would."""

    def __init__(self, meter: Any, status: int, cpu_s: float, rss_kib: int) -> None:
        self.meter = meter
        self._info = JobEnded(
            job="a",
            status=status,
            cpu_s=cpu_s,
            max_rss_kib=HELD_KIB + rss_kib,
            held_kib=HELD_KIB,
        )

    def kill(self) -> None: ...

    def wait(self, seconds: float = 0.0) -> JobEnded:
        return self._info


class EndingChannel:
    """Give no frame, for one reason."""

    written = reported = bytearray()

    def __init__(self, how: How) -> None:
        self._how = how

    def exchange(self, buffers: list[Any], on_wait: Any) -> Any:
        raise Ended(self._how, "because")

    def finish(self) -> None: ...


def outcome(
    how: How,
    status: int,
    cpu_s: float = 0.0,
    rss_kib: int = 0,
    *,
    meter: Any = "read",
    oom_kills: int = 3,
) -> Outcome:
    submission_process = SubmissionProcess(
        ASSIGNMENT,
        EndingChannel(how),  # type: ignore[arg-type]
        EndedJob(meter, status, cpu_s, rss_kib),  # type: ignore[arg-type]
        Allowance.of(LIMITS),
        lambda: oom_kills,
        3,
    )
    with pytest.raises(Dead) as dead:
        submission_process.receive()
    return dead.value.outcome


LIMIT = CPU_SHARE * LIMITS.cpu_s


@pytest.mark.parametrize(
    ("how", "status", "cpu_s", "code"),
    [
        (How.CPU, -signal.SIGKILL, 0.0, "TLE"),
        (How.IDLE, -signal.SIGKILL, 0.0, "HUNG"),
        # It slept after it had worked for long: the kernel has not ended it, we have.
        (How.IDLE, -signal.SIGKILL, LIMITS.cpu_s, "HUNG"),
        # Killed by the kernel: by the limit of CPU time, if it had used it.
        (How.CLOSED, -signal.SIGKILL, LIMIT, "TLE"),
        (How.CLOSED, -signal.SIGXCPU, LIMIT, "TLE"),
        (How.CLOSED, -signal.SIGKILL, 0.99 * LIMIT, "RTE"),
        (How.CLOSED, -signal.SIGXCPU, 0.99 * LIMIT, "RTE"),
        (How.CLOSED, -signal.SIGSEGV, LIMITS.cpu_s, "RTE"),
        (How.CLOSED, 0, LIMITS.cpu_s, "RTE"),
        (How.OUTPUT, -signal.SIGKILL, LIMITS.cpu_s, "OLE"),
    ],
)
def test_the_end_of_a_process_has_one_verdict(
    how: How, status: int, cpu_s: float, code: str
) -> None:
    found = outcome(how, status, cpu_s)
    assert found.code == code
    assert found.is_idle == (code == "HUNG")


def test_the_limit_of_cpu_time_is_close_to_the_time_that_was_used() -> None:
    # The kernel counts ticks where it ends a process, and exact time where it tells of it.
    assert 0.75 <= CPU_SHARE <= 0.9


def test_a_busy_loop_that_nobody_could_read_is_no_idle_program() -> None:
    assert outcome(How.IDLE, -signal.SIGKILL, LIMITS.cpu_s, meter=None).code == "TLE"
    assert outcome(How.IDLE, -signal.SIGKILL, 0.1, meter=None).code == "HUNG"


def test_a_machine_that_is_too_busy_has_no_verdict() -> None:
    with pytest.raises(MachineBusy, match="because"):
        outcome(How.STALLED, -signal.SIGKILL)


FULL_KIB = LIMITS.memory_mib << 10


@pytest.mark.parametrize(
    ("status", "rss_kib", "oom_kills", "code"),
    [
        (-signal.SIGKILL, FULL_KIB, 3, "MLE"),
        (-signal.SIGSEGV, FULL_KIB, 3, "MLE"),
        (-signal.SIGKILL, FULL_KIB - 1, 3, "RTE"),
        (1, FULL_KIB, 3, "RTE"),
        # Its control group was full, of shared memory say, and the kernel chose it.
        (-signal.SIGKILL, 0, 4, "MLE"),
        (-signal.SIGSEGV, 0, 4, "RTE"),
    ],
)
def test_memory_is_judged_by_what_the_kernel_says(
    status: int, rss_kib: int, oom_kills: int, code: str
) -> None:
    assert outcome(How.CLOSED, status, rss_kib=rss_kib, oom_kills=oom_kills).code == code
