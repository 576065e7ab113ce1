"""Reviews of questions: today's, postponed ones, log and undo."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from torchstone.app.home import Home
from torchstone.app.problems.problem_state import local_now
from torchstone.app.questions.question_state import (
    QuestionState,
    find_question_state,
    item_of_question,
    known_question,
    plan_questions,
)
from torchstone.app.review.log import ReviewLine, lines_of
from torchstone.bank.questions import Question
from torchstone.core.errors import BadInput
from torchstone.study import explain_answer_rating, explain_date

if TYPE_CHECKING:
    from torchstone.store import ReviewEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionItem:
    """The state of one question in the review schedule, by its last valid review.

    Args:
        title: The question, in both languages.
        minutes: The planned time of an answer.
        strength: The chance to answer it now, 0 to 1.
        rating: 1 Again, 2 Hard, 3 Good, 4 Easy.
    """

    question_id: str
    title: dict[str, str]
    level: int
    minutes: float
    due: datetime
    reviewed_at: datetime
    strength: float
    rating: int
    reason: dict[str, str]
    date_reason: dict[str, str]

    @property
    def number(self) -> str:
        """Return the number under which it is listed."""
        return self.question_id


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionQueue:
    """All scheduled questions.

    Args:
        today: Questions to review today: at most one per topic, within the minutes of the settings.
        waiting: Due questions postponed to another day.
        later: Other questions, soonest first.
        minutes: Planned minutes of today's reviews.
    """

    today: tuple[QuestionItem, ...]
    waiting: tuple[QuestionItem, ...]
    later: tuple[QuestionItem, ...]
    minutes: float

    @property
    def dates(self) -> tuple[datetime, ...]:
        """Return the dates of all scheduled questions."""
        return tuple(item.due for item in (*self.today, *self.waiting, *self.later))


def list_question_reviews(home: Home, states: Mapping[str, QuestionState]) -> QuestionQueue:
    """List the scheduled questions of the bank; due ones weakest first."""
    plan = plan_questions(home, states)
    due = {*plan.today, *plan.waiting}
    later = _items(home, states, (number for number in states if number not in due))
    today = _items(home, states, plan.today)
    return QuestionQueue(
        today=today,
        waiting=_items(home, states, plan.waiting),
        later=tuple(sorted(later, key=lambda item: item.due)),
        minutes=sum(item.minutes for item in today),
    )


def question_log(home: Home, number: str) -> tuple[ReviewLine, ...]:
    """List the reviews of a question, newest first, including undone and corrected ones."""
    question = home.questions.question(number)
    with home.open_store() as store:
        entries = store.review_log(item_of_question(question.id))
    return lines_of(entries, explain_answer_rating)


def undo_question(
    home: Home, number: str, *, reviewed_at: datetime | None = None
) -> QuestionItem | None:
    """Undo the last valid review of a question; the previous review is then valid again.

    A corrected review is undone with its corrections.

    Args:
        home: The learner's home.
        number: The question.
        reviewed_at: The moment of the review to undo, so that two equal requests undo one review;
            the last review by default.

    Returns:
        The new state of the question; None if it has no review left.

    Raises:
        BadInput: There is no review to undo, or the given review is not the last one.
    """
    question, now = home.questions.question(number), local_now()
    with home.open_store() as store:
        if not store.undo_review(item_of_question(question.id), reviewed_at=reviewed_at):
            raise BadInput("app.no_review", problem=question.id)
        entry = find_question_state(store, question.id, now).entry
    return _item(question, entry, now) if entry else None


def _items(
    home: Home, states: Mapping[str, QuestionState], numbers: Iterable[str]
) -> tuple[QuestionItem, ...]:
    return tuple(
        _item(question, entry, states[number].now)
        for number in numbers
        if (entry := states[number].entry) is not None
        and (question := known_question(home.questions, number)) is not None
    )


def _item(question: Question, entry: ReviewEntry, now: datetime) -> QuestionItem:
    why = explain_date(entry.card, now)
    return QuestionItem(
        question_id=question.id,
        title={"en": question.en, "zh": question.zh},
        level=question.level,
        minutes=question.minutes,
        due=entry.due,
        reviewed_at=entry.reviewed_at,
        strength=why.retrievability,
        rating=entry.rating,
        reason=explain_answer_rating(entry.rating, entry.evidence),
        date_reason=why.sentence,
    )
