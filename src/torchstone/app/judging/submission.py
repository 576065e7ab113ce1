"""Judge a file or a text: a trial run, the samples, or a recorded submission."""

import logging
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torchstone
from torchstone.app.home import Home
from torchstone.app.judging.plain_input import refuse_reference
from torchstone.app.judging.source import read_folder, read_source
from torchstone.bank import Problem, Words
from torchstone.bank.schema import Language
from torchstone.core.errors import BadInput, JudgeUnavailable, TorchstoneError
from torchstone.core.i18n import both
from torchstone.core.isolation import Isolation
from torchstone.core.verdict import Verdict
from torchstone.judge.events import (
    Accepted,
    CancelledEvent,
    Done,
    Evaluated,
    Event,
    Plan,
    Started,
    Starting,
)
from torchstone.judge.host.client import Client
from torchstone.judge.host.protocol import JobKind
from torchstone.judge.messages import (
    Misconception,
    Raised,
    Receipt,
    Report,
    Unexplained,
    plain,
    words_of,
)
from torchstone.judge.messages import Words as Sentence

JsonObject = dict[str, Any]
OnEvent = Callable[[Event], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedMisconception:
    """A misconception that the judge found, with the words of the bank.

    Args:
        name: The name of the wrong answer in the bank.
        cases: The number of cases with equal results.
        words: The explanation for the learner.
        alternatives: Other wrong answers of the bank with the same results.
        also: A wrong answer of the bank that explains other cases.
        also_words: The explanation of this one.
        unexplained: The cases in which something else is wrong.
    """

    name: str
    cases: int
    words: Words
    alternatives: tuple[str, ...] = ()
    also: str | None = None
    also_words: Words | None = None
    unexplained: Unexplained | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The result of judging one program.

    Args:
        problem: The problem.
        report: The judge's report.
        kind: ``"run"`` if only the samples were judged.
        submission: The id in the history; None if it is not recorded.
        receipt: The receipt, if the judge returned it directly.
        misconception: The misconception of the report; None if the bank has no words for it.
        plan: The planned groups of cases.
    """

    problem: Problem
    report: Report
    kind: JobKind = "submit"
    submission: str | None = None
    receipt: Receipt | None = None
    misconception: ExplainedMisconception | None = None
    plan: Plan = ()

    @property
    def verdict(self) -> Verdict:
        """Return the verdict."""
        return self.report.verdict

    @property
    def is_recorded_as_no_try(self) -> bool:
        """Return whether it is a submission of the history that does not count as a try."""
        is_submission = self.kind == "submit" and self.submission is not None
        return is_submission and not self.verdict.is_try

    @property
    def is_walled_in(self) -> bool:
        """Return whether the isolation was strong enough for other people's code."""
        return self.report.isolation.is_at_least(Isolation.NAMESPACES)

    def as_json(self) -> JsonObject:
        """Return the report as the command line prints it.

        The misconception has six public keys. Only this method splits it.
        """
        named, explained = self.report.misconception, self.misconception
        return {
            **plain(self.report),
            "kind": self.kind,
            "misconception": named.name if named else None,
            "misconception_cases": named.cases if named else None,
            "misconception_text": {"en": explained.words.en, "zh": explained.words.zh}
            if explained
            else None,
            "misconception_alternatives": list(named.alternatives) if named else [],
            "misconception_also": named.also if named else None,
            "misconception_unexplained": plain(named.unexplained)
            if named and named.unexplained
            else None,
            "submission": self.submission,
        }


def judge_file(
    home: Home,
    name: str,
    path: Path,
    on_event: OnEvent,
    *,
    groups: tuple[str, ...] | None = None,
) -> Judged:
    """Judge a file without changing the workspace or the progress.

    Args:
        home: The learner's home.
        name: The problem.
        path: The file, or the folder of a package.
        on_event: Called with every event of the judge.
        groups: The groups of cases to judge; all by default.
    """
    problem = home.problem(name)
    is_folder = problem.spec.language is Language.BUNDLE and path.is_dir()
    source = read_folder(path) if is_folder else read_source(path)
    return judge_text(home, problem, source, on_event, groups=groups)


def judge_text(
    home: Home,
    problem: Problem,
    source: str,
    on_event: OnEvent,
    *,
    groups: tuple[str, ...] | None = None,
    **options: Any,
) -> Judged:
    """Judge a text without a record; the options are those of ``Client.judge``."""
    options |= {"groups": list(groups)} if groups else {}
    options.setdefault("at_least", home.settings.isolation)
    client = home.client()
    _find_host(home, client, on_event)
    followed = _follow(client.judge(problem.id, source, **options), on_event)
    return judged_from(
        problem,
        followed.report,
        kind="run" if groups else "submit",
        receipt=followed.receipt,
        plan=followed.plan,
    )


def submit(home: Home, name: str, source: str, on_event: OnEvent, *, kind: JobKind) -> Judged:
    """Submit a program for the record; an interrupt cancels the job.

    Args:
        home: The learner's home.
        name: The problem.
        source: The submitted text.
        on_event: Called with every event of the judge.
        kind: ``"submit"``, which counts as an attempt, or ``"run"``: the samples only.
    """
    problem = home.problem(name)
    client = home.client()
    _find_host(home, client, on_event)
    home.require_isolation(client)
    jobs: list[str] = []

    def note(event: Event) -> None:
        # A client that sends the request again gets the acknowledgement again.
        if isinstance(event, Accepted) and event.job not in jobs:
            jobs.append(event.job)
        on_event(event)

    try:
        followed = _follow(client.submit(problem.id, source, kind=kind), note, jobs)
    except KeyboardInterrupt:
        for job in jobs:
            client.cancel(job)
        raise
    return judged_from(problem, followed.report, kind=kind, submission=jobs[0], plan=followed.plan)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Followed:
    report: Report
    receipt: Receipt | None
    plan: Plan


def require_host(home: Home, client: Client) -> bool:
    """Return whether a host runs already, and check that it serves this bank.

    Raises:
        JudgeUnavailable: The running host has another version or serves another bank.
    """
    status = client.status()
    if status is None:
        return False
    # An older host may not report which bank it serves; it counts as different.
    if (status.version, status.bank) != (torchstone.__version__, str(home.bank_root)):
        raise JudgeUnavailable("app.other_host", version=status.version, bank=status.bank)
    return True


def _find_host(home: Home, client: Client, on_event: OnEvent) -> None:
    """Report that a host has to start, if none runs."""
    if not require_host(home, client):
        on_event(Starting())


def _follow(
    events: Generator[Event, None, None], on_event: OnEvent, jobs: Sequence[str] = ()
) -> _Followed:
    """Pass every event on, and keep the plan and the last event."""
    plan: Plan = ()
    for event in events:
        on_event(event)
        if isinstance(event, Started):
            plan = event.plan
        if isinstance(event, Done) and event.report is not None:
            return _Followed(report=event.report, receipt=event.receipt, plan=plan)
        if isinstance(event, CancelledEvent):
            raise BadInput("app.cancelled", job="".join(jobs))
    raise JudgeUnavailable("app.host_left")


def judged_from(
    problem: Problem,
    report: Report,
    *,
    kind: JobKind = "submit",
    submission: str | None = None,
    receipt: Receipt | None = None,
    plan: Plan = (),
) -> Judged:
    """Combine a report with the words of the bank."""
    return Judged(
        problem=problem,
        report=report,
        kind=kind,
        submission=submission,
        receipt=receipt,
        misconception=explain_misconception(problem, report.misconception),
        plan=plan or plan_of(report),
    )


def explain_misconception(
    problem: Problem, found: Misconception | None
) -> ExplainedMisconception | None:
    """Add the words of the bank to a misconception; None if the bank does not contain it."""
    if found is None:
        return None
    words = {wrong.name: wrong.words for wrong in problem.wrong}
    named = words.get(found.name)
    if named is None:
        return None
    return ExplainedMisconception(
        name=found.name,
        cases=found.cases,
        words=named,
        alternatives=tuple(name for name in found.alternatives if name in words),
        also=found.also if found.also in words else None,
        also_words=words.get(found.also or ""),
        unexplained=found.unexplained,
    )


def plan_of(report: Report) -> Plan:
    """Return the groups of the judged cases, in place of a plan that was not kept."""
    return tuple(Counter(case.group for case in report.cases).items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """The result of a call on the learner's own input.

    Args:
        text: The value, as text; None if there is none.
        error: The raised exception, with its line.
        detail: The reason why there is no answer, in both languages.
        stdout: The printed text.
        expected: The value that the reference returns for the same input; None if there is none.
        no_expected: The reason why there is no expected value, in both languages.
    """

    problem: str
    expression: str
    text: str | None
    error: Raised | None
    detail: Sentence | None
    stdout: str
    expected: str | None
    no_expected: Sentence | None


def try_input(
    home: Home, problem: Problem, source: str, expression: str, on_event: OnEvent
) -> Tried:
    """Evaluate an expression with a solution in the sandbox, without comparison or record.

    Args:
        home: The learner's home.
        problem: The problem whose limits and bans apply.
        source: The solution.
        expression: A Python expression that can use the names of the solution.
        on_event: Called if the judge has to start first.
    """
    client = home.client()
    _find_host(home, client, on_event)
    home.require_isolation(client)
    found = client.evaluate(problem.id, source, expression)
    why = refuse_reference(problem, expression)
    expected = None
    if why is None:
        try:
            expected = client.evaluate(problem.id, problem.solution.source, expression)
        except TorchstoneError as error:
            # The value of the own program is here, and stays.
            why = note_failed_reference(problem, error)
    return tried_from(problem, expression, found, expected=expected, why=why)


def note_failed_reference(problem: Problem, error: TorchstoneError) -> str:
    """Log why the reference gave no answer, and return the key of the sentence that says so."""
    logging.getLogger(__name__).warning("The reference of %s did not run: %s", problem.id, error)
    return "failed"


def tried_from(
    problem: Problem,
    expression: str,
    found: Evaluated,
    *,
    expected: Evaluated | None,
    why: str | None,
) -> Tried:
    """Convert the judge's answers to the result of the expression.

    Args:
        problem: The problem.
        expression: The own input.
        found: The answer for the learner's text.
        expected: The answer for the model solution; neither its output nor its lines are taken.
        why: The reason why there is none; see ``refuse_reference``.
    """
    value = expected.text if expected else None
    if expected and expected.error:
        value = expected.error.type
    elif expected and expected.detail:
        why = "limit"
    return Tried(
        problem=problem.id,
        expression=expression,
        text=found.text,
        error=found.error,
        detail=found.detail,
        stdout=found.stdout,
        expected=value,
        no_expected=words_of(both(f"app.expected.{why}")) if why else None,
    )
