"""Hold the processes of one submission: one, or two where recording a graph is banned.

A ban that a process could be told to lift is one that a submission could have lifted, by patching
whoever reads the order. So requests that need a graph of their own (second derivatives above all)
go to a second process that was forked without the ban, and nothing lifts it in the first. What is
learnt in the second helps
nobody: values and first derivatives are asked of the first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from torchstone.judge.child import wire
from torchstone.judge.contestant import RECORDING, Contestant
from torchstone.judge.order import Order

Fork = Callable[[bool], Contestant]


@dataclass(frozen=True, slots=True)
class Packed:
    """Hold the requests of a case as they travel, and whether they need a graph of their own."""

    steps: list[wire.Frame]
    records: bool


@dataclass(slots=True)
class Entrant:
    """Answer the cases of one job with as many processes as its bans ask for.

    Attributes:
        order: What is judged.
        fork: Makes a process; its argument says whether it may record.
        left_s: Wall seconds that all of them together may still use.
    """

    order: Order
    fork: Fork
    left_s: float
    _processes: dict[bool, Contestant] = field(default_factory=dict)
    _loaded: set[bool] = field(default_factory=set)

    @classmethod
    def enter(cls, order: Order, fork: Fork) -> Entrant:
        """Fork what will be needed; nothing of the submission is read yet."""
        entrant = cls(order, fork, order.assignment.limits.wall_s)
        entrant._processes[False] = fork(False)
        if RECORDING in order.assignment.deny.families:
            entrant._processes[True] = fork(True)
        return entrant

    def load(self) -> None:
        """Load the submission into the process that answers most of the cases.

        Raises:
            Dead: It cannot be judged.
        """
        self._load(False)

    def answer(self, case: Packed) -> list[wire.Frame]:
        """Ask all steps of a case.

        Raises:
            Dead: The process ended, or was ended, first.
        """
        process = self._load(case.records and True in self._processes)
        try:
            return [process.ask(wire.repack(step)) for step in case.steps]
        finally:
            self.left_s = process.left_s

    def end(self) -> dict[str, Any]:
        """End every process; return the CPU time of all and the memory of the largest."""
        infos = [process.end() for process in self._processes.values()]
        return {
            "cpu_s": sum(info["cpu_s"] for info in infos),
            "max_rss_kib": max(info["max_rss_kib"] for info in infos),
        }

    def output(self) -> str:
        """Return the beginning of what was printed, by whichever process printed first."""
        return next(filter(None, (process.output() for process in self._processes.values())), "")

    def _load(self, may_record: bool) -> Contestant:
        process = self._processes[may_record]
        process.left_s = self.left_s
        if may_record not in self._loaded:
            self._loaded.add(may_record)
            try:
                process.load(self.order.source)
            finally:
                self.left_s = process.left_s
        return process
