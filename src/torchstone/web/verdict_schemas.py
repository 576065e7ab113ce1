"""Response schemas of submissions: the report, and the events while judging.

The schemas of the judge's messages are derived from ``judge.messages`` and ``judge.events``.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import Field, StringConstraints

from torchstone.judge import events, messages
from torchstone.web.bench_schemas import Spans
from torchstone.web.progress_schemas import NextProblem, SubmissionLine
from torchstone.web.schema_derivation import derive
from torchstone.web.schemas import ApiModel, ReviewNote, Text, Words

Plan = list[tuple[str, int]]


class Hand(ApiModel):
    """A program to judge.

    Args:
        kind: ``submit`` counts as an attempt; ``run`` judges the samples only.
        key: A key that the client draws once for each submission; the same key means the same
            submission.
        spans: The work that has not been sent yet.
    """

    source: Text
    spans: Spans = Field(default_factory=list)
    kind: Literal["submit", "run"] = "submit"
    key: Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z-]{8,100}$")]


class Accepted(ApiModel):
    """The response to a stored submission; its events can be followed."""

    id: str


class Cancelled(ApiModel):
    """Whether the submission was cancelled."""

    cancelled: bool


if TYPE_CHECKING:
    Unexplained: TypeAlias = ApiModel
else:
    Unexplained = derive(messages.Unexplained)


class Misconception(ApiModel):
    """The known mistake with the same output as the submission, and the number of its cases."""

    name: str
    cases: int
    alternatives: list[str]
    also: str | None
    unexplained: Unexplained | None
    html: Words
    also_html: Words | None


if TYPE_CHECKING:
    # Derived schemas have no names here; `messages` and `events` have them.
    Raised: TypeAlias = ApiModel
    Report: TypeAlias = ApiModel
else:
    Raised = derive(messages.Raised)
    # The page draws these itself and needs no text.
    derive(messages.KernelOnCard, leave_out=("stack_bytes",))
    derive(messages.Card, leave_out=("error",))
    derive(messages.NativeReport, leave_out=("found", "profile"))
    Report = derive(messages.Report, misconception=Misconception | None)


class Submission(SubmissionLine):
    """A submission with its source and its report."""

    source: str
    report: Report | None
    plan: Plan


class History(ApiModel):
    """Some submissions of a problem, newest first.

    Args:
        total: The number of all that were asked for.
        num_submissions: The number of submissions; a run of the samples is none.
        num_runs: The number of runs of the samples.
    """

    submissions: list[SubmissionLine]
    total: int
    num_submissions: int
    num_runs: int


class Ask(ApiModel):
    """An expression to evaluate with a solution."""

    source: Text
    expression: Text = Field(max_length=20_000)


class Program(ApiModel):
    """A program to parse."""

    source: Text


class SyntaxCheck(ApiModel):
    """The result of parsing a program.

    Args:
        is_checked: Whether it was parsed; only Python is, and TOML in a package.
        error: The error with which the judge would refuse it.
    """

    is_checked: bool
    error: Raised | None


class Tried(ApiModel):
    """The result of the expression."""

    expression: str
    text: str | None
    error: Raised | None
    detail: Words | None
    stdout: str
    expected: str | None
    no_expected: Words | None


class Aftermath(ApiModel):
    """The consequences of a recorded verdict."""

    attempt: int
    num_solutions: int
    review: ReviewNote | None
    unlocked: list[str]
    next: NextProblem | None


class ErrorEvent(ApiModel):
    """The reason why there will be no verdict."""

    type: Literal["error"]
    code: str
    message: Words
    hint: Words


# The schema of each event of the judge.
EVENTS: dict[type, type[ApiModel]] = {
    events.Queued: derive(events.Queued),
    events.StageReached: derive(events.StageReached),
    events.Started: derive(events.Started, leave_out=("isolation",)),
    events.Case: derive(events.Case),
    events.VerdictReached: derive(events.VerdictReached, report=Report),
    events.MisconceptionFound: derive(
        events.MisconceptionFound, misconception=Misconception | None
    ),
    events.SmallestFound: derive(events.SmallestFound),
    events.Interrupted: derive(events.Interrupted),
    events.Starting: derive(events.Starting),
    events.CancelledEvent: derive(events.CancelledEvent),
    events.Done: derive(
        events.Done, leave_out=("receipt",), report=Report, aftermath=Aftermath | None
    ),
}
_AnyEvent: Any = reduce(or_, [*EVENTS.values(), ErrorEvent])
JudgeEvent = Annotated[_AnyEvent, Field(discriminator="type")]
