"""Dates follow FSRS, are the same every time, and are later for a better rating."""

import itertools
import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import fsrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.core.i18n import LANGS
from torchstone.store.card import canonical_card
from torchstone.study import (
    Rating,
    explain_date,
    forecast,
    forgetting_curve,
    retrievability,
    review,
)
from torchstone.study.schedule import (
    FORECAST_DAYS,
    MAX_CURVE_POINTS,
    MAXIMUM_INTERVAL_DAYS,
    strength_word,
)

pytestmark = pytest.mark.pure

BEGIN = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
DAY = timedelta(days=1)
RATINGS = st.sampled_from(Rating)
HISTORIES = st.lists(st.tuples(RATINGS, st.floats(0, 400)), max_size=6)


def replay(history: list[tuple[Rating, float]]) -> tuple[str | None, datetime]:
    card, now = None, BEGIN
    for rating, days_later in history:
        card = review(card, rating, now).card
        now += days_later * DAY
    return card, now


@given(HISTORIES)
def test_a_better_rating_is_due_strictly_later(history: list[tuple[Rating, float]]) -> None:
    card, now = replay(history)
    dates = [review(card, rating, now).due for rating in Rating]
    assert now < dates[0]
    assert all(later - sooner >= DAY for sooner, later in itertools.pairwise(dates))
    assert dates[-1] <= now + (MAXIMUM_INTERVAL_DAYS + len(dates)) * DAY


@given(HISTORIES, RATINGS)
def test_the_same_reviews_give_the_same_card(
    history: list[tuple[Rating, float]], rating: Rating
) -> None:
    card, now = replay(history)
    assert review(card, rating, now) == review(card, rating, now)


@given(HISTORIES, RATINGS)
def test_stability_and_difficulty_are_those_of_fsrs(
    history: list[tuple[Rating, float]], rating: Rating
) -> None:
    card, now = replay(history)
    scheduler = fsrs.Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
    before = fsrs.Card(card_id=0) if card is None else fsrs.Card.from_json(card)
    wanted, _ = scheduler.review_card(before, fsrs.Rating(rating), now)
    got = fsrs.Card.from_json(review(card, rating, now).card)
    assert (got.stability, got.difficulty, got.state) == (
        wanted.stability,
        wanted.difficulty,
        wanted.state,
    )


@given(HISTORIES, RATINGS)
def test_a_card_can_be_stored_and_read_back(
    history: list[tuple[Rating, float]], rating: Rating
) -> None:
    card, now = replay(history)
    scheduled = review(card, rating, now)
    stored = canonical_card(scheduled.card)
    assert json.loads(stored) == json.loads(scheduled.card)
    assert review(stored, rating, now + DAY) == review_again(scheduled.card, rating, now, stored)


def review_again(card: str, rating: Rating, now: datetime, previous: str) -> Any:
    scheduled = review(card, rating, now + DAY)
    return type(scheduled)(card=scheduled.card, due=scheduled.due, previous=previous)


def test_the_first_dates() -> None:
    days = [(review(None, rating, BEGIN).due - BEGIN).days for rating in Rating]
    assert days == [1, 2, 3, 8]


def test_a_lapse_brings_it_back_soon() -> None:
    card, now = replay([(Rating.GOOD, 3.0), (Rating.GOOD, 12.0), (Rating.GOOD, 40.0)])
    assert card is not None
    assert review(card, Rating.AGAIN, now).due - now <= 5 * DAY
    assert review(card, Rating.GOOD, now).due - now >= 40 * DAY


def test_undo_is_to_go_back_to_the_card_before() -> None:
    first = review(None, Rating.GOOD, BEGIN)
    second = review(first.card, Rating.AGAIN, BEGIN + 3 * DAY)
    assert first.previous is None
    assert second.previous == first.card


def test_a_clock_set_back_does_not_unlearn() -> None:
    first = review(None, Rating.GOOD, BEGIN)
    again = review(first.card, Rating.GOOD, BEGIN - 300 * DAY)
    assert again.due > BEGIN
    assert retrievability(again.card, BEGIN - 400 * DAY) == 1.0


def test_the_time_zone_in_which_a_card_was_written_does_not_matter() -> None:
    first = review(None, Rating.GOOD, BEGIN)
    card = json.loads(first.card)
    card["last_review"] = datetime.fromisoformat(card["last_review"]).astimezone(
        timezone(timedelta(hours=8))
    )
    elsewhere = json.dumps(card, default=str)
    for now in (BEGIN + DAY, BEGIN - DAY):
        assert review(elsewhere, Rating.GOOD, now).due == review(first.card, Rating.GOOD, now).due


def test_the_time_zone_of_the_learner_does_not_move_the_date() -> None:
    shanghai = timezone(timedelta(hours=8))
    assert review(None, Rating.GOOD, BEGIN) == review(None, Rating.GOOD, BEGIN.astimezone(shanghai))


