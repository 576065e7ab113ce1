"""Reviews say why they are when they are, and what was undone never comes back by itself."""

import json
from collections.abc import Callable
from datetime import timedelta

import msgspec
import pytest

from torchstone.app.home import Home
from torchstone.app.problems.learning import open_hint, open_solutions, read_editorial, read_ladder
from torchstone.app.problems.problem_state import find_state, item_of, local_now
from torchstone.app.review.overview import look_over
from torchstone.app.review.reviews import list_reviews, review_log, undo_review
from torchstone.core.errors import BadInput
from torchstone.core.i18n import LANGS
from torchstone.study import Rating
from torchstone.study.schedule import FORECAST_DAYS

pytestmark = pytest.mark.pure


def num_reviews(home: Home, problem: str = "01") -> int:
    """Count the reviews that count."""
    return sum(line.undone_at is None for line in review_log(home, problem))


def test_nothing_reviewed_is_an_empty_list(home: Home) -> None:
    found = list_reviews(home)
    assert (found.due, found.later) == ((), ())
    assert [day.count for day in found.forecast] == [0] * FORECAST_DAYS
    assert found.forecast[0].date == local_now().date()
    assert review_log(home, "01") == ()


def test_what_is_due_comes_weakest_first_and_the_rest_by_date(
    home: Home, record: Callable[..., str], accepted_long_ago: Callable[..., str]
) -> None:
    accepted_long_ago("01")
    # It was due later, but it was never known as well.
    accepted_long_ago("02", days=20, num_hints=3)
    record("03")
    open_solutions(home, "04", give_up=True)
    found = list_reviews(home)
    assert [item.problem_id for item in found.due] == ["02", "01"]
    assert found.due[0].strength < found.due[1].strength
    assert found.due[0].due > found.due[1].due
    assert [item.problem_id for item in found.later] == ["04", "03"]
    assert found.later[0].due < found.later[1].due
    counts = [day.count for day in found.forecast]
    assert counts[:2] == [2, 1]
    assert sum(counts) == 4


def test_what_is_due_at_any_hour_of_today_is_due(
    home: Home, accepted_long_ago: Callable[..., str]
) -> None:
    # Good brings a problem back after three days.
    accepted_long_ago("01", days=3)
    accepted_long_ago("02", days=2)
    found = list_reviews(home)
    assert [item.problem_id for item in found.due] == ["01"]
    assert found.due[0].due.astimezone().date() == local_now().date()
    assert [item.problem_id for item in found.later] == ["02"]


def test_an_item_says_why_its_rating_and_why_its_date(
    home: Home, accepted_long_ago: Callable[..., str]
) -> None:
    accepted_long_ago(num_hints=3)
    (item,) = list_reviews(home).due
    assert item.rating == Rating.HARD
    assert item.title == {"en": "Softmax from scratch", "zh": "手写 Softmax"}
    assert item.evidence["highest_rung"] == 3
    assert "hint 3" in item.reason["en"]
    assert all(f"{100 * item.strength:.0f}%" in item.date_reason[lang] for lang in LANGS)
    assert 1 <= (item.difficulty or 0) <= 10
    assert item.curve[0].chance == 1.0
    assert item.curve[-1].day >= 2 * item.stability_days
    assert json.loads(json.dumps(msgspec.to_builtins(item)))["problem_id"] == "01"


def test_a_first_review_that_was_undone_does_not_come_back(
    home: Home, record: Callable[..., str]
) -> None:
    record()
    look_over(home)
    assert num_reviews(home) == 1
    assert undo_review(home, "01") is None
    for look in (look_over, list_reviews, look_over):
        look(home)
        assert num_reviews(home) == 0
    (line,) = review_log(home, "01")
    assert line.undone_at is not None
    assert not line.can_undo
    assert look_over(home).num_proven == 1


def test_an_acceptance_after_the_undo_counts_once_and_by_itself(
    home: Home, record: Callable[..., str]
) -> None:
    for verdict in ("WA", "WA", "WA", "AC"):
        record(verdict=verdict)
    (item,) = list_reviews(home).later
    assert item.rating == Rating.HARD
    undo_review(home, "01")
    record(verdict="WA")
    assert list_reviews(home).later == ()
    record()
    record()
    (item,) = list_reviews(home).later
    assert (item.rating, item.evidence["tries"]) == (Rating.GOOD, 2)
    look_over(home)
    assert num_reviews(home) == 1
    assert [line.can_undo for line in review_log(home, "01")] == [True, False]


def test_what_happened_between_a_review_and_its_undo_is_spent_as_well(
    home: Home, record: Callable[..., str]
) -> None:
    record()
    look_over(home)
    # Before the date it proves nothing; to undo the review must not make it prove something.
    record()
    undo_review(home, "01")
    look_over(home)
    assert num_reviews(home) == 0


