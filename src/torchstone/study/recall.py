"""What a learner knows of a question, and which due questions to review today."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from torchstone.study.rating import Rating
from torchstone.study.schedule import parse_card, retrievability


class Recall(StrEnum):
    """What the learner knows of a question.

    Due is a question whose review is due today. Known is one whose last answer was good; fading is
    one whose last answer was not, and which is not due yet.
    """

    UNSEEN = "unseen"
    KNOWN = "known"
    FADING = "fading"
    DUE = "due"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """The learner's standing with one question after its last review.

    Args:
        strength: The chance to answer it now, 0 to 1.
    """

    recall: Recall
    strength: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DueQuestion:
    """A question whose review is due.

    Args:
        topic: Its topic; two questions of one topic remind of each other.
        minutes: The planned time of an answer.
        strength: The chance to answer it now.
    """

    id: str
    topic: str
    minutes: float
    strength: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DayPlan:
    """The due questions, weakest first: those for today, and those that wait for another day."""

    today: tuple[str, ...]
    waiting: tuple[str, ...]


def standing_of(card: str, rating: int, now: datetime) -> Answering:
    """Compute the standing with a question.

    Args:
        card: Its FSRS card after its last review.
        rating: The rating of that review.
        now: The current time, in the learner's time zone; a question due later today is due.
    """
    due = parse_card(card).due.astimezone(now.tzinfo)
    if due.date() <= now.date():
        recall = Recall.DUE
    else:
        recall = Recall.KNOWN if rating >= Rating.GOOD else Recall.FADING
    return Answering(recall=recall, strength=retrievability(card, now))


def plan_day(
    due: Iterable[DueQuestion], *, answered_topics: Collection[str], minutes: float
) -> DayPlan:
    """Choose the questions of today: at most one of a topic, within a budget, weakest first.

    A question that does not fit into what is left of the budget waits; a shorter one may still fit.

    Args:
        due: All due questions.
        answered_topics: Topics of which a question was answered today already.
        minutes: What is left of today's budget.
    """
    taken, topics, left = [], set(answered_topics), minutes
    ordered = sorted(due, key=lambda one: (one.strength, one.id))
    for one in ordered:
        if one.topic not in topics and one.minutes <= left:
            taken.append(one.id)
            topics.add(one.topic)
            left -= one.minutes
    chosen = set(taken)
    return DayPlan(
        today=tuple(taken), waiting=tuple(one.id for one in ordered if one.id not in chosen)
    )
