"""Processes of one submission: requests with different bans go to different processes.

A process never lifts a ban, because a submission could then patch the code that lifts it. So a
request that records its own graph, such as a second derivative, goes to a second process that was
forked without the ban on recording. A request that must call no operator goes to a process in which
every operator is banned. The processes share no state. A CUDA submission is built twice, and each
build has its own process. An extension has one more process without bans, in which the judge
examines its operators. A request to be answered alone gets its own process, which ends with it or
stays for the next one, and whose peak memory the kernel reports. This process is forked before the
case begins, and loads the submission while the previous request is answered.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from torchstone.judge.child.protocol import wire
from torchstone.judge.child.protocol.frames import FromJob
from torchstone.judge.child.protocol.payloads import Payload
from torchstone.judge.order import Native, Order
from torchstone.judge.pool.submission_process import (
    EVERY_OPERATOR,
    RECORDING,
    Mode,
    SubmissionProcess,
)
from torchstone.judge.pool.zygotes import Usage
from torchstone.judge.process.time_limit import Allowance

Fork = Callable[[Mode], SubmissionProcess]
PayloadOf = Callable[[Mode], Payload]

# Modes of requests that get their own process and report its peak memory.
_ALONE = (Mode.ALONE, Mode.STAYING)
# A problem that bans one of these operator families also has cases for the process of this mode.
_SPECIAL = {RECORDING: Mode.RECORDING, EVERY_OPERATOR: Mode.BARE}


# Keys of the host's counts in an answer: bytes sent by a distributed submission; peak memory of a
# process that ended with a request; and the rise of this peak over the first request of the case,
# or over the previous request if one process answers several.
WIRE_BYTES = "wire.bytes"
PEAK_BYTES = "peak.bytes"
PEAK_RISE = "peak.rise"


def counted_frame(counts: dict[str, int]) -> wire.Frame:
    """Return a frame with the kernel's counts of the latest request."""
    _, tree, _ = wire.pack(FromJob.COUNTED, counts)
    return wire.Frame(kind=FromJob.COUNTED, tree=tree, blobs=[])


@dataclass(frozen=True, slots=True)
class Packed:
    """The packed requests of a case, and the process mode of each."""

    steps: list[wire.Frame]
    modes: list[Mode]


