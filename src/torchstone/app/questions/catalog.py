"""Question list with the learner's standing, and the page of one question.

Nothing here discloses an answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from torchstone.app.home import Home
from torchstone.app.problems.problem_state import local_now
from torchstone.app.questions.asking import find_question
from torchstone.app.questions.question_state import (
    QuestionState,
    find_question_state,
    find_question_states,
    plan_questions,
)
from torchstone.bank.concepts import load_concepts
from torchstone.bank.questions import Question, Topic
from torchstone.study import Recall


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRow:
    """Question in the list.

    Args:
        words: The question, in both languages.
        recall: Learner's standing.
        strength: Probability to answer it now; None before the first review.
        is_today: Whether its review is planned for today.
    """

    id: str
    words: dict[str, str]
    level: int
    minutes: float
    recall: Recall
    strength: float | None
    due: datetime | None
    is_today: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicRow:
    """Topic in the list, with its questions."""

    id: str
    chapter: int
    name: dict[str, str]
    questions: tuple[QuestionRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionList:
    """All questions of the bank, in its order.

    Args:
        broken: The folders that cannot be read, each with its file and the reason.
        next_id: The question to ask next; None if there is none.
    """

    topics: tuple[TopicRow, ...]
    broken: tuple[dict[str, str], ...]
    next_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPage:
    """Question before it is answered.

    Args:
        is_open: Whether an answer now is a review.
        names: The topic and the chapters above it, from the chapter down, in both languages.
    """

    id: str
    words: dict[str, str]
    level: int
    minutes: float
    topic: str
    names: tuple[dict[str, str], ...]
    recall: Recall
    is_open: bool
    due: datetime | None
    previous_id: str | None
    next_id: str | None


def list_questions(home: Home) -> QuestionList:
    """List all topics with their questions and the learner's standing."""
    bank, now = home.questions, local_now()
    with home.open_store() as store:
        states = find_question_states(store, now)
    today = plan_questions(home, states).today
    topics = tuple(_topic_row(topic, states, today) for topic in bank.topics)
    rows = [row for topic in topics for row in topic.questions]
    fresh = (row.id for row in rows if row.recall is Recall.UNSEEN)
    return QuestionList(
        topics=topics,
        broken=tuple(
            {name: f"{value}" for name, value in error.values.items()} for error in bank.broken
        ),
        next_id=next(iter(today), None) or next(fresh, None),
    )


def show_question(home: Home, number: str) -> QuestionPage:
    """Read one question as asked.

    Raises:
        NotFound: There is no such question.
    """
    topic, question = find_question(home, number)
    with home.open_store() as store:
        state = find_question_state(store, question.id, local_now())
    around = _neighbours(home, topic, question)
    return QuestionPage(
        id=question.id,
        words=_words(question),
        level=question.level,
        minutes=question.minutes,
        topic=topic.id,
        names=_names(topic.id),
        recall=state.recall,
        is_open=state.is_open,
        due=state.entry.due if state.entry else None,
        previous_id=around[0],
        next_id=around[1],
    )


def _topic_row(
    topic: Topic, states: Mapping[str, QuestionState], today: tuple[str, ...]
) -> TopicRow:
    return TopicRow(
        id=topic.id,
        chapter=int(topic.id.partition(".")[0]),
        name=_names(topic.id)[-1],
        questions=tuple(
            _question_row(question, states.get(question.id), question.id in today)
            for question in topic
        ),
    )


def _question_row(question: Question, state: QuestionState | None, is_today: bool) -> QuestionRow:
    standing = state.standing if state else None
    return QuestionRow(
        id=question.id,
        words=_words(question),
        level=question.level,
        minutes=question.minutes,
        recall=state.recall if state else Recall.UNSEEN,
        strength=standing.strength if standing else None,
        due=state.entry.due if state and state.entry else None,
        is_today=is_today,
    )


def _neighbours(home: Home, topic: Topic, question: Question) -> tuple[str | None, str | None]:
    """Return the previous and the next question; only adjacent topics are read."""
    ids = [each.id for each in topic]
    place, numbers = ids.index(question.id), list(home.questions.folders)
    at = numbers.index(topic.id)
    before = ids[place - 1] if place else None
    after = ids[place + 1] if place + 1 < len(ids) else None
    if before is None and at > 0:
        before = home.questions.topic(numbers[at - 1]).questions[-1].id
    if after is None and at + 1 < len(numbers):
        after = home.questions.topic(numbers[at + 1]).questions[0].id
    return before, after


def _names(topic: str) -> tuple[dict[str, str], ...]:
    path = load_concepts().path(topic)
    # Another bank may use other numbers.
    if not path:
        return ({"en": topic, "zh": topic},)
    return tuple({"en": each.name.en, "zh": each.name.zh} for each in (path[0], path[-1]))


def _words(question: Question) -> dict[str, str]:
    return {"en": question.en, "zh": question.zh}
