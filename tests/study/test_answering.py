from dataclasses import replace

import pytest

from torchstone.core.i18n import LANGS
from torchstone.study import AnswerEvidence, Rating, explain_answer_rating, rate_answer

pytestmark = pytest.mark.pure

GOOD = AnswerEvidence(
    shown_first=False,
    is_aloud=False,
    coverage=0.8,
    marked_coverage=0.8,
    num_credited=0,
    num_denied=0,
    num_taken_back=0,
    num_misconceptions=0,
    seconds=60,
    planned_minutes=3,
)
EASY = replace(GOOD, coverage=0.9, marked_coverage=0.9)


@pytest.mark.parametrize(
    ("evidence", "rating"),
    [
        (GOOD, Rating.GOOD),
        (EASY, Rating.EASY),
        (replace(EASY, seconds=181), Rating.GOOD),
        (replace(EASY, seconds=None), Rating.GOOD),
        # What was credited by hand counts, and yet makes no answer easy.
        (replace(EASY, marked_coverage=0.8, num_credited=1), Rating.GOOD),
        # What was denied does not count for the marker either.
        (replace(EASY, coverage=0.8, num_denied=1), Rating.GOOD),
        (replace(EASY, is_aloud=True), Rating.GOOD),
        (replace(GOOD, coverage=0.7), Rating.GOOD),
        (replace(GOOD, coverage=0.69), Rating.HARD),
        (replace(GOOD, coverage=0.4), Rating.HARD),
        (replace(GOOD, coverage=0.39), Rating.AGAIN),
        (replace(EASY, num_misconceptions=1), Rating.AGAIN),
        (replace(EASY, num_taken_back=1), Rating.EASY),
        (replace(EASY, shown_first=True), Rating.AGAIN),
    ],
)
def test_an_answer_is_rated_by_what_counts_and_by_what_stands_against_it(
    evidence: AnswerEvidence, rating: Rating
) -> None:
    rated = rate_answer(evidence)
    assert rated.rating is rating
    assert all(rated.reason[lang] for lang in LANGS)
    assert explain_answer_rating(rating, evidence.as_json() | {"answer": "…"}) == rated.reason


def test_a_share_of_small_integers_reaches_its_bound() -> None:
    assert rate_answer(replace(GOOD, coverage=0.1 + 0.6)).rating is Rating.GOOD


def test_a_rating_that_the_rules_would_not_give_has_no_reason() -> None:
    assert "unknown" in explain_answer_rating(Rating.EASY, GOOD.as_json())["en"]
    assert "unknown" in explain_answer_rating(Rating.GOOD, {"tries": 1})["en"]


def test_impossible_evidence_is_refused() -> None:
    with pytest.raises(ValueError, match="coverage"):
        replace(GOOD, coverage=float("nan"))
    with pytest.raises(ValueError, match="seconds"):
        replace(GOOD, seconds=-1)
