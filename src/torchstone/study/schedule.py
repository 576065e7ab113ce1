"""FSRS review schedule in whole days, and an explanation of each date.

A problem takes half an hour to solve again, so there are no steps of minutes as for flash cards. As
in Anki, dates of neighbouring ratings differ by at least a day, so that a better rating always
gives a later date. Nothing is random: the same reviews give the same dates.
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache

import fsrs

from torchstone.core.i18n import LANGS, both, text
from torchstone.study.rating import Rating

DESIRED_RETENTION = 0.9
MAXIMUM_INTERVAL_DAYS = 365
FORECAST_DAYS = 14
# Enough points for a smooth forgetting curve.
MAX_CURVE_POINTS = 25

_ONE_DAY = timedelta(days=1)
_ANY_DAY = datetime(2000, 1, 1, tzinfo=UTC)
# Lower bounds of the probability to solve it unaided, with their names.
_STRENGTHS = ((0.97, "fresh"), (0.9, "firm"), (0.75, "fading"), (0.5, "weak"), (0.0, "faint"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduled:
    """The result of a review.

    Args:
        card: The new card, as JSON.
        due: The next due date.
        previous: The card before the review; an undo restores it.
    """

    card: str
    due: datetime
    previous: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DateReason:
    """The reason for a due date.

    Args:
        stability_days: Days until the recall probability falls to 90 %.
        retrievability: Current recall probability, 0 to 1.
        strength: Name of that probability: fresh, firm, fading, weak or faint.
        difficulty: Difficulty of the item, 1 to 10.
        sentence: The reason in one sentence, in both languages.
    """

    stability_days: float
    retrievability: float
    strength: str
    difficulty: float | None
    sentence: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """Probability to recall an item some days after its review."""

    day: int
    chance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DayCount:
    """The number of reviews on a day."""

    date: date
    count: int


def review(card: str | None, rating: Rating, now: datetime) -> Scheduled:
    """Schedule an item after a review.

    Args:
        card: The item's card; None at the first review.
        rating: The rating of the review.
        now: Time of the review, with a time zone.

    Raises:
        ValueError: The card is not FSRS JSON, or the moment has no time zone.
    """
    moment = _utc(now)
    before = fsrs.Card(card_id=0, due=moment) if card is None else parse_card(card)
    if before.last_review is not None:
        # If the clock was set back, the review still follows the last one.
        moment = _utc(max(moment, before.last_review))
    due = moment
    for step in range(Rating.AGAIN, rating + 1):
        after, _log = _scheduler().review_card(before, fsrs.Rating(step), moment)
        due = max(after.due, due + _ONE_DAY)
    after.due = due
    return Scheduled(card=after.to_json(), due=due, previous=card)


def bring_forward(card: str, now: datetime) -> Scheduled:
    """Make an item due now, without a change of its memory state.

    Raises:
        ValueError: The card is not FSRS JSON, or the moment has no time zone.
    """
    after = parse_card(card)
    after.due = min(after.due, _utc(now))
    return Scheduled(card=after.to_json(), due=after.due, previous=card)


def retrievability(card: str, now: datetime) -> float:
    """Compute the current recall probability of an item, from 0 to 1."""
    return float(_scheduler().get_card_retrievability(parse_card(card), _utc(now)))


def forgetting_curve(card: str) -> tuple[CurvePoint, ...]:
    """Compute the recall probability from a review to twice the stability, in whole days.

    Raises:
        ValueError: The card is not FSRS JSON, or has no review.
    """
    parsed = parse_card(card)
    if parsed.stability is None:
        raise ValueError("forgetting_curve: the card was never reviewed; review it first.")
    last_day = min(max(2, math.ceil(2 * parsed.stability)), 2 * MAXIMUM_INTERVAL_DAYS)
    num_points = min(last_day + 1, MAX_CURVE_POINTS)
    days = [round(last_day * index / (num_points - 1)) for index in range(num_points)]
    # The date of the review does not matter here; a fixed date stays inside the calendar.
    parsed.last_review = _ANY_DAY
    return tuple(
        CurvePoint(
            day=day,
            chance=_scheduler().get_card_retrievability(parsed, _ANY_DAY + day * _ONE_DAY),
        )
        for day in days
    )


def explain_date(card: str, now: datetime) -> DateReason:
    """Explain the due date of an item, in the user's days (the time zone of ``now``)."""
    parsed = parse_card(card)
    if parsed.stability is None:
        raise ValueError("explain_date: the card was never reviewed; review it first.")
    chance = retrievability(card, now)
    word = strength_word(chance)
    due = parsed.due.astimezone(now.tzinfo)
    days_left = (due.date() - now.date()).days
    when = "later" if days_left > 0 else "today" if days_left == 0 else "overdue"
    kept, overdue = _count_days(max(1, round(parsed.stability))), _count_days(-days_left)
    said = {
        lang: text(
            f"study.date.{when}",
            lang,
            date=f"{due:%Y-%m-%d}",
            days=kept[lang],
            overdue=overdue[lang],
        )
        for lang in LANGS
    }
    closing = both(f"study.strength.{word}", percent=round(100 * chance))
    return DateReason(
        stability_days=parsed.stability,
        retrievability=chance,
        strength=word,
        difficulty=parsed.difficulty,
        sentence={"en": f"{said['en']} {closing['en']}", "zh": f"{said['zh']}{closing['zh']}"},
    )


def _count_days(count: int) -> dict[str, str]:
    return both(f"study.days.{'one' if count == 1 else 'many'}", count=count)


def forecast(due: Iterable[datetime], now: datetime) -> tuple[DayCount, ...]:
    """Count the due items of each of the next 14 days; an overdue item counts for today."""
    today = now.date()
    days = Counter(max(moment.astimezone(now.tzinfo).date(), today) for moment in due)
    coming = [today + number * _ONE_DAY for number in range(FORECAST_DAYS)]
    return tuple(DayCount(date=day, count=days[day]) for day in coming)


def strength_word(chance: float) -> str:
    """Return the name of a recall probability: fresh, firm, fading, weak or faint."""
    return next(word for bound, word in _STRENGTHS if chance >= bound)


def parse_card(card: str) -> fsrs.Card:
    """Parse the JSON of a card.

    Raises:
        ValueError: The text is not the JSON of a card.
    """
    try:
        return fsrs.Card.from_json(card)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"parse_card: {card[:40]!r} is not an FSRS card ({error!r}).") from error


@cache
def _scheduler() -> fsrs.Scheduler:
    return fsrs.Scheduler(
        desired_retention=DESIRED_RETENTION,
        learning_steps=(),
        relearning_steps=(),
        maximum_interval=MAXIMUM_INTERVAL_DAYS,
        enable_fuzzing=False,
    )


def _utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError(f"review: {moment} has no time zone; give an aware moment.")
    return moment.astimezone(UTC)
