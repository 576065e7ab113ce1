"""Reports for the page: the judge's record with the bank's texts as sanitized HTML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from torchstone.app.home import Home
from torchstone.app.judging.submission import ExplainedMisconception, Judged
from torchstone.app.review.after_verdict import Aftermath as AppAftermath
from torchstone.core.i18n import LANGS
from torchstone.judge import messages
from torchstone.study import NextProblem as Following
from torchstone.web import prose
from torchstone.web.progress_schemas import NextProblem
from torchstone.web.schemas import ApiModel, ReviewNote, Words
from torchstone.web.verdict_schemas import Aftermath, Misconception, Report, Unexplained

S = TypeVar("S", bound=ApiModel)


def model_of(shape: type[S], record: object) -> S:
    """Create a schema from a record of ``app``."""
    return shape.model_validate(record, from_attributes=True)


def as_json(shape: ApiModel | None) -> dict[str, Any] | None:
    """Convert a schema to plain JSON."""
    return shape.model_dump(mode="json") if shape is not None else None


def inline_html(said: Mapping[str, str]) -> Words:
    """Convert a sentence with code and formulas to safe HTML, in both languages."""
    return Words(**{lang: prose.render_inline(said[lang]) for lang in LANGS})


def misconception_model(found: ExplainedMisconception | None) -> Misconception | None:
    """Create the schema of a misconception, with its words as safe HTML."""
    if found is None:
        return None
    also, rest = found.also_words, found.unexplained
    return Misconception(
        name=found.name,
        cases=found.cases,
        alternatives=list(found.alternatives),
        also=found.also,
        unexplained=None if rest is None else Unexplained.model_validate(messages.plain(rest)),
        html=inline_html({lang: found.words.said_in(lang) for lang in LANGS}),
        also_html=inline_html({lang: also.said_in(lang) for lang in LANGS}) if also else None,
    )


def aftermath_model(home: Home, after: AppAftermath) -> Aftermath:
    """Create the schema of the consequences of a verdict, with the title of the next problem."""
    return Aftermath(
        attempt=after.attempt,
        num_solutions=after.num_solutions,
        review=model_of(ReviewNote, after.review) if after.review else None,
        unlocked=list(after.unlocked),
        next=next_model(home, after.next) if after.next else None,
    )


def next_model(home: Home, following: Following) -> NextProblem:
    """Create the schema of the next problem, with its title and minutes."""
    problem = home.problem(following.problem_id)
    return NextProblem(
        problem_id=problem.id,
        title=model_of(Words, problem.title),
        minutes=problem.spec.minutes.practice,
        is_review=following.is_review,
        reason=model_of(Words, following.reason),
    )


def report_model(judged: Judged) -> Report:
    """Create the schema of a report, with the words of its misconception."""
    said = misconception_model(judged.misconception)
    return Report.model_validate(messages.plain(judged.report) | {"misconception": said})
