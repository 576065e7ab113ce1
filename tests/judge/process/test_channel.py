"""Whatever a hostile child does with its descriptors, the host gets a frame or a verdict, soon."""

import contextlib
import os
import socket
import threading
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from torchstone.bank.schema import Deny, Kind, Limits
from torchstone.judge.child.protocol import wire
from torchstone.judge.child.protocol.payloads import FilePayload
from torchstone.judge.order import Assignment, Cancelled, Dead
from torchstone.judge.pool.submission_process import SubmissionProcess
from torchstone.judge.pool.zygotes import JobEnded, ZygoteDied
from torchstone.judge.process.channel import REPORT_CAP, Channel, Ended, How, open_channel
from torchstone.judge.process.time_limit import Allowance, Watch

pytestmark = pytest.mark.pure

BLOB_CAP = 1 << 16
OUTPUT_KIB = 1
VERDICTS = {"CE", "FORBIDDEN_OP", "MLE", "HUNG", "OLE", "RTE", "TLE"}
# What the host may hold for one answer: what was declared, within the caps, and a little.
ALLOCATION_CAP = wire.TREE_CAP + wire.TABLE_CAP + BLOB_CAP + (1 << 20)

# The host waits for at most this long in one step, in all; it allows 50 ms of idle time.
MOST_WAITED_MS = 1000.0

ASSIGNMENT = Assignment(
    problem_id="00",
    folder=Path("/"),
    kind=Kind.FUNCTION,
    names=("f",),
    limits=Limits(wall_s=0.05, cpu_s=1.0, memory_mib=64, output_kib=OUTPUT_KIB),
    deny=Deny(),
    probe="",
    content_hash="",
)


PAYLOAD = FilePayload(names=("f",), probe="", source="x = 1", kind="module")


class FakeJob:
    """Stand for the forked process: dying closes its descriptors, as the kernel would."""

    def __init__(self, child: "HostileChild", info: JobEnded) -> None:
        self._child = child
        self._info = info
        self.num_kills = 0
        self.meter = None
        self.reply = b""

    def started(self) -> None:
        """Confine itself; only then could it know what it was sent."""
        self._child.write(self._child.sock, joined(wire.pack(b"H", {})) + self.reply)

    def kill(self) -> None:
        self.num_kills += 1
        self._child.die()

    def wait(self, seconds: float = 0.0) -> JobEnded:
        if not self._child.is_dead:
            raise ZygoteDied("nobody has heard of its end")
        return self._info


class HostileChild:
    """Hold the child's ends, and write to them without ever blocking."""

    def __init__(self, fds: list[int]) -> None:
        self.sock, self.report, self.output = fds
        for fd in fds:
            os.set_blocking(fd, False)
        self._open = set(fds)
        self.is_dead = False
        self._lock = threading.Lock()

    def write(self, fd: int, data: bytes) -> None:
        with self._lock, contextlib.suppress(OSError):
            if fd in self._open:
                os.write(fd, data)

    def close(self, fd: int) -> None:
        with self._lock:
            if fd in self._open:
                self._open.discard(fd)
                os.close(fd)

    def shut(self, how: int) -> None:
        with self._lock, contextlib.suppress(OSError):
            if self.sock in self._open:
                end = socket.socket(fileno=os.dup(self.sock))
                with end:
                    end.shutdown(how)

    def die(self) -> None:
        self.is_dead = True
        for fd in (self.sock, self.report, self.output):
            self.close(fd)


class CountingPoll:
    """Poll, and add up the waits that ended without an event.

    The machine decides how long a wait lasts; the host decides how long it asks for.
    """

    def __init__(self, poll: Any) -> None:
        self._poll = poll
        self.waited_ms = 0.0

    def poll(self, timeout_ms: float) -> Any:
        events = self._poll.poll(timeout_ms)
        self.waited_ms += 0.0 if events else timeout_ms
        return events

    def __getattr__(self, name: str) -> Any:
        return getattr(self._poll, name)


def joined(buffers: list[Any]) -> bytes:
    return b"".join(bytes(memoryview(buffer).cast("B")) for buffer in buffers if len(buffer))


