"""Judge one submission: hand out cases, relay answers, keep the clock, decide the verdict.

The supervisor never imports torch and never trusts the submission: it relays bytes between two
sandboxes, in lock-step, and the reference, which has seen the answer only after it was complete,
says how far it is from the truth. While the submission works on one case the reference grades the
one before and makes the next.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec.structs import asdict, replace

from torchstone.core.isolation import Isolation
from torchstone.judge.build.builder import Smith, Smithy, refused_by_nvcc
from torchstone.judge.child import wire
from torchstone.judge.events import (
    Case,
    Emit,
    Interrupted,
    MisconceptionFound,
    SmallestFound,
    Started,
    VerdictReached,
)
from torchstone.judge.messages import CaseResult, NativeReport, Report, Smallest, spell
from torchstone.judge.order import Findings, JudgeFault, Order
from torchstone.judge.pool.payload import Bans, Payload, bans_of, payload_of
from torchstone.judge.pool.reference_process import Bench
from torchstone.judge.pool.replies import Graded
from torchstone.judge.pool.submission_process import Contestant, Dead, Mode
from torchstone.judge.pool.submission_processes import Entrant, Packed
from torchstone.judge.pool.variants import compare_variants
from torchstone.judge.pool.zygotes import Zygote, ZygoteDied
from torchstone.judge.report import build_report, decide, smallest_of

# Cases that the reference makes or grades in one go, unless they are large.
MOST_AT_ONCE = 8
SHRINK_BUDGET = 20
# Of CPU time, and of idle time.
SHRINK_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Crew:
    """Name who works on a job.

    Attributes:
        stem: Gives the zygote from which processes with some bans are forked; native code has none.
        smithy: Builds native submissions.
        take_bench: Gives a reference process for the job's problem, warm if there is one.
        return_bench: Takes it back when it is still good.
        problem_folder: Where the reference sandbox sees the problem of an order.
        num_oom_kills: Counts the processes of this worker that the kernel killed because their
            control group was out of memory.
        slot: The number of this worker; jobs that run at once have different ones.
        isolation: The level that both zygotes reached.
    """

    stem: Callable[[Bans | None], Zygote]
    smithy: Smithy
    take_bench: Callable[[Order, int], Bench]
    return_bench: Callable[[Bench], None]
    problem_folder: Callable[[Order], str]
    num_oom_kills: Callable[[], int]
    slot: int
    isolation: Isolation


@dataclass(slots=True)
class Supervisor:
    """Judge one order; create one for each job.

    ``cancel`` may be called from another thread at any time.
    """

    order: Order
    crew: Crew
    emit: Emit
    accepted_at: float = field(default_factory=time.monotonic)
    _findings: Findings = field(default_factory=Findings)
    _report: Report | None = None
    _cancelled: bool = False
    _contestants: list[Contestant] = field(default_factory=list)
    _bench: Bench | None = None
    _smith: Smith | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def cancel(self) -> None:
        """Cancel the job; its processes end at once."""
        with self._lock:
            self._cancelled = True
            sides: list[Contestant | Bench | Smith | None]
            sides = [*self._contestants, self._bench, self._smith]
            for side in sides:
                if side is not None:
                    side.channel.cancelled = True

    def run(self, then: Callable[[Bench], None] | None = None) -> Report:
        """Judge and return the report; events are emitted on the way.

        Args:
            then: Asks the reference something more about the job, at its end.

        Raises:
            Cancelled: ``cancel`` was called.
            JudgeFault: The judge failed.
            ZygoteDied: A zygote ended under the job.
        """
        self._report = None
        try:
            with self._built(), self._reference() as bench:
                report = self._report = self._decide(bench)
                if self.order.explain and report.verdict.can_be_shrunk:
                    self._explain(bench, report)
                if then is not None:
                    then(bench)
        except (JudgeFault, ZygoteDied) as fault:
            if self._report is None:
                raise
            # The verdict is known and told; that it cannot be explained does not change it.
            warnings.warn(f"no explanation: {fault}", RuntimeWarning, stacklevel=1)
        return self._report

    def _decide(self, bench: Bench) -> Report:
        self._attempt(bench)
        if self._findings.outcome is not None and self._findings.outcome.is_idle:
            # Nobody knows yet whether it waits for ever or the machine stood still.
            self.emit(Interrupted(reason=self._findings.outcome.detail["en"]))
            self._findings = Findings()
            self._attempt(bench)
        told = None
        is_cuda = self.order.assignment.native is not None
        if self._smith is not None and is_cuda and decide(self._findings).code == "AC":
            told = self._smith.ask_nvcc()
            if told is not None and told.error is not None:
                self._findings.outcome = refused_by_nvcc(told.error)
        elapsed = (time.monotonic() - self.accepted_at) * 1e3
        report = build_report(self.order, self._findings, self.crew.isolation, elapsed)
        if self._smith is not None and report.native is not None:
            native = replace(self._locate(self._smith, report.native), nvcc=told)
            report = replace(report, native=native)
        self.emit(VerdictReached(report=report))
        return report

    def _attempt(self, bench: Bench) -> None:
        """Judge every case in processes of their own."""
        entrant = self._enter()
        try:
            self._judge(bench, entrant)
        finally:
            entrant.end()
            self._findings.stdout = self._findings.stdout or entrant.output()

    @contextmanager
    def _built(self) -> Iterator[None]:
        """Have the submission built, if it is one that is; everything else begins meanwhile."""
        if self.order.assignment.recipe is None:
            yield
            return
        smith = self.crew.smithy.start(self.order)
        with self._lock:
            self._smith = smith
            smith.channel.cancelled = self._cancelled
        is_whole = False
        try:
            yield
            is_whole = True
        finally:
            with self._lock:
                self._smith = None
            self.crew.smithy.finish(smith, is_whole=is_whole)

    def _enter(self, *, at_most: float = float("inf")) -> Entrant:
        return Entrant.enter(self.order, self._fork, self._payload, at_most=at_most)

    def _payload(self, mode: Mode) -> Payload:
        built = None if self._smith is None else self._smith.built()
        return payload_of(self.order.assignment, self.order.source, mode, built)

    def _locate(self, smith: Smith, shown: NativeReport) -> NativeReport:
        """Fill in the lines of the findings and their counters."""
        case, native = decide(self._findings).case, self._findings.native
        if case is not None and (found := native.get(case.index)) is not None and found.findings:
            told = smith.explain(found.build, findings=[found.findings])
            shown = replace(shown, found=told.found, drawn=told.drawn)
        counted = [found for found in native.values() if found.counters]
        if counted:
            texts = [found.counters for found in counted]
            told = smith.explain(counted[0].build, counters=texts)
            shown = replace(shown, counters=told.counters, profile=told.profile)
        return shown

    @contextmanager
    def _reference(self) -> Iterator[Bench]:
        bench = self.crew.take_bench(self.order, self.crew.slot)
        with self._lock:
            self._bench = bench
            bench.channel.cancelled = self._cancelled
        try:
            yield bench
        except BaseException:
            bench.end()
            raise
        finally:
            # From here on it may be another job's, which a late `cancel` must not meet.
            with self._lock:
                self._bench = None
        self.crew.return_bench(bench)

    def _fork(self, mode: Mode) -> Contestant:
        assignment = self.order.assignment
        runtimes = self.crew.smithy.runtimes() if assignment.unit is not None else {}
        contestant = Contestant.fork(
            self.crew.stem(bans_of(assignment, mode)),
            assignment,
            slot=self.crew.slot,
            mode=mode,
            num_oom_kills=self.crew.num_oom_kills,
            # A kernel that is called from Python runs at full speed in every process.
            runtime=runtimes.get(mode, runtimes.get("fast")),
        )
        with self._lock:
            self._contestants.append(contestant)
            contestant.channel.cancelled = self._cancelled
        return contestant

    def _judge(self, bench: Bench, entrant: Entrant) -> None:
        names, order, findings = self.order.assignment.names, self.order, self._findings
        plan = bench.open(self.crew.problem_folder(order), names, order.seed, order.groups)
        findings.plan = list(plan)
        sizes = Counter(group for group, _ in plan)
        self.emit(Started(isolation=self.crew.isolation, plan=tuple(sizes.items())))
        due = _Due(self, bench)
        due.ask(at_most=1)
        try:
            try:
                entrant.load()
            finally:
                due.take()
            self._run_cases(entrant, due)
        except Dead as dead:
            findings.outcome = dead.outcome
        info = entrant.end()
        findings.max_rss_kib, findings.cpu_s = info.max_rss_kib, info.cpu_s

    def _run_cases(self, entrant: Entrant, due: _Due) -> None:
        """Judge case by case, with both sides at work all the time.

        The submission gets a case as soon as its answer to the one before is whole. The reference
        makes and grades small cases several at a time: while one batch is answered, it grades the
        one before and makes the one after. What it owes is always taken before more is sent to it,
        so the two never wait for each other's full sockets.
        """
        num_cases = len(self._findings.plan)
        answered: list[Answered] = []
        due.ask()
        begun = time.monotonic()
        try:
            entrant.begin(due.cases.popleft())
            for position in range(num_cases):
                answers = entrant.finish()
                now = time.monotonic()
                answered.append(Answered(position, answers, (now - begun) * 1e3))
                begun = now
                if position + 1 == num_cases:
                    # Its processes take a while to go; they may while the last cases are graded.
                    entrant.dismiss()
                elif due.cases:
                    entrant.begin(due.cases.popleft())
                else:
                    due.take()
                    if self.order.first_only and self._findings.details:
                        return
                    entrant.begin(due.cases.popleft())
                    due.post(answered)
                    answered = []
        except Dead:
            # What it answered before counts all the same.
            due.post(answered)
            due.take()
            raise
        due.post(answered)
        due.take()

    def _note(self, answered: Answered, graded: Graded) -> None:
        group, index = self._findings.plan[answered.position]
        case = Case(
            index=index,
            group=group,
            code=graded.code,
            aspect=graded.aspect,
            ratio=None if graded.ratio is None else spell(graded.ratio),
            ms=round(answered.ms, 3),
        )
        self._findings.cases.append(CaseResult(**asdict(case)))
        if graded.findings:
            self._findings.details[index] = graded.findings
        if graded.native is not None:
            self._findings.native[index] = graded.native
        self._findings.stars += graded.stars
        self.emit(case)

    def _explain(self, bench: Bench, report: Report) -> None:
        if self._smith is not None:
            compare_variants(bench, self._smith, self.crew.smithy, self._fork)
        found = bench.misconception()
        report = self._report = replace(report, misconception=found)
        self.emit(MisconceptionFound(misconception=found))
        decision = decide(self._findings)
        if decision.case is not None and decision.case.code.can_be_shrunk:
            smallest = self._shrink(bench, decision.case.index)
            report = self._report = replace(report, smallest=smallest)
        self.emit(SmallestFound(smallest=report.smallest))

    def _shrink(self, bench: Bench, index: int) -> Smallest:
        entrant = self._enter(at_most=SHRINK_SECONDS)
        alive = True
        try:
            case, smallest = bench.begin_shrinking(index, SHRINK_BUDGET)
            try:
                entrant.load()
            except Dead:
                alive = False
            while smallest is None:
                answers: list[wire.Frame] = []
                try:
                    if alive:
                        answers = entrant.answer(case)
                except Dead:
                    alive = False
                case, smallest = bench.continue_shrinking(answers)
        finally:
            entrant.end()
        return smallest_of(smallest)


class Answered(NamedTuple):
    """Hold what a case got, until it is graded."""

    position: int
    answers: list[wire.Frame]
    ms: float


@dataclass(slots=True)
class _Due:
    """Remember what the reference owes, in the order in which it will come.

    Attributes:
        cases: Those that were taken and not yet begun.
    """

    supervisor: Supervisor
    bench: Bench
    cases: deque[Packed] = field(default_factory=deque)
    _num_made: int = 0
    _owed: deque[list[Answered] | None] = field(default_factory=deque)

    def ask(self, at_most: int = MOST_AT_ONCE) -> None:
        """Ask for the next cases, if there are any."""
        if self._num_made < len(self.supervisor._findings.plan):
            self.bench.ask_cases(at_most)
            self._owed.append(None)

    def post(self, answered: list[Answered]) -> None:
        """Hand over answers to be graded, and ask for the cases after the next."""
        if not answered:
            return
        self.take()
        more = self._num_made < len(self.supervisor._findings.plan)
        pairs = [(each.position, each.answers) for each in answered]
        self.bench.post_answers(pairs, MOST_AT_ONCE if more else 0)
        self._owed += [answered, None] if more else [answered]

    def take(self) -> None:
        """Take everything that is owed."""
        while self._owed:
            answered = self._owed.popleft()
            if answered is None:
                cases = self.bench.take_cases()
                self._num_made += len(cases)
                self.cases += cases
                continue
            for each, graded in zip(answered, self.bench.take_grades(), strict=True):
                self.supervisor._note(each, graded)