def test_retrievability_falls_to_ninety_percent_at_the_stability() -> None:
    card = review(None, Rating.EASY, BEGIN).card
    chances = [retrievability(card, BEGIN + days * DAY) for days in range(60)]
    assert chances[0] == 1.0
    assert chances == sorted(chances, reverse=True)
    assert chances[8] == pytest.approx(0.9, abs=0.01)


@pytest.mark.parametrize(
    ("days", "english", "chinese"),
    [
        (0, "Due on 2026-03-09", "2026-03-09"),
        (8, "Due today", "今天"),
        (10, "2 days overdue", "已过 2 天"),
    ],
)
def test_the_date_is_explained(days: int, english: str, chinese: str) -> None:
    card = review(None, Rating.EASY, BEGIN).card
    why = explain_date(card, BEGIN + days * DAY)
    assert english in why.sentence["en"]
    assert chinese in why.sentence["zh"]
    percent = f"{round(100 * why.retrievability)}%"
    assert all(percent in why.sentence[lang] and "8" in why.sentence[lang] for lang in LANGS)
    assert why.stability_days == pytest.approx(8.2956)


@pytest.mark.parametrize(
    ("rating", "days", "english", "chinese"),
    [
        (Rating.EASY, 1, "remember it for about 8 days, until", "约 8 天内能记住"),
        (Rating.HARD, 0, "remember it for about 1 day, until", "约 1 天内能记住"),
        (Rating.EASY, 9, "(1 day overdue)", "（已过 1 天）"),
    ],
)
def test_one_day_is_said_as_one(rating: Rating, days: int, english: str, chinese: str) -> None:
    why = explain_date(review(None, rating, BEGIN).card, BEGIN + days * DAY)
    assert english in why.sentence["en"]
    assert chinese in why.sentence["zh"]


def test_the_date_is_the_learners_own() -> None:
    shanghai = timezone(timedelta(hours=8))
    card = review(None, Rating.EASY, BEGIN.replace(hour=20)).card
    assert "2026-03-10" in explain_date(card, BEGIN.astimezone(shanghai)).sentence["zh"]


@given(st.floats(0, 1))
def test_every_chance_has_a_word(chance: float) -> None:
    words = ["faint", "weak", "fading", "firm", "fresh"]
    assert words.index(strength_word(chance)) <= words.index(strength_word(min(1, chance + 0.1)))


@pytest.mark.parametrize("card", ["", "{}", "[]", "null", '{"state": 9}'])
def test_what_is_no_card_is_refused(card: str) -> None:
    with pytest.raises(ValueError, match="parse_card"):
        review(card, Rating.GOOD, BEGIN)


def test_a_moment_without_a_time_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        review(None, Rating.GOOD, datetime(2026, 3, 1))


def test_a_card_that_was_never_reviewed_has_no_reason() -> None:
    with pytest.raises(ValueError, match="never reviewed"):
        explain_date(fsrs.Card(card_id=0).to_json(), BEGIN)
    with pytest.raises(ValueError, match="never reviewed"):
        forgetting_curve(fsrs.Card(card_id=0).to_json())


@given(HISTORIES, RATINGS)
def test_the_curve_is_the_chance_on_each_of_its_days(
    history: list[tuple[Rating, float]], rating: Rating
) -> None:
    card, now = replay(history)
    card = review(card, rating, now).card
    why = explain_date(card, now)
    curve = forgetting_curve(card)
    assert 3 <= len(curve) <= MAX_CURVE_POINTS
    days = [point.day for point in curve]
    assert days == sorted(set(days))
    assert days[0] == 0
    assert days[-1] >= min(2 * why.stability_days, 2 * MAXIMUM_INTERVAL_DAYS)
    reviewed_at = fsrs.Card.from_json(card).last_review
    assert reviewed_at is not None
    for point in curve:
        assert point.chance == retrievability(card, reviewed_at + point.day * DAY)
    assert why.difficulty is not None
    assert 1 <= why.difficulty <= 10


@pytest.mark.parametrize("last_review", ["0001-01-01", "9999-12-31"])
def test_a_curve_can_be_drawn_for_any_date(last_review: str) -> None:
    card = json.loads(review(None, Rating.EASY, BEGIN).card)
    card |= {"stability": 1e6, "last_review": f"{last_review}T00:00:00+00:00"}
    curve = forgetting_curve(json.dumps(card))
    assert len(curve) == MAX_CURVE_POINTS
    assert curve[-1].chance > 0.9


def test_the_forecast_counts_the_learners_days() -> None:
    shanghai = timezone(timedelta(hours=8))
    now = BEGIN.astimezone(shanghai)
    late = BEGIN.replace(hour=20)
    due = [BEGIN - 40 * DAY, BEGIN, late, late + 12 * DAY, late + 13 * DAY]
    found = forecast(due, now)
    assert [day.date for day in found] == [now.date() + n * DAY for n in range(FORECAST_DAYS)]
    # What is due at eight in the evening in UTC is due tomorrow in Shanghai.
    assert [day.count for day in found] == [2, 1, *[0] * 11, 1]
    assert [day.count for day in forecast(due, BEGIN)] == [3, *[0] * 11, 1, 1]
    assert sum(day.count for day in forecast([], now)) == 0
