from datetime import UTC, datetime, timedelta

import pytest

from torchstone.study import DueQuestion, Rating, Recall, plan_day, review, standing_of

pytestmark = pytest.mark.pure

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


def due(number: str, *, strength: float, minutes: float = 3) -> DueQuestion:
    topic = number.rpartition(".")[0]
    return DueQuestion(id=number, topic=topic, minutes=minutes, strength=strength)


def test_the_weakest_question_of_each_topic_comes_today() -> None:
    plan = plan_day(
        [due("1.1", strength=0.9), due("1.2", strength=0.5), due("2.1", strength=0.7)],
        answered_topics=(),
        minutes=20,
    )
    assert plan.today == ("1.2", "2.1")
    assert plan.waiting == ("1.1",)


def test_a_topic_that_was_answered_today_waits() -> None:
    plan = plan_day([due("1.1", strength=0.9)], answered_topics={"1"}, minutes=20)
    assert not plan.today
    assert plan.waiting == ("1.1",)


def test_what_does_not_fit_into_the_minutes_waits_and_a_shorter_one_may_fit() -> None:
    plan = plan_day(
        [
            due("1.1", strength=0.1, minutes=4),
            due("2.1", strength=0.2, minutes=5),
            due("3.1", strength=0.3, minutes=2),
        ],
        answered_topics=(),
        minutes=6,
    )
    assert plan.today == ("1.1", "3.1")
    assert plan.waiting == ("2.1",)


@pytest.mark.parametrize(
    ("rating", "days", "recall"),
    [
        (Rating.GOOD, 0, Recall.KNOWN),
        (Rating.AGAIN, 0, Recall.FADING),
        (Rating.HARD, 0, Recall.FADING),
        (Rating.GOOD, 90, Recall.DUE),
    ],
)
def test_a_question_is_known_after_a_good_answer_until_it_is_due(
    rating: Rating, days: int, recall: Recall
) -> None:
    card = review(None, rating, NOW).card
    standing = standing_of(card, rating, NOW + timedelta(days=days))
    assert standing.recall is recall
    assert 0 < standing.strength <= 1
