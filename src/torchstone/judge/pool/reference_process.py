"""Reference driver of a job: cases, grades, misconceptions and shrinking."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from torchstone.judge.child import wire
from torchstone.judge.child.frames import ToReference
from torchstone.judge.excerpt import excerpt
from torchstone.judge.messages import Misconception
from torchstone.judge.order import Assignment, Cancelled, JudgeFault
from torchstone.judge.pool.channel import Channel, Ended, How, open_channel
from torchstone.judge.pool.replies import (
    Battery,
    Candidate,
    CaseHead,
    Executed,
    Graded,
    Grades,
    Made,
    Named,
    Opened,
    Reply,
    Seen,
    SmallestFailure,
    read_reply,
)
from torchstone.judge.pool.submission_process import Mode
from torchstone.judge.pool.submission_processes import Packed
from torchstone.judge.pool.time_limit import Allowance
from torchstone.judge.pool.zygotes import Job, JobSpec, Zygote, ZygoteDied
from torchstone.judge.proof.mutants import Sight

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

R = TypeVar("R", bound=Reply)


@dataclass(slots=True)
class ReferenceProcess:
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
    def fork(cls, zygote: Zygote, assignment: Assignment, *, slot: int) -> ReferenceProcess:
        """Ask the reference zygote for a process."""
        channel, fds = open_channel(output_cap=OUTPUT_CAP, blob_cap=CASE_CAP)
        spec = JobSpec(
            slot=slot,
            filter="reference",
            serve="source",
            mode="reference",
            runtime=None,
            writable=False,
            cpu_s=REFERENCE_CPU_SECONDS,
            memory_mib=REFERENCE_MEMORY_MIB,
            probe=None,
        )
        with channel.closed_on_error():
            return cls(assignment.content_hash, channel, zygote.fork(spec, fds))

    def open(
        self, folder: str, names: tuple[str, ...], seed: int, groups: tuple[str, ...] | None
    ) -> tuple[tuple[str, int], ...]:
        """Open the problem; return group and number of every case."""
        self.num_jobs += 1
        order = {
            "folder": folder,
            "names": list(names),
            "seed": seed,
            "groups": list(groups) if groups else None,
        }
        return self._ask(ToReference.OPEN, order, Opened).plan

    def ask_cases(self, at_most: int) -> None:
        """Ask for the next cases, to be taken with ``take_cases``.

        So that they are made while the submission works.
        """
        self._post(ToReference.MAKE, {"at_most": at_most})

    def take_cases(self) -> list[Packed]:
        """Return the cases that were asked for, their requests still packed; one at least."""
        return [self._packed(head) for head in self._reply(Made).cases]

    def post_answers(self, answered: Sequence[tuple[int, list[wire.Frame]]], at_most: int) -> None:
        """Hand over the answers to some cases; the grades are taken with ``take_grades``.

        Args:
            answered: Number and answers of each case.
            at_most: How many cases to make afterwards; they are taken after the grades.
        """
        counts = [[index, len(answers)] for index, answers in answered]
        buffers = wire.pack(ToReference.GRADE, {"answered": counts})
        for _, answers in answered:
            buffers += _repacked(answers)
        if at_most:
            buffers += wire.pack(ToReference.MAKE, {"at_most": at_most})
        self._send(buffers)

    def take_grades(self) -> tuple[Graded, ...]:
        """Return the grades of the answers that were handed over."""
        return self._reply(Grades).grades

    def misconception(self) -> Misconception | None:
        """Return the name of the misconception and how many cases show it."""
        return self._ask(ToReference.NAME, {}, Named).misconception

    def begin_comparing(self) -> list[Packed]:
        """Return the cases to which wrong variants are to be put; none if there is nothing to tell.

        For variants that the reference cannot run itself; ``misconception`` tells what came of it.
        """
        return [self._packed(head) for head in self._ask(ToReference.COMPARABLE, {}, Made).cases]

    def compare(self, name: str, answered: Sequence[list[wire.Frame]]) -> None:
        """Hand over what a variant answers to the cases, from the first one on."""
        buffers = wire.pack(
            ToReference.COMPARE, {"name": name, "answered": [len(each) for each in answered]}
        )
        for answers in answered:
            buffers += _repacked(answers)
        self._send(buffers)

    def battery(self, seed: int, *, judged: bool = False) -> Battery:
        """Judge answers that nobody computed; see ``reference.battery``.

        Args:
            seed: Of the plan.
            judged: Start from the answers that were just judged, not from a model solution that the
                reference could run itself.
        """
        return self._ask(ToReference.BATTERY, {"seed": seed, "judged": judged}, Battery)

    def run_cells(self, cells: list[str]) -> str:
        """Execute the cells of an editorial; return what went wrong, or nothing.

        They may leave torch in another state, a default dtype say: nobody is judged here again.
        """
        self.num_jobs = MAX_JOBS
        return self._ask(ToReference.EXECUTE, {"cells": cells}, Executed).wrong

    def observe(self, source: str) -> dict[int, Sight]:
        """Run a right program; return what its statements give, see ``reference.observation``."""
        return dict(self._ask(ToReference.OBSERVE, {"source": source}, Seen).sights)

    def begin_shrinking(self, index: int, budget: int) -> tuple[Packed, SmallestFailure | None]:
        """Begin with a failing case.

        Return the requests of the first candidate, or the smallest case when there is none.
        """
        return self._candidate(wire.pack(ToReference.SHRINK, {"index": index, "budget": budget}))

    def continue_shrinking(
        self, answers: list[wire.Frame]
    ) -> tuple[Packed, SmallestFailure | None]:
        """Send the grade of the candidate; return the next candidate, or the smallest case."""
        told = wire.pack(ToReference.TRIED, {"num_answers": len(answers)})
        return self._candidate(told + _repacked(answers))

    def rest(self) -> None:
        """Let the process forget its job; nothing is answered."""
        self._post(ToReference.REST, {})
        # The cap on its output is one for each job.
        self.channel.written.clear()

    def end(self) -> None:
        """End the process and gather its last words."""
        self.job.kill()
        with contextlib.suppress(ZygoteDied):  # it ended with its zygote
            self.job.wait()
        self.channel.finish()

    def _candidate(self, buffers: list[Any]) -> tuple[Packed, SmallestFailure | None]:
        self._send(buffers)
        reply = self._reply(Candidate)
        return self._packed(reply), reply.smallest

    def _packed(self, head: CaseHead) -> Packed:
        steps = [self._frame() for _ in range(head.num_steps)]
        return Packed(steps, [Mode(mode) for mode in head.modes])

    def _ask(self, kind: ToReference, order: Mapping[str, object], reply: type[R]) -> R:
        self._post(kind, order)
        return self._reply(reply)

    def _post(self, kind: ToReference, order: Mapping[str, object]) -> None:
        self._send(wire.pack(kind, order))

    def _send(self, buffers: list[Any]) -> None:
        self._guard(lambda on_wait: self.channel.post(buffers, on_wait))

    def _reply(self, kind: type[R]) -> R:
        return read_reply(kind, self._frame().decode())

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