def test_undoing_a_second_review_leads_back_to_the_first(
    home: Home, record: Callable[..., str], accepted_long_ago: Callable[..., str]
) -> None:
    accepted_long_ago()
    (first,) = list_reviews(home).due
    record()
    (second,) = list_reviews(home).later
    assert second.reviewed_at > first.reviewed_at
    left = undo_review(home, "01")
    assert left is not None
    assert (left.reviewed_at, left.due, left.rating) == (
        first.reviewed_at,
        first.due,
        first.rating,
    )
    look_over(home)
    assert [item.problem_id for item in list_reviews(home).due] == ["01"]
    assert num_reviews(home) == 1
    record()
    look_over(home)
    look_over(home)
    assert num_reviews(home) == 2
    assert [line.can_undo for line in review_log(home, "01")] == [True, False, False]


def test_all_reviews_can_be_undone_one_after_the_other(
    home: Home, record: Callable[..., str], accepted_long_ago: Callable[..., str]
) -> None:
    accepted_long_ago()
    record()
    assert undo_review(home, "01") is not None
    assert undo_review(home, "01") is None
    look_over(home)
    assert num_reviews(home) == 0
    with pytest.raises(BadInput, match="undone already"):
        undo_review(home, "01")


def test_asking_twice_undoes_one_review(
    home: Home, record: Callable[..., str], accepted_long_ago: Callable[..., str]
) -> None:
    accepted_long_ago()
    record()
    (item,) = list_reviews(home).later
    assert undo_review(home, "01", reviewed_at=item.reviewed_at) is not None
    with pytest.raises(BadInput, match="undone already"):
        undo_review(home, "01", reviewed_at=item.reviewed_at)
    assert num_reviews(home) == 1


def test_there_is_nothing_to_undo_before_a_review(home: Home) -> None:
    with pytest.raises(BadInput) as caught:
        undo_review(home, "softmax")
    assert (caught.value.code, caught.value.exit_code) == ("app.no_review", 2)


def test_an_acceptance_that_nobody_has_seen_is_what_is_undone(
    home: Home, record: Callable[..., str], accepted_long_ago: Callable[..., str]
) -> None:
    accepted_long_ago()
    record()
    # Not the review of a month ago: it still counts.
    left = undo_review(home, "01")
    assert left is not None
    assert left.reviewed_at < local_now() - timedelta(days=29)


def test_an_undone_problem_is_closed_until_it_is_proven_again(
    home: Home, record: Callable[..., str]
) -> None:
    open_hint(home, "01")
    record()
    look_over(home)
    assert read_editorial(home, "01")
    undo_review(home, "01")
    for read in (read_editorial, open_solutions):
        with pytest.raises(BadInput, match="close when the problem is due"):
            read(home, "01")
    assert read_ladder(home, "01").next_rung == 1
    assert [open_hint(home, "01").number for _ in range(3)] == [1, 2, 3]
    record()
    (item,) = list_reviews(home).later
    assert item.rating == Rating.HARD
    assert read_editorial(home, "01")


def test_giving_up_can_be_undone_and_done_again(home: Home) -> None:
    assert open_solutions(home, "01", give_up=True).gave_up
    undo_review(home, "01")
    look_over(home)
    assert num_reviews(home) == 0
    again = open_solutions(home, "01", give_up=True)
    assert again.gave_up
    assert num_reviews(home) == 1


def test_a_review_from_another_machine_shows_its_problem(
    home: Home, accepted_long_ago: Callable[..., str]
) -> None:
    accepted_long_ago()
    with home.open_store() as store:
        document = json.loads(store.export_progress().document)
        (review,) = document["reviews"]
        review["item"] = "problem:05"
        review["evidence"] = {"tries": "many", "unheard": [1, {"of": None}]}
        store.import_progress(json.dumps(document).encode())
        state = find_state(store, home.problem("05"), local_now())
    assert item_of(home.problem("05")) == review["item"]
    assert not state.is_tried
    found = {item.problem_id: item for item in list_reviews(home).due}
    assert set(found) == {"01", "05"}
    assert "in an unknown form" in found["05"].reason["en"]
    assert look_over(home).num_tried == 0


def test_what_is_not_in_the_bank_is_left_out(
    home: Home, accepted_long_ago: Callable[..., str]
) -> None:
    accepted_long_ago()
    with home.open_store() as store:
        document = json.loads(store.export_progress().document)
        document["reviews"][0]["item"] = "question:1.1.1.1.1"
        store.import_progress(json.dumps(document).encode())
    assert [item.problem_id for item in list_reviews(home).due] == ["01"]
