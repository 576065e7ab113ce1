"""Answer a question: mark it, rate it, and schedule its next review.

The answer is not disclosed before an answer was submitted or its display was requested.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import msgspec

from torchstone.app.home import Home
from torchstone.app.problems.problem_state import local_now
from torchstone.app.questions.answered import (
    Answered,
    Corrections,
    Ids,
    Reason,
    Sorted,
    sort_marked,
    sort_ticked,
)
from torchstone.app.questions.marker import mark_answer, published
from torchstone.app.questions.question_state import (
    QuestionState,
    find_question_state,
    item_of_question,
)
from torchstone.bank.questions import Question, Topic
from torchstone.core.errors import BadInput
from torchstone.study import (
    AnswerEvidence,
    Rated,
    explain_answer_rating,
    explain_date,
    rate_answer,
    review,
)
from torchstone.study.marking import language_of

if TYPE_CHECKING:
    from torchstone.store import ReviewEntry, Store

MAX_SECONDS = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Submitted answer.

    Args:
        text: The answer in free text; empty if it was spoken.
        said: The points that the learner ticked after an answer aloud; None if it was written.
        seconds: Duration; None if unknown.
        corrections: Learner's corrections of the marks.
    """

    text: str = ""
    said: Ids | None = None
    seconds: float | None = None
    corrections: Corrections = field(default_factory=Corrections)


class _Kept(msgspec.Struct, frozen=True, kw_only=True):
    """Data of the answer in the evidence of a review."""

    answer: str
    said: Ids | None
    shown_first: bool
    seconds: float | None


def hand_in(home: Home, number: str, given: Given) -> Answered:
    """Mark an answer, and record a review if one is open.

    A review is open for a question that was never answered or is due; other answers are practice
    and do not change dates.

    Raises:
        BadInput: The answer cannot be marked, or a correction does not fit it.
    """
    topic, question = find_question(home, number)
    found = _sort(topic, question, given)
    evidence = _evidence(question, given, found)
    with home.open_store() as store:
        reviewed = _record(store, question, evidence, _details(given, found))
    return _answered(home, question, given, found, reviewed)


def correct(home: Home, number: str, corrections: Corrections) -> tuple[Answered, Given]:
    """Correct the marking of the last answer, and rate it again; the answer itself stays.

    The corrections replace earlier ones of the same answer, and are kept in the review log.

    Args:
        home: The learner's home.
        number: The question.
        corrections: All corrections; ``of`` is the moment of the review.

    Returns:
        The result, and the answer with its corrections.

    Raises:
        BadInput: Another review followed, or a correction does not fit the answer.
    """
    topic, question = find_question(home, number)
    item, now = item_of_question(question.id), local_now()
    with home.open_store() as store:
        valid = [each for each in store.review_log(item) if each.undone_at is None]
        if not valid or valid[-1].reviewed_at != corrections.of:
            raise BadInput("app.answer_replaced", question=question.id)
        kept = _kept(question, valid[-1])
        given = Given(
            text=kept.answer, said=kept.said, seconds=kept.seconds, corrections=corrections
        )
        found = _sort(topic, question, given)
        evidence = _evidence(question, given, found)
        rated = rate_answer(evidence)
        previous = valid[-2].card if len(valid) > 1 else None
        # The time of the answer: a correction changes only the rating.
        scheduled = review(previous, rated.rating, valid[-1].reviewed_at)
        is_amended = store.amend_review(
            item,
            reviewed_at=valid[-1].reviewed_at,
            rating=rated.rating,
            evidence=evidence.as_json() | _details(given, found) | {"is_first": previous is None},
            card=scheduled.card,
            due=scheduled.due,
        )
        if not is_amended:
            raise BadInput("app.answer_replaced", question=question.id)
        state = find_question_state(store, question.id, now)
    reviewed = _Reviewed(state=state, rated=rated)
    return _answered(home, question, given, found, reviewed), given


def note_shown(home: Home, number: str) -> Answered:
    """Record that the learner looked at the answer before giving one.

    This is a review with the rating Again if one is open; otherwise it changes nothing.
    """
    _, question = find_question(home, number)
    given = Given()
    found = sort_ticked(question, ())
    evidence = replace(_evidence(question, given, found), shown_first=True)
    with home.open_store() as store:
        reviewed = _record(store, question, evidence, _details(given, found))
    return _answered(home, question, given, found, reviewed)


