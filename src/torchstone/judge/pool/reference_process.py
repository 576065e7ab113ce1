"""Client of a job's reference process: cases, grades, misconceptions and shrinking."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from torchstone.judge.child.protocol import orders, wire
from torchstone.judge.child.protocol.encryption import new_key
from torchstone.judge.child.protocol.frames import ToReference
from torchstone.judge.child.protocol.orders import ReferenceOrder
from torchstone.judge.child.protocol.records import as_dict
from torchstone.judge.child.protocol.zygote_messages import JobSpec
from torchstone.judge.excerpt import excerpt
from torchstone.judge.mutation.mutants import Sight
from torchstone.judge.order import Assignment, Cancelled, JudgeFault
from torchstone.judge.pool.submission_process import Mode
from torchstone.judge.pool.submission_processes import Packed
from torchstone.judge.pool.zygotes import Job, Zygote, ZygoteDied
from torchstone.judge.process.channel import Channel, Ended, How, open_channel
from torchstone.judge.process.time_limit import Allowance
from torchstone.judge.replies import (
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

# Limit in seconds on the CPU time for one reply, and on idle time.
REPLY_SECONDS = 60.0
REFERENCE_CPU_SECONDS = 3600
# Enough for the largest answer and its float64 truth. A wrong variant that copies where a view is
# correct must fail here as in a submission, without exhausting the machine's memory.
REFERENCE_MEMORY_MIB = 4096
CASE_CAP = 1 << 30
OUTPUT_CAP = 1 << 20
# Each wrong variant leaves some memory allocated, about half a MiB per job. The CPU time limit
# covers the whole process, not one job.
MAX_JOBS = 50

R = TypeVar("R", bound=Reply)


@dataclass(slots=True)
class ReferenceProcess:
    """One reference process, which serves jobs of one problem one after the other."""

    key: str
    channel: Channel
    job: Job
    num_jobs: int = 0

    @property
    def is_worn(self) -> bool:
        """Return whether the process has served its maximum number of jobs and must be replaced."""
        return self.num_jobs >= MAX_JOBS

    @classmethod
    def fork(cls, zygote: Zygote, assignment: Assignment, *, slot: int) -> ReferenceProcess:
        """Fork a reference process from the zygote."""
        channel, fds = open_channel(output_cap=OUTPUT_CAP, blob_cap=CASE_CAP)
        spec = JobSpec(
            slot=slot,
            filter="reference",
            serve="source",
            mode="reference",
            runtime=None,
            writable=False,
            disk_mib=1,
            cpu_s=REFERENCE_CPU_SECONDS,
            memory_mib=REFERENCE_MEMORY_MIB,
            probe=None,
        )
        with channel.closed_on_error():
            return cls(assignment.content_hash, channel, zygote.fork(spec, fds))

    def open(
        self,
        folder: str,
        names: tuple[str, ...],
        seed: int,
        groups: tuple[str, ...] | None,
        key: bytes | None = None,
    ) -> tuple[tuple[str, int], ...]:
        """Load the problem; return the group and the index of every case.

        Args:
            folder: The folder of the problem, in the sandbox.
            names: Names that a submission defines.
            seed: The seed of the plan.
            groups: The groups that are judged; None for all of them.
            key: The key of the job; None if no submission answers the cases.
        """
        self.num_jobs += 1
        key = key or new_key()
        order = orders.Open(folder=folder, names=names, seed=seed, groups=groups or None, key=key)
        return self._ask(ToReference.OPEN, order, Opened).plan

    def ask_cases(self, at_most: int) -> None:
        """Request the next cases; ``take_cases`` returns them.

        The reference process makes them while the submission runs.
        """
        self._post(ToReference.MAKE, orders.Make(at_most=at_most))

    def take_cases(self) -> list[Packed]:
        """Return the requested cases, at least one, with packed requests."""
        return [self._packed(head) for head in self._reply(Made).cases]

    def post_answers(self, answered: Sequence[tuple[int, list[wire.Frame]]], at_most: int) -> None:
        """Send the answers to some cases; ``take_grades`` returns the grades.

        Args:
            answered: Index and answers of each case.
            at_most: Maximum number of cases to make next; take them after the grades.
        """
        counts = tuple((index, len(answers)) for index, answers in answered)
        buffers = _packed(ToReference.GRADE, orders.GradeAnswers(answered=counts))
        for _, answers in answered:
            buffers += _repacked(answers)
        if at_most:
            buffers += _packed(ToReference.MAKE, orders.Make(at_most=at_most))
        self._send(buffers)

    def take_grades(self) -> tuple[Graded, ...]:
        """Return the grades of the answers that ``post_answers`` sent."""
        return self._reply(Grades).grades

    def explain(self) -> Named:
        """Return the misconception with its number of cases, and the symptoms."""
        return self._ask(ToReference.NAME, orders.Bare(), Named)

    def begin_comparing(self, most: int | None = None) -> list[Packed]:
        """Return the cases that wrong variants must answer; empty if no comparison is possible.

        This is for variants that the reference cannot run; ``explain`` returns the result.

        Args:
            most: Maximum number of wrong cases, and no right ones; all cases if None.
        """
        made = self._ask(ToReference.COMPARABLE, orders.Comparable(most=most), Made)
        return [self._packed(head) for head in made.cases]

    def compare(self, name: str, answered: Sequence[list[wire.Frame]]) -> None:
        """Send the answers of a variant to the cases, in order from the first case."""
        order = orders.Compare(name=name, answered=tuple(map(len, answered)))
        buffers = _packed(ToReference.COMPARE, order)
        for answers in answered:
            buffers += _repacked(answers)
        self._send(buffers)

    def battery(self, seed: int, *, judged: bool = False) -> Battery:
        """Grade synthetic answers; see ``reference.battery``.

        Args:
            seed: The seed of the plan.
            judged: Whether to start from the answers of the last job. Otherwise the reference
                process runs the model solution.
        """
        return self._ask(ToReference.BATTERY, orders.TryBattery(seed=seed, judged=judged), Battery)

    def run_cells(self, cells: list[str]) -> str:
        """Execute the cells of an editorial; return the error, or an empty string.

        The cells may change the state of torch, such as the default dtype, so this process serves
        no job afterwards.
        """
        self.num_jobs = MAX_JOBS
        return self._ask(ToReference.EXECUTE, orders.Execute(cells=cells), Executed).wrong

    def observe(self, source: str | None) -> dict[int, Sight]:
        """Run a correct program; return the facts that ``reference.observation`` records.

        Args:
            source: The program; None if it was just judged as ``mutation.watching`` instruments it.
        """
        return dict(self._ask(ToReference.OBSERVE, orders.Observe(source=source), Seen).sights)

    def begin_shrinking(self, index: int, budget: int) -> tuple[Packed, SmallestFailure | None]:
        """Start to shrink a failing case.

        Return the requests of the first candidate, or the smallest case if no candidate is left.
        """
        order = orders.Shrink(index=index, budget=budget)
        return self._candidate(_packed(ToReference.SHRINK, order))

    def continue_shrinking(
        self, answers: list[wire.Frame], of_variant: Sequence[wire.Frame] = ()
    ) -> tuple[Packed, SmallestFailure | None]:
        """Send the answers to the candidate; return the next candidate, or the smallest case.

        Args:
            answers: Answers of the submission.
            of_variant: Answers of the named variant, if the reference cannot run it.
        """
        order = orders.Tried(num_answers=len(answers), num_of_variant=len(of_variant))
        head = _packed(ToReference.TRIED, order)
        return self._candidate(head + _repacked(answers) + _repacked(of_variant))

    def rest(self) -> None:
        """Make the process forget its job; there is no reply."""
        self._post(ToReference.REST, orders.Bare())
        # The output cap applies to each job separately.
        self.channel.written.clear()

    def end(self) -> None:
        """End the process and read the rest of its output."""
        self.job.kill()
        with contextlib.suppress(ZygoteDied):  # in that case the process ended with its zygote
            self.job.wait()
        self.channel.finish()

    def _candidate(self, buffers: list[Any]) -> tuple[Packed, SmallestFailure | None]:
        self._send(buffers)
        reply = self._reply(Candidate)
        return self._packed(reply), reply.smallest

    def _packed(self, head: CaseHead) -> Packed:
        steps = [self._frame() for _ in range(head.num_steps)]
        return Packed(steps, [Mode(mode) for mode in head.modes])

    def _ask(self, kind: ToReference, order: ReferenceOrder, reply: type[R]) -> R:
        self._post(kind, order)
        return self._reply(reply)

    def _post(self, kind: ToReference, order: ReferenceOrder) -> None:
        self._send(_packed(kind, order))

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


def _packed(kind: ToReference, order: ReferenceOrder) -> list[Any]:
    return wire.pack(kind, as_dict(order))


def _repacked(answers: Sequence[wire.Frame]) -> list[Any]:
    return [buffer for answer in answers for buffer in wire.repack(answer)]
