"""Drive the reference side of a job: cases, grades, misconception, shrinking."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torchstone.judge.channel import Channel, Ended, How, open_channel
from torchstone.judge.child import wire
from torchstone.judge.contestant import Mode
from torchstone.judge.entrant import Packed
from torchstone.judge.excerpt import excerpt
from torchstone.judge.mutants import Sight
from torchstone.judge.order import Assignment, Cancelled, JudgeFault
from torchstone.judge.time_limit import Allowance
from torchstone.judge.zygotes import Job, Zygote, ZygoteDied

# Of CPU time, and of idle time.
REPLY_SECONDS = 60.0
REFERENCE_CPU_SECONDS = 3600
# Enough for the largest answer beside its float64 truth. A wrong variant that copies what should be
# a view has to fail here as it does in a submission, not to fill the machine for half a minute.
REFERENCE_MEMORY_MIB = 4096
CASE_CAP = 1 << 30
OUTPUT_CAP = 1 << 20
# Each wrong variant that is run leaves some memory behind, half a MiB a job in all; and the time of
# the processor is limited for the process, not for a job.
MAX_JOBS = 50


@dataclass(slots=True)
class Bench:
    """Hold one reference process; it may serve several jobs of one problem, one after the other."""

    key: str
    channel: Channel
    job: Job
    num_jobs: int = 0

    @property
    def is_worn(self) -> bool:
        """Return whether it has served long enough, and another is to take its place."""
        return self.num_jobs >= MAX_JOBS

    @classmethod
    def fork(cls, zygote: Zygote, assignment: Assignment, *, slot: int) -> Bench:
        """Ask the reference zygote for a process."""
        channel, fds = open_channel(output_cap=OUTPUT_CAP, blob_cap=CASE_CAP)
        spec = {
            "slot": slot,
            "filter": "reference",
            "serve": "source",
            "mode": "reference",
            "writable": False,
            "cpu_s": REFERENCE_CPU_SECONDS,
            "memory_mib": REFERENCE_MEMORY_MIB,
        }
        with channel.closed_on_error():
            return cls(assignment.content_hash, channel, zygote.fork(spec, fds))

    def open(
        self, folder: str, names: tuple[str, ...], seed: int, groups: tuple[str, ...] | None
    ) -> list[Any]:
        """Open the problem; return ``[group, index]`` of every case."""
        self.num_jobs += 1
        order = {
            "folder": folder,
            "names": list(names),
            "seed": seed,
            "groups": list(groups) if groups else None,
        }
        plan: list[Any] = self._ask(b"O", order)["plan"]
        return plan

    def ask_cases(self, at_most: int) -> None:
        """Ask for the next cases, to be taken with ``take_cases``.

        So that they are made while the submission works.
        """
        self._post(b"M", {"at_most": at_most})

    def take_cases(self) -> list[Packed]:
        """Return the cases that were asked for, their requests still packed; one at least."""
        return [self._packed(head) for head in self._reply()["cases"]]

    def post_answers(self, answered: Sequence[tuple[int, list[wire.Frame]]], at_most: int) -> None:
        """Hand over the answers to some cases; the grades are taken with ``take_grades``.

        Args:
            answered: Number and answers of each case.
            at_most: How many cases to make afterwards; they are taken after the grades.
        """
        counts = [[index, len(answers)] for index, answers in answered]
        buffers = wire.pack(b"G", {"answered": counts})
        for _, answers in answered:
            buffers += _repacked(answers)
        if at_most:
            buffers += wire.pack(b"M", {"at_most": at_most})
        self._send(buffers)

    def take_grades(self) -> list[dict[str, Any]]:
        """Return the grades of the answers that were handed over."""
        grades: list[dict[str, Any]] = self._reply()["grades"]
        return grades

    def misconception(self) -> dict[str, Any] | None:
        """Return the name of the misconception and how many cases show it."""
        found: dict[str, Any] | None = self._ask(b"W", {})["misconception"]
        return found

    def begin_comparing(self) -> list[Packed]:
        """Return the cases to which wrong variants are to be put; none if there is nothing to tell.

        For variants that the reference cannot run itself; ``misconception`` tells what came of it.
        """
        return [self._packed(head) for head in self._ask(b"N", {})["cases"]]

    def compare(self, name: str, answered: Sequence[list[wire.Frame]]) -> None:
        """Hand over what a variant answers to the cases, from the first one on."""
        buffers = wire.pack(b"K", {"name": name, "answered": [len(each) for each in answered]})
        for answers in answered:
            buffers += _repacked(answers)
        self._send(buffers)

    def battery(self, seed: int, *, judged: bool = False) -> dict[str, Any]:
        """Judge answers that nobody computed; see ``reference.battery``.

        Args:
            seed: Of the plan.
            judged: Start from the answers that were just judged, not from a model solution that the
                reference could run itself.
        """
        found: dict[str, Any] = self._ask(b"B", {"seed": seed, "judged": judged})
        return found

    def run_cells(self, cells: list[str]) -> str:
        """Execute the cells of an editorial; return what went wrong, or nothing.

        They may leave torch in another state, a default dtype say: nobody is judged here again.
        """
        self.num_jobs = MAX_JOBS
        wrong: str = self._ask(b"E", {"cells": cells})["wrong"]
        return wrong

    def observe(self, source: str) -> dict[int, Sight]:
        """Run a right program; return what its statements give, see ``reference.observation``."""
        rows = self._ask(b"V", {"source": source})["sights"]
        return {number: Sight(**sight) for number, sight in rows}

    def begin_shrinking(self, index: int, budget: int) -> tuple[Packed, dict[str, Any] | None]:
        """Begin with a failing case.

        Return the requests of the first candidate, or the smallest case when there is none.
        """
        return self._candidate(wire.pack(b"S", {"index": index, "budget": budget}))

    def continue_shrinking(self, answers: list[wire.Frame]) -> tuple[Packed, dict[str, Any] | None]:
        """Send the grade of the candidate; return the next candidate, or the smallest case."""
        told = wire.pack(b"T", {"num_answers": len(answers)})
        return self._candidate(told + _repacked(answers))

    def rest(self) -> None:
        """Let the process forget its job; nothing is answered."""
        self._post(b"Z", {})
        # The cap on its output is one for each job.
        self.channel.written.clear()

    def end(self) -> None:
        """End the process and gather its last words."""
        self.job.kill()
        with contextlib.suppress(ZygoteDied):  # it ended with its zygote
            self.job.wait()
        self.channel.finish()

    def _candidate(self, buffers: list[Any]) -> tuple[Packed, dict[str, Any] | None]:
        self._send(buffers)
        reply = self._reply()
        return self._packed(reply), reply.get("smallest")

    def _packed(self, head: dict[str, Any]) -> Packed:
        steps = [self._frame() for _ in range(head["num_steps"])]
        return Packed(steps, [Mode(mode) for mode in head["modes"]])

    def _ask(self, kind: bytes, order: dict[str, Any]) -> Any:
        self._post(kind, order)
        return self._reply()

    def _post(self, kind: bytes, order: dict[str, Any]) -> None:
        self._send(wire.pack(kind, order))

    def _send(self, buffers: list[Any]) -> None:
        self._guard(lambda on_wait: self.channel.post(buffers, on_wait))

    def _reply(self) -> dict[str, Any]:
        reply: dict[str, Any] = self._frame().decode()
        return reply

    def _frame(self) -> wire.Frame:
        frame: wire.Frame = self._guard(lambda on_wait: self.channel.exchange([], on_wait))
        return frame

    def _guard(self, step: Any) -> Any:
        try:
            return step(Allowance.of_judge(REPLY_SECONDS).watch(self.job.meter))
        except Ended as ended:
            if ended.how is How.CANCELLED:
                raise Cancelled from None
            self.end()
            words = excerpt(self.channel.written.decode(errors="replace"), max_chars=1500)
            raise JudgeFault(f"the reference process failed ({ended}): {words}") from None


def _repacked(answers: Sequence[wire.Frame]) -> list[Any]:
    return [buffer for answer in answers for buffer in wire.repack(answer)]
