"""Questions that were answered some days ago."""

from datetime import timedelta

from torchstone.app.problems.problem_state import local_now
from torchstone.app.questions.question_state import item_of_question
from torchstone.store import open_store
from torchstone.study import Rating, review


def answered_long_ago(number: str, *, days: int, rating: Rating = Rating.GOOD) -> None:
    """Record one review of a question; at noon, so that no test meets the end of a day."""
    moment = local_now().replace(hour=12) - timedelta(days=days)
    scheduled = review(None, rating, moment)
    with open_store() as store:
        assert store.record_review(
            item_of_question(number), previous=None, rating=rating, evidence={},
            card=scheduled.card, due=scheduled.due, reviewed_at=moment,
        )  # fmt: skip
