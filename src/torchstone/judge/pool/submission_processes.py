"""Processes of one submission, with further processes where requests have different bans.

A ban that a process could be told to lift is one that a submission could have lifted, by patching
whoever reads the order. So requests that need a graph of their own (second derivatives above all)
go to a second process that was forked without the ban on recording, and nothing lifts it in the
first; requests that may not call a single operator go to one in which every operator is banned.
What is learnt in one helps nobody in another. CUDA is built twice, and each build has a process of
its own; an extension has one in which nothing is banned, where its operators are examined.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from torchstone.judge.child import wire
from torchstone.judge.order import Native, Order
from torchstone.judge.pool.payload import Payload
from torchstone.judge.pool.submission_process import (
    EVERY_OPERATOR,
    RECORDING,
    Mode,
    SubmissionProcess,
)
from torchstone.judge.pool.time_limit import Allowance
from torchstone.judge.pool.zygotes import Usage

Fork = Callable[[Mode], SubmissionProcess]
PayloadOf = Callable[[Mode], Payload]

# Problems that ban these have cases for the process without, or with, the ban.
_SPECIAL = {RECORDING: Mode.RECORDING, EVERY_OPERATOR: Mode.BARE}


@dataclass(frozen=True, slots=True)
class Packed:
    """Hold the requests of a case as they travel, and which process each of them goes to."""

    steps: list[wire.Frame]
    modes: list[Mode]


@dataclass(slots=True)
class SubmissionProcesses:
    """Answer the cases of one job with as many processes as its bans ask for.

    Attributes:
        order: What is judged.
        fork: Makes a process.
        payload: Gives what a process is to load, once that is there.
        allowance: The time that all of them together may still use.
    """

    order: Order
    fork: Fork
    payload: PayloadOf
    allowance: Allowance
    _processes: dict[Mode, SubmissionProcess] = field(default_factory=dict)
    _loaded: set[Mode] = field(default_factory=set)
    _current: tuple[SubmissionProcess, Packed] | None = None

    @classmethod
    def enter(
        cls, order: Order, fork: Fork, payload: PayloadOf, *, at_most: float = float("inf")
    ) -> SubmissionProcesses:
        """Fork what will be needed; nothing of the submission is read yet.

        Args:
            order: What is judged.
            fork: Makes a process.
            payload: Gives what a process is to load.
            at_most: Seconds of CPU time, and of idle time, if the problem allows more.
        """
        allowance = Allowance.of(order.assignment.limits, at_most=at_most)
        made = cls(order, fork, payload, allowance)
        for mode in made._modes():
            made._fork(mode)
        return made

    def _fork(self, mode: Mode) -> None:
        process = self._processes[mode] = self.fork(mode)
        process.allowance = self.allowance

    def _modes(self) -> list[Mode]:
        """List the processes that are needed, the one that answers most of the cases first."""
        recipe, banned = self.order.assignment.recipe, self.order.assignment.deny.families
        if isinstance(recipe, Native):
            return [Mode.FAST, Mode.CHECK]
        if recipe is not None:
            return [Mode.PLAIN, Mode.FREE]
        return [Mode.PLAIN, *(mode for family, mode in _SPECIAL.items() if family in banned)]

    def load(self) -> None:
        """Load the submission into the process that answers most of the cases.

        Raises:
            Dead: It cannot be judged.
        """
        self._load(self._modes()[0])

    def answer(self, case: Packed) -> list[wire.Frame]:
        """Ask all steps of a case.

        Raises:
            Dead: The process ended, or was ended, first.
        """
        self.begin(case)
        return self.finish()

    def begin(self, case: Packed) -> None:
        """Send the first request of a case; ``finish`` waits for what comes of it.

        Raises:
            Dead: The process ended, or was ended, first.
        """
        process = self._load(case.modes[0])
        process.post(wire.repack(case.steps[0]))
        self._current = (process, case)

    def finish(self) -> list[wire.Frame]:
        """Return the answers to all steps of the case that was begun.

        Raises:
            Dead: The process ended, or was ended, first.
        """
        assert self._current is not None, "a case is begun before it is finished"
        process, case = self._current
        answers = [process.receive()]
        for step, mode in zip(case.steps[1:], case.modes[1:], strict=True):
            answers.append(self._load(mode).ask(wire.repack(step)))
        return answers

    def dismiss(self) -> None:
        """Let every process go after its last answer, without waiting until it is gone."""
        for process in self._processes.values():
            process.job.kill()

    def end(self) -> Usage:
        """End every process; return the CPU time of all and the memory of the largest."""
        infos = [process.end() for process in self._processes.values()]
        return Usage(
            cpu_s=sum(info.cpu_s for info in infos),
            max_rss_kib=max(info.max_rss_kib for info in infos),
        )

    def output(self) -> str:
        """Return the beginning of what was printed, by whichever process printed first."""
        return next(filter(None, (process.output() for process in self._processes.values())), "")

    def _load(self, mode: Mode) -> SubmissionProcess:
        if mode is Mode.RECORDING and mode not in self._processes:
            mode = Mode.PLAIN  # this problem lets every process record
        if mode not in self._processes:
            self._fork(mode)
        process = self._processes[mode]
        if mode not in self._loaded:
            self._loaded.add(mode)
            process.load(self.payload(mode))
        return process
