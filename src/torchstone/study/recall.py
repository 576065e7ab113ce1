"""Standing of a learner with questions, and the selection of today's reviews."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from torchstone.study.rating import Rating
from torchstone.study.schedule import parse_card, retrievability


class Recall(StrEnum):
    """Standing of a learner with a question.

    Due means that the review is due today; known, that the last answer was good; fading, that the
    last answer was not good and the review is not yet due.
    """

    UNSEEN = "unseen"
    KNOWN = "known"
    FADING = "fading"
    DUE = "due"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """Standing with one question after its last review.

    Args:
        strength: Probability to answer it now, 0 to 1.
    """

    recall: Recall
    strength: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DueQuestion:
    """A question whose review is due.

    Args:
        topic: Topic; two questions of one topic give hints about each other.
        minutes: The planned time of an answer.
        strength: Probability to answer it now.
    """

    id: str
    topic: str
    minutes: float
    strength: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DayPlan:
    """Due questions, weakest first: those for today, and those postponed."""

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
    """Select today's questions: at most one per topic, within a time budget, weakest first.

    A question that exceeds the remaining budget is postponed; a shorter one may still fit.

    Args:
        due: All due questions.
        answered_topics: Topics with a question that was answered today.
        minutes: Remaining budget of today.
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
