"""Supervisor of one submission: dispatch cases, relay answers, limit time, decide the verdict.

The supervisor never imports torch and never trusts the submission. It relays bytes between two
sandboxes. The reference process receives only complete answers, and returns their errors against
the truth. While the submission answers one case, the reference process grades the previous case and
makes the next.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from msgspec.structs import asdict, replace

from torchstone.bank.schema import Package
from torchstone.core.isolation import Isolation
from torchstone.judge.build.build_service import BuildService
from torchstone.judge.build.compiler_client import CompilerClient, refused_by_nvcc
from torchstone.judge.child.protocol.encryption import new_key
from torchstone.judge.child.protocol.payloads import Payload
from torchstone.judge.child.protocol.zygote_messages import Bans
from torchstone.judge.events import (
    Case,
    Emit,
    Interrupted,
    MisconceptionFound,
    SmallestFound,
    Stage,
    StageReached,
    Started,
    VerdictReached,
    now_ms,
)
from torchstone.judge.messages import CaseResult, NativeReport, Report, spell
from torchstone.judge.order import Dead, Findings, JudgeFault, Order
from torchstone.judge.pool.due_replies import Answered, DueReplies
from torchstone.judge.pool.payload import bans_of, payload_of
from torchstone.judge.pool.reference_process import ReferenceProcess
from torchstone.judge.pool.shrinking import shrink
from torchstone.judge.pool.submission_process import Mode, SubmissionProcess
from torchstone.judge.pool.submission_processes import SubmissionProcesses
from torchstone.judge.pool.variants import Runner, compare_variants
from torchstone.judge.pool.zygotes import Zygote, ZygoteDied
from torchstone.judge.replies import Graded
from torchstone.judge.report import (
    build_report,
    can_be_shown,
    decide,
    shown_case,
    symptoms_of,
)

# The first stage of a job; a submission that is not in the table is compiled.
_FIRST_STAGES: dict[type, Stage] = {type(None): Stage.PREPARING, Package: Stage.PACKAGING}
# A case that takes longer in ms is graded while the next one runs, not in a batch.
BATCHED_MS = 50.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JobWorkers:
    """Services that a job uses.

    Attributes:
        template: Returns the zygote that forks processes with these bans; None for native code.
        build_service: Builds native submissions.
        take_reference: Returns a reference process for the job's problem, an idle one if possible.
        return_reference: Takes back a reference process that still works.
        problem_folder: Returns the problem's folder in the sandbox of the reference process.
        num_oom_kills: Returns the number of processes of this slot that the kernel killed because
            their cgroup was out of memory.
        slot: The number of this slot; jobs that run at once have different slots.
        isolation: The isolation level of both zygotes.
    """

    template: Callable[[Bans | None], Zygote]
    build_service: BuildService
    take_reference: Callable[[Order, int], ReferenceProcess]
    return_reference: Callable[[ReferenceProcess], None]
    problem_folder: Callable[[Order], str]
    num_oom_kills: Callable[[], int]
    slot: int
    isolation: Isolation


@dataclass(slots=True)
class Supervisor:
    """Supervisor of one order; create one for each job.

    ``cancel`` may be called from another thread at any time.
    """

    order: Order
    workers: JobWorkers
    emit: Emit
    accepted_at: float = field(default_factory=time.monotonic)
    _key: bytes = field(default_factory=new_key)
    _findings: Findings = field(default_factory=Findings)
    _report: Report | None = None
    _stage: Stage | None = None
    _cancelled: bool = False
    _submission_processes: list[SubmissionProcess] = field(default_factory=list)
    _reference_process: ReferenceProcess | None = None
    _compiler: CompilerClient | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def cancel(self) -> None:
        """Cancel the job; its processes end at once."""
        with self._lock:
            self._cancelled = True
            others = [each for each in (self._reference_process, self._compiler) if each]
            for side in (*self._submission_processes, *others):
                side.channel.cancelled = True

    def run(self, then: Callable[[ReferenceProcess], None] | None = None) -> Report:
        """Judge, emit the events, and return the report.

        Args:
            then: Called with the reference process at the end of the job.

        Raises:
            Cancelled: ``cancel`` was called.
            JudgeFault: The judge failed.
            ZygoteDied: A zygote ended during the job.
        """
        self._report = None
        self._reach(_FIRST_STAGES.get(type(self.order.assignment.recipe), Stage.COMPILING))
        try:
            with self._built(), self._reference() as reference:
                report = self._report = self._decide(reference)
                if self.order.explain and can_be_shown(self.order, report.verdict):
                    self._explain(reference, report)
                if then is not None:
                    then(reference)
        except (JudgeFault, ZygoteDied) as fault:
            if self._report is None:
                raise
            # The verdict is already emitted. A failed explanation does not change it.
            warnings.warn(f"no explanation: {fault}", RuntimeWarning, stacklevel=1)
        return self._report

    def _decide(self, reference: ReferenceProcess) -> Report:
        self._attempt(reference)
        if self._findings.outcome is not None and self._findings.outcome.is_idle:
            # Either the submission waits forever or the machine stalled; a second attempt decides.
            self.emit(Interrupted(reason=self._findings.outcome.detail["en"]))
            self._findings = Findings()
            self._attempt(reference)
        card = None
        if self._compiler and self.order.assignment.native and decide(self._findings).code == "AC":
            self._reach(Stage.CARD)
            card = self._compiler.ask_nvcc()
            if card is not None and card.error is not None:
                self._findings.outcome = refused_by_nvcc(card.error)
        elapsed = (time.monotonic() - self.accepted_at) * 1e3
        report = build_report(self.order, self._findings, self.workers.isolation, elapsed)
        if self._compiler is not None and report.native is not None:
            native = replace(self._locate(self._compiler, report.native), nvcc=card)
            report = replace(report, native=native)
        self.emit(VerdictReached(report=report))
        return report

    def _attempt(self, reference: ReferenceProcess) -> None:
        """Judge every case in new processes of the submission."""
        processes = self._enter()
        try:
            self._judge(reference, processes)
        finally:
            processes.end()
            self._findings.stdout = self._findings.stdout or processes.output()

    @contextmanager
    def _built(self) -> Iterator[None]:
        """Start the build of a native submission; the job continues while the build runs."""
        if self.order.assignment.recipe is None:
            yield
            return
        compiler = self.workers.build_service.start(self.order)
        with self._lock:
            self._compiler = compiler
            compiler.channel.cancelled = self._cancelled
        is_whole = False
        try:
            yield
            is_whole = True
        finally:
            with self._lock:
                self._compiler = None
            self.workers.build_service.finish(compiler, is_whole=is_whole)

    def _enter(self) -> SubmissionProcesses:
        return SubmissionProcesses.enter(self.order, self._fork, self._payload)

    def _payload(self, mode: Mode) -> Payload:
        built = None if self._compiler is None else self._compiler.built()
        if self._stage is not Stage.EXPLAINING:
            self._reach(Stage.RUNNING)
        return payload_of(self.order.assignment, self.order.source, mode, built)

    def _locate(self, compiler: CompilerClient, shown: NativeReport) -> NativeReport:
        """Add the findings and the counters with their source lines."""
        case, native = decide(self._findings).case, self._findings.native
        if case is not None and (found := native.get(case.index)) is not None and found.findings:
            explained = compiler.explain(found.build, findings=[found.findings])
            shown = replace(
                shown, found=explained.found, drawn=explained.drawn, hazards=explained.hazards
            )
        counted = [found for found in native.values() if found.counters]
        if counted:
            texts = [found.counters for found in counted]
            explained = compiler.explain(counted[0].build, counters=texts)
            shown = replace(shown, counters=explained.counters, profile=explained.profile)
        return shown

    @contextmanager
    def _reference(self) -> Iterator[ReferenceProcess]:
        reference = self.workers.take_reference(self.order, self.workers.slot)
        with self._lock:
            self._reference_process = reference
            reference.channel.cancelled = self._cancelled
        try:
            yield reference
        except BaseException:
            reference.end()
            raise
        finally:
            # Another job may use this process next; a late `cancel` must not reach that job.
            with self._lock:
                self._reference_process = None
        self.workers.return_reference(reference)

    def _fork(self, mode: Mode) -> SubmissionProcess:
        assignment = self.order.assignment
        runtimes = self.workers.build_service.runtimes() if assignment.unit is not None else {}
        submission_process = SubmissionProcess.fork(
            self.workers.template(bans_of(assignment, mode)),
            assignment,
            slot=self.workers.slot,
            key=self._key,
            mode=mode,
            num_oom_kills=self.workers.num_oom_kills,
            # A kernel called from a Python submission runs at full speed in every process.
            runtime=runtimes.get(mode, runtimes.get("fast")),
        )
        with self._lock:
            self._submission_processes.append(submission_process)
            submission_process.channel.cancelled = self._cancelled
        return submission_process

    def _judge(self, reference: ReferenceProcess, processes: SubmissionProcesses) -> None:
        names, order, findings = self.order.assignment.names, self.order, self._findings
        folder = self.workers.problem_folder(order)
        plan = reference.open(folder, names, order.seed, order.groups, self._key)
        findings.plan = list(plan)
        sizes = Counter(group for group, _ in plan)
        self.emit(Started(isolation=self.workers.isolation, plan=tuple(sizes.items())))
        due = DueReplies(reference, len(plan), self._note)
        due.ask(at_most=1)
        try:
            try:
                processes.load()
            finally:
                due.take()
            self._run_cases(processes, due)
        except Dead as dead:
            findings.outcome = dead.outcome
        info = processes.end()
        findings.max_rss_kib, findings.cpu_s = info.max_rss_kib, info.cpu_s

    def _run_cases(self, processes: SubmissionProcesses, due: DueReplies) -> None:
        """Judge the cases, so that submission and reference process work at the same time.

        The submission gets a case when its answer to the previous case is complete. The reference
        process makes and grades small cases in batches: while the submission answers one batch, it
        grades the previous batch and makes the next. After a slow case it grades the answers so
        far, so that their grades are shown at once. The supervisor takes all pending replies before
        it sends more, so the two never block on each other's full sockets.
        """
        last = len(self._findings.plan) - 1
        answered: list[Answered] = []
        due.ask()
        begun = time.monotonic()
        try:
            self._begin_case(processes, due)
            for position in range(last):
                answers = processes.finish()
                now = time.monotonic()
                answered.append(Answered(position, answers, (now - begun) * 1e3))
                is_slow = answered[-1].ms > BATCHED_MS
                begun = now
                is_batch_over = not due.cases
                if is_batch_over:
                    due.refill()
                    if self._is_decided():
                        return
                self._begin_case(processes, due)
                if is_slow or is_batch_over:
                    due.post(answered)
                    answered = []
                if is_slow:
                    due.take()
                    if self._is_decided():
                        return
            answers = processes.finish()
            answered.append(Answered(last, answers, (time.monotonic() - begun) * 1e3))
            # Ending a process takes time, in which the last cases are graded.
            processes.dismiss()
        except Dead:
            # The answers before the end of the process still count.
            due.post(answered)
            due.take()
            raise
        due.post(answered)
        due.take()

    def _begin_case(self, processes: SubmissionProcesses, due: DueReplies) -> None:
        processes.begin(due.cases.popleft())
        if due.cases:
            processes.prepare(due.cases[0])

    def _is_decided(self) -> bool:
        """Return whether no further cases are to be judged."""
        return self._findings.is_late or (self.order.first_only and bool(self._findings.details))

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
        self._findings.add(index, graded)
        self.emit(case)

    def _reach(self, stage: Stage) -> None:
        if stage is not self._stage:
            self._stage = stage
            self.emit(StageReached(stage=stage, at_ms=now_ms()))

    def _explain(self, reference: ReferenceProcess, report: Report) -> None:
        self._reach(Stage.EXPLAINING)
        case = decide(self._findings).case
        runner = Runner(self.order, self._fork, self.workers.build_service, self._compiler)
        payloads = compare_variants(reference, runner, case)
        named = reference.explain()
        found, symptoms = named.misconception, symptoms_of(named)
        report = self._report = replace(report, misconception=found, symptoms=symptoms)
        self.emit(MisconceptionFound(misconception=found, symptoms=symptoms))
        shown = shown_case(self.order, self._findings, case, named.case)
        if shown is not None:
            # Only a variant that the reference process cannot run has a payload.
            variant = [payloads[named.program]] if named.program in payloads else []
            smallest = shrink(reference, shown, self.order, self._fork, self._payload, *variant)
            report = self._report = replace(report, smallest=smallest)
        self.emit(SmallestFound(smallest=report.smallest))