frames = st.sampled_from([b"A", b"L", b"H", b"\x00"]).flatmap(
    lambda kind: st.sampled_from(
        [None, {}, [], {"out": b"x" * 300}, {"raised": 7}, "text", {"out": [b"", b"y"]}]
    ).map(lambda value: joined(wire.pack(kind, value)))
)
lies = st.tuples(
    st.sampled_from([0, 2, wire.TREE_CAP, wire.TREE_CAP + 1, 2**32 - 1]),
    st.sampled_from([0, 7, 8, wire.TABLE_CAP, wire.TABLE_CAP + 8]),
    st.sampled_from([0, 1, BLOB_CAP, BLOB_CAP + 1, 2**64 - 1]),
).map(lambda sizes: wire.HEAD.pack(wire.MAGIC, b"A", wire.VERSION, *sizes))
pieces = frames | lies | st.binary(max_size=64)


class HostileMachine(RuleBasedStateMachine):
    """Play a child that holds a valid prefix, delays, repeats, lies, floods and hangs up."""

    @initialize(
        status=st.sampled_from([0, 1, 70, 86, -9, -11, -24, -31, -64]),
        cpu_s=st.sampled_from([0.0, 5.0]),
        rss=st.sampled_from([0, 1 << 20]),
        reply=st.just(joined(wire.pack(b"L", {}))) | pieces,
    )
    def load(self, status: int, cpu_s: float, rss: int, reply: bytes) -> None:
        channel, fds = open_channel(output_cap=OUTPUT_KIB << 10, blob_cap=BLOB_CAP)
        self.child = HostileChild(fds)
        channel._poll = self.poll = CountingPoll(channel._poll)  # type: ignore[assignment]
        info = JobEnded(job="1", status=status, cpu_s=cpu_s, max_rss_kib=rss, held_kib=0)
        self.job = FakeJob(self.child, info)
        allowance = Allowance(1.0, 0.05, 60.0)
        self.submission_process = SubmissionProcess(ASSIGNMENT, channel, self.job, allowance)  # type: ignore[arg-type]
        self.timers: list[threading.Timer] = []
        self.is_over = False
        self.job.reply = reply
        self._expect_verdict(lambda: self.submission_process.load(PAYLOAD))

    @rule(piece=pieces, times=st.integers(1, 3))
    def send(self, piece: bytes, times: int) -> None:
        self.child.write(self.child.sock, piece * times)

    @rule(frame=frames, cut=st.integers(1, 40))
    def truncate(self, frame: bytes, cut: int) -> None:
        self.child.write(self.child.sock, frame[:-cut])

    @rule(piece=pieces, delay=st.sampled_from([0.001, 0.02]))
    def send_later(self, piece: bytes, delay: float) -> None:
        timer = threading.Timer(delay, self.child.write, (self.child.sock, piece))
        self.timers.append(timer)
        timer.start()

    @rule(size=st.sampled_from([1, 1000, 1025, 60_000]))
    def flood_output(self, size: int) -> None:
        self.child.write(self.child.output, b"\x1b[2J" * (size // 4 + 1))

    @rule(
        line=st.sampled_from([b'{"operator": "a"}\n', b"[" * 9000, b"\xff\n", b"{}\n", b"1\n"]),
        times=st.sampled_from([1, 7]),
    )
    def report(self, line: bytes, times: int) -> None:
        self.child.write(self.child.report, line * times)

    @rule(which=st.sampled_from(["sock", "report", "output"]))
    def close(self, which: str) -> None:
        self.child.close(getattr(self.child, which))

    @rule(how=st.sampled_from([socket.SHUT_RD, socket.SHUT_WR]))
    def half_close(self, how: int) -> None:
        self.child.shut(how)

    @precondition(lambda self: not self.is_over)
    @rule(size=st.sampled_from([0, 100, 30_000]))
    def ask(self, size: int) -> None:
        request = wire.pack(b"C", {"data": bytes(size)})
        self._expect_verdict(lambda: self.submission_process.ask(request))

    def _expect_verdict(self, step: Any) -> None:
        self.submission_process.allowance = Allowance(1.0, 0.05, 60.0)
        tracemalloc.start()
        self.poll.waited_ms = 0.0
        outcome = None
        try:
            step()
        except Dead as dead:
            outcome = dead.outcome
        finally:
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
        if outcome is not None:
            self.is_over = True
            assert outcome.code in VERDICTS
            assert self.job.num_kills, "a submission that will answer no more is ended"
        assert self.poll.waited_ms < MOST_WAITED_MS
        assert peak < ALLOCATION_CAP
        channel = self.submission_process.channel
        assert len(channel.written) <= OUTPUT_KIB << 10
        assert len(channel.reported) <= REPORT_CAP
        assert (
            self.submission_process.output().isprintable()
            or "\n" in self.submission_process.output()
        )

    def teardown(self) -> None:
        for timer in getattr(self, "timers", []):
            timer.join()
        if hasattr(self, "submission_process"):
            self.submission_process.end()
            self.submission_process.end()


TestHostileChild = HostileMachine.TestCase
TestHostileChild.settings = settings(max_examples=60, stateful_step_count=12)


@pytest.fixture
def pair() -> Any:
    channel, fds = open_channel(output_cap=100, blob_cap=BLOB_CAP)
    child = HostileChild(fds)
    yield channel, child
    channel.close()
    child.die()


def idle_for(seconds: float) -> Watch:
    """Wait for a process of which nothing is known: all the time is idle time."""
    return Allowance(cpu_s=1.0, idle_s=seconds, wall_s=60.0).watch(None)


def exchange(channel: Channel, seconds: float = 0.05) -> wire.Frame:
    return channel.exchange([], idle_for(seconds))


def test_a_frame_in_single_bytes_arrives(pair: tuple[Channel, HostileChild]) -> None:
    channel, child = pair
    for byte in joined(wire.pack(b"A", {"x": b"blob"})):
        child.write(child.sock, bytes([byte]))
    assert exchange(channel).decode() == {"x": b"blob"}


@pytest.mark.parametrize(
    ("act", "how"),
    [
        (lambda child: None, How.IDLE),
        (lambda child: child.write(child.sock, b"TSA"), How.IDLE),
        (lambda child: child.write(child.sock, b"X" * 64), How.GARBAGE),
        (lambda child: child.close(child.sock), How.CLOSED),
        (lambda child: child.shut(socket.SHUT_WR), How.CLOSED),
        (lambda child: child.write(child.output, b"x" * 101), How.OUTPUT),
    ],
)
def test_each_way_to_give_no_frame_has_its_name(
    pair: tuple[Channel, HostileChild], act: Any, how: How
) -> None:
    channel, child = pair
    act(child)
    with pytest.raises(Ended) as ended:
        exchange(channel)
    assert ended.value.how is how


def test_a_cancellation_is_seen_while_nothing_comes(pair: tuple[Channel, HostileChild]) -> None:
    channel, _ = pair
    timer = threading.Timer(0.02, setattr, (channel, "cancelled", True))
    timer.start()
    with pytest.raises(Ended) as ended:
        exchange(channel, seconds=60)
    timer.join()
    assert ended.value.how is How.CANCELLED


def test_a_child_that_reads_nothing_is_given_up(pair: tuple[Channel, HostileChild]) -> None:
    channel, _ = pair
    with pytest.raises(Ended) as ended:
        channel.post([bytes(32 << 20)], idle_for(0.05))
    assert ended.value.how is How.IDLE


def test_a_cancelled_contestant_is_ended(pair: tuple[Channel, HostileChild]) -> None:
    channel, child = pair
    job = FakeJob(child, JobEnded(job="1", status=-9, cpu_s=0.0, max_rss_kib=0, held_kib=0))
    allowance = Allowance(1.0, 10.0, 60.0)
    submission_process = SubmissionProcess(ASSIGNMENT, channel, job, allowance)  # type: ignore[arg-type]
    channel.cancelled = True
    with pytest.raises(Cancelled):
        submission_process.ask(wire.pack(b"C", {}))
    assert job.num_kills == 1


@pytest.mark.parametrize(("held_mib", "code"), [(0, "MLE"), (900, "RTE")])
def test_memory_counts_above_what_the_zygote_holds(
    pair: tuple[Channel, HostileChild], held_mib: int, code: str
) -> None:
    channel, child = pair
    limit_kib = ASSIGNMENT.limits.memory_mib << 10
    info = JobEnded(
        job="1",
        status=-6,
        cpu_s=0.0,
        max_rss_kib=limit_kib + 1,
        held_kib=held_mib << 10,
    )
    allowance, job = Allowance(1.0, 10.0, 60.0), FakeJob(child, info)
    submission_process = SubmissionProcess(ASSIGNMENT, channel, job, allowance)  # type: ignore[arg-type]
    child.die()
    with pytest.raises(Dead) as dead:
        submission_process.ask(wire.pack(b"C", {}))
    assert dead.value.outcome.code == code