@dataclass(slots=True)
class SubmissionProcesses:
    """Processes that answer the cases of one job, one for each mode in use.

    Attributes:
        order: The order to judge.
        fork: Forks a process.
        payload: Returns the payload of a process; waits for a build.
        allowance: The remaining time of all processes together.
    """

    order: Order
    fork: Fork
    payload: PayloadOf
    allowance: Allowance
    _processes: dict[Mode, SubmissionProcess] = field(default_factory=dict)
    _loaded: set[Mode] = field(default_factory=set)
    _current: tuple[SubmissionProcess, Packed] | None = None
    _num_sent: int = 0
    _first_peak: int = 0
    _highest: int | None = None
    # Processes for requests answered alone: those without a request yet, and those with one.
    _waiting: deque[SubmissionProcess] = field(default_factory=deque)
    _alone: list[SubmissionProcess] = field(default_factory=list)

    @classmethod
    def enter(
        cls, order: Order, fork: Fork, payload: PayloadOf, *, at_most: float = float("inf")
    ) -> SubmissionProcesses:
        """Fork the processes that the job needs; they do not read the submission yet.

        Args:
            order: The order to judge.
            fork: Forks a process.
            payload: Returns the payload of a process.
            at_most: A cap in seconds on CPU time and on idle time, below the problem's limits.
        """
        allowance = Allowance.of(order.assignment.limits, at_most=at_most)
        made = cls(order, fork, payload, allowance)
        for mode in made._modes():
            made._processes[mode] = made._fork(mode)
        return made

    def _fork(self, mode: Mode) -> SubmissionProcess:
        process = self.fork(mode)
        process.allowance = self.allowance
        return process

    def _modes(self) -> list[Mode]:
        """Return the modes that the job needs; the first one answers most of the cases."""
        recipe, banned = self.order.assignment.recipe, self.order.assignment.deny.families
        if isinstance(recipe, Native):
            return [Mode.FAST, Mode.CHECK]
        if recipe is not None:
            return [Mode.PLAIN, Mode.FREE]
        return [Mode.PLAIN, *(mode for family, mode in _SPECIAL.items() if family in banned)]

    def load(self) -> None:
        """Load the submission into the process that answers most of the cases.

        Raises:
            Dead: The process cannot load it.
        """
        self._load(self._modes()[0])

    def answer(self, case: Packed) -> list[wire.Frame]:
        """Return the answers to all requests of a case.

        Raises:
            Dead: The process ended first.
        """
        self.begin(case)
        return self.finish()

    def prepare(self, case: Packed) -> None:
        """Fork the processes of an upcoming case, so that they confine themselves meanwhile."""
        # A series of STAYING requests ends with one in mode ALONE.
        while len(self._waiting) < case.modes.count(Mode.ALONE):
            self._waiting.append(self._fork(Mode.ALONE))

    def begin(self, case: Packed) -> None:
        """Send the first request of a case; ``finish`` returns the answers.

        Raises:
            Dead: The process ended first.
        """
        self._first_peak, self._highest = 0, None
        self.prepare(case)
        process = self._load(case.modes[0])
        process.post(wire.repack(case.steps[0]))
        self._current = (process, case)

    def finish(self) -> list[wire.Frame]:
        """Return the answers to all requests of the case that ``begin`` started.

        Raises:
            Dead: The process ended first.
        """
        assert self._current is not None, "`begin` is called before `finish`"
        process, case = self._current
        answers: list[wire.Frame] = []
        for step, before, mode in zip(case.steps[1:], case.modes, case.modes[1:], strict=False):
            if mode in _ALONE and before is not Mode.STAYING:
                # The next process loads while the previous one answers.
                following = self._load(mode)
                answers.append(process.receive())
                following.post(wire.repack(step))
                self._count(process, before, answers)
            else:
                answers.append(process.receive())
                self._count(process, before, answers)
                following = process if before is Mode.STAYING else self._load(mode)
                following.post(wire.repack(step))
            process = following
        answers.append(process.receive())
        self._count(process, case.modes[-1], answers)
        return answers

    def _count(self, process: SubmissionProcess, mode: Mode, answers: list[wire.Frame]) -> None:
        """Append the kernel's counts to the answers; no process of the job can write them."""
        if self.order.assignment.row.is_metered:
            before, self._num_sent = self._num_sent, process.num_sent()
            answers.append(counted_frame({WIRE_BYTES: self._num_sent - before}))
        if mode in _ALONE:
            answers.append(counted_frame(self._peaks(process, mode)))

    def _peaks(self, process: SubmissionProcess, mode: Mode) -> dict[str, int]:
        """Return the memory used for the latest request; end the process unless it stays."""
        before = self._highest
        if mode is Mode.STAYING:
            self._highest = process.highest_bytes()
            return {PEAK_RISE: 0 if before is None else max(self._highest - before, 0)}
        peak = process.peak_bytes()
        if before is None:
            self._first_peak = self._first_peak or peak
            return {PEAK_BYTES: peak, PEAK_RISE: max(peak - self._first_peak, 0)}
        self._highest = None
        # Use the kernel's figure at the end, because the process may have ended by itself.
        rise = (process.end().max_rss_kib << 10) - before
        return {PEAK_BYTES: peak, PEAK_RISE: max(rise, 0)}

    def dismiss(self) -> None:
        """Kill every process after its last answer, without waiting for its end."""
        for process in self._all():
            process.job.kill()

    def end(self) -> Usage:
        """End every process; return their total CPU time and the largest memory use."""
        infos = [process.end() for process in self._all()]
        return Usage(
            cpu_s=sum(info.cpu_s for info in infos),
            max_rss_kib=max(info.max_rss_kib for info in infos),
        )

    def output(self) -> str:
        """Return the beginning of the output of the first process that printed."""
        return next(filter(None, (process.output() for process in self._all())), "")

    def _all(self) -> list[SubmissionProcess]:
        """Return all processes; those that answer one request come last."""
        return [*self._processes.values(), *self._alone, *self._waiting]

    def _load(self, mode: Mode) -> SubmissionProcess:
        if mode in _ALONE:
            process = self._waiting.popleft()
            self._alone.append(process)
            process.load(self.payload(mode))
            return process
        if mode is Mode.RECORDING and mode not in self._processes:
            mode = Mode.PLAIN  # this problem does not ban recording
        if mode not in self._processes:
            self._processes[mode] = self._fork(mode)
        process = self._processes[mode]
        if mode not in self._loaded:
            self._loaded.add(mode)
            process.load(self.payload(mode))
        return process