def find_question(home: Home, number: str) -> tuple[Topic, Question]:
    """Find a question and its topic.

    Raises:
        NotFound: There is no such question; the error names similar ones.
    """
    question = home.questions.question(number)
    return home.questions.topic(question.topic_id), question


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reviewed:
    """The valid review after an answer, and its rating if the answer is that review."""

    state: QuestionState
    rated: Rated | None


def _sort(topic: Topic, question: Question, given: Given) -> Sorted:
    if given.seconds is not None and not 0 <= given.seconds <= MAX_SECONDS:
        raise BadInput("app.answer_seconds", came=given.seconds, most=MAX_SECONDS)
    if given.said is not None:
        return sort_ticked(question, given.said)
    marked = mark_answer(question, given.text)
    return sort_marked(question, topic.demo, marked, given.corrections)


def _evidence(question: Question, given: Given, found: Sorted) -> AnswerEvidence:
    made = given.corrections
    return AnswerEvidence(
        shown_first=False,
        is_aloud=given.said is not None,
        coverage=found.coverage,
        marked_coverage=found.marked_coverage,
        num_credited=len(made.credited),
        num_denied=len(made.denied),
        num_taken_back=len(made.taken_back),
        num_misconceptions=sum(not each.is_taken_back for each in found.misconceptions),
        seconds=given.seconds,
        planned_minutes=question.minutes,
    )


def _details(given: Given, found: Sorted) -> dict[str, Any]:
    """Return the log's data besides the evidence: the answer, and each correction."""
    return {
        "answer": given.text,
        "said": None if given.said is None else list(given.said),
        "found": [each.id for each in found.found],
        "misconceptions": [each.id for each in found.misconceptions if not each.is_taken_back],
        "credited": list(given.corrections.credited),
        "denied": list(given.corrections.denied),
        "taken_back": list(given.corrections.taken_back),
    }


def _kept(question: Question, entry: ReviewEntry) -> _Kept:
    try:
        kept = msgspec.convert(entry.evidence, _Kept)
    except msgspec.ValidationError as error:
        # The evidence of another version of this program.
        raise BadInput("app.answer_replaced", question=question.id) from error
    if kept.shown_first or kept.said is not None:
        raise BadInput("app.answer_not_marked", question=question.id)
    return kept


def _record(
    store: Store, question: Question, evidence: AnswerEvidence, details: dict[str, Any]
) -> _Reviewed:
    now = local_now()
    state = find_question_state(store, question.id, now)
    if not state.is_open:
        return _Reviewed(state=state, rated=None)
    rated = rate_answer(evidence)
    previous = state.entry.card if state.entry else None
    scheduled = review(previous, rated.rating, now)
    is_recorded = store.record_review(
        item_of_question(question.id),
        previous=previous,
        rating=rated.rating,
        evidence=evidence.as_json() | details | {"is_first": previous is None},
        card=scheduled.card,
        due=scheduled.due,
        reviewed_at=now,
    )
    # Without a new record: another process has reviewed it since, and its review is valid.
    state = find_question_state(store, question.id, now)
    return _Reviewed(state=state, rated=rated if is_recorded else None)


def _answered(
    home: Home, question: Question, given: Given, found: Sorted, reviewed: _Reviewed
) -> Answered:
    entry = reviewed.state.entry
    why = None if entry is None else explain_date(entry.card, reviewed.state.now).sentence
    is_review = entry is not None and reviewed.rated is not None
    return Answered(
        question=question.id,
        found=found.found,
        missed=found.missed,
        misconceptions=found.misconceptions,
        coverage=found.coverage,
        corrections=replace(
            given.corrections, of=entry.reviewed_at if entry and is_review else None
        ),
        marker=published(home, language_of(given.text)),
        rating=entry.rating if entry and is_review else None,
        due=entry.due if entry else None,
        reason=Reason(
            rating=explain_answer_rating(entry.rating, entry.evidence)
            if entry and is_review
            else None,
            date=why,
        ),
    )
