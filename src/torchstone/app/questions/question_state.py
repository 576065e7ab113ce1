"""State of each question in the review schedule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from torchstone.app.home import Home
from torchstone.app.problems.problem_state import day_of
from torchstone.bank.questions import Question, QuestionBank
from torchstone.core.errors import BrokenTopic, NotFound
from torchstone.study import (
    Answering,
    DayPlan,
    DueQuestion,
    Recall,
    plan_day,
    standing_of,
)

if TYPE_CHECKING:
    # For types only; an import of the store would import SQLAlchemy.
    from torchstone.store import ReviewEntry, Store

_PREFIX = "question:"


@dataclass(frozen=True, kw_only=True)
class QuestionState:
    """The last valid review of a question, if there is one.

    Attributes:
        entry: The review; None before the first one.
        now: The current time, in the learner's time zone.
    """

    entry: ReviewEntry | None
    now: datetime

    @cached_property
    def standing(self) -> Answering | None:
        """Return the standing with it; None before the first review."""
        if self.entry is None:
            return None
        return standing_of(self.entry.card, self.entry.rating, self.now)

    @property
    def recall(self) -> Recall:
        """Return the learner's standing with the question."""
        return Recall.UNSEEN if self.standing is None else self.standing.recall

    @property
    def is_open(self) -> bool:
        """Return whether an answer now is a review."""
        return self.recall in (Recall.UNSEEN, Recall.DUE)

    @property
    def is_answered_today(self) -> bool:
        """Return whether its last review was an answer today.

        A question that a wrong program has brought back was not answered.
        """
        return (
            self.entry is not None
            and "submission" not in self.entry.evidence
            and day_of(self.entry.reviewed_at, self.now) == self.now.date()
        )

    @property
    def is_reviewed_today(self) -> bool:
        """Return whether it was answered today, and not for the first time."""
        return (
            self.is_answered_today
            and self.entry is not None
            and not self.entry.evidence.get("is_first", False)
        )


def item_of_question(number: str) -> str:
    """Return the name of a question in the review log."""
    return f"{_PREFIX}{number}"


def is_question_number(name: str) -> bool:
    """Return whether a name has the form of a question's number."""
    parts = name.split(".")
    return len(parts) == 5 and all(part.isascii() and part.isdigit() for part in parts)


def find_question_state(store: Store, number: str, now: datetime) -> QuestionState:
    """Read the state of one question."""
    valid = [each for each in store.review_log(item_of_question(number)) if not each.undone_at]
    return QuestionState(entry=valid[-1] if valid else None, now=now)


def find_question_states(store: Store, now: datetime) -> dict[str, QuestionState]:
    """Read the states of all questions that were reviewed, by number."""
    return {
        item.removeprefix(_PREFIX): QuestionState(entry=entry, now=now)
        for item, entry in store.last_reviews().items()
        if item.startswith(_PREFIX)
    }


def known_question(bank: QuestionBank, number: str) -> Question | None:
    """Find a question; None if the bank has no readable one with this number.

    A review may refer to another bank, as after an import.
    """
    try:
        return bank.question(number)
    except (NotFound, BrokenTopic):
        return None


def plan_questions(home: Home, states: Mapping[str, QuestionState]) -> DayPlan:
    """Choose the due questions of today, within the minutes of the settings."""
    bank = home.questions
    due, spent = [], 0.0
    for number, state in states.items():
        if state.recall is not Recall.DUE and not state.is_reviewed_today:
            continue
        question = known_question(bank, number)
        if question is None or state.standing is None:
            continue
        if state.recall is Recall.DUE:
            due.append(
                DueQuestion(
                    id=number,
                    topic=question.topic_id,
                    minutes=question.minutes,
                    strength=state.standing.strength,
                )
            )
        else:
            spent += question.minutes
    answered = {
        number.rpartition(".")[0] for number, state in states.items() if state.is_answered_today
    }
    left = home.settings.question_minutes - spent
    return plan_day(due, answered_topics=answered, minutes=left)
