from collections.abc import Callable
from datetime import timedelta

import pytest

from tests.reports import make_report, stored_report
from torchstone.app.home import Home
from torchstone.app.judging.history import list_history
from torchstone.app.judging.submission import judged_from
from torchstone.app.problems.problem_state import item_of, local_now
from torchstone.app.review.after_verdict import Aftermath, conclude, settle
from torchstone.store import open_store
from torchstone.study import Rating

pytestmark = pytest.mark.pure


def conclude_verdict(home: Home, submission: str, verdict: str = "AC") -> Aftermath:
    report = make_report("01", verdict)
    return conclude(home, judged_from(home.problem("01"), report, submission=submission))


def test_an_acceptance_is_rated_and_scheduled_once(home: Home, record: Callable[..., str]) -> None:
    submission = record()
    first = conclude_verdict(home, submission)
    assert first.attempt == 1
    assert first.review is not None
    assert first.review.rating == Rating.GOOD
    assert first.unlocked == tuple(
        each.id for each in home.bank if each.spec.prerequisites == ("01",)
    )
    again = conclude_verdict(home, submission)
    assert again.review is not None
    assert again.review.rating is None
    assert again.review.due == first.review.due
    assert again.unlocked == ()
    with home.open_store() as store:
        (entry,) = store.review_log()
    assert entry.evidence["submission"] == submission


def test_a_problem_that_was_proven_before_is_not_unlocked(
    home: Home, record: Callable[..., str]
) -> None:
    behind = [each.id for each in home.bank if each.spec.prerequisites == ("01",)]
    assert len(behind) > 1
    record(behind[0])
    assert conclude_verdict(home, record()).unlocked == tuple(behind[1:])


def test_a_refusal_is_no_review_and_counts_as_an_attempt(
    home: Home, record: Callable[..., str]
) -> None:
    refused = conclude_verdict(home, record(verdict="WA"), "WA")
    assert refused.review is None
    assert refused.attempt == 1
    record(verdict="WA")
    accepted = conclude_verdict(home, record())
    assert accepted.review is not None
    assert accepted.review.rating == Rating.HARD


def test_a_program_that_cannot_be_loaded_is_no_try(home: Home, record: Callable[..., str]) -> None:
    with home.open_store() as store:
        store.start_problem("01")
    for _ in range(2):
        refused = conclude_verdict(home, record(verdict="CE"), "CE")
        assert (refused.attempt, refused.review) == (0, None)
    accepted = conclude_verdict(home, record())
    assert accepted.attempt == 1
    assert accepted.review is not None
    assert accepted.review.rating == Rating.EASY
    assert "first try" in str(accepted.review.reason)
    lines = list_history(home, "01")
    assert [(line.verdict, line.is_try) for line in lines] == [
        ("AC", True),
        ("CE", False),
        ("CE", False),
    ]


def test_a_second_acceptance_before_the_date_proves_nothing_new(
    home: Home, record: Callable[..., str]
) -> None:
    first = conclude_verdict(home, record())
    second = conclude_verdict(home, record())
    assert first.review is not None
    assert second.review is not None
    assert second.review.due == first.review.due
    with home.open_store() as store:
        assert len(store.review_log()) == 1


def test_only_an_acceptance_on_the_date_is_the_next_review(
    home: Home, record: Callable[..., str]
) -> None:
    conclude_verdict(home, record())
    # Handed in once more on the same day: no proof that it is still known on the date.
    record()
    problem = home.problem("01")
    with home.open_store() as store:
        card = store.review_card(item_of(problem))
    assert card is not None
    on_the_date = card.due.astimezone(local_now().tzinfo) + timedelta(minutes=1)
    with open_store(clock=lambda: on_the_date) as store:
        note = settle(store, problem, on_the_date)
        assert note is not None
        assert note.rating is None
        again = store.add_submission("01", "pass", client_key="again")
        assert store.claim(again, "host")
        assert store.record_verdict(again, stored_report(), {})
        note = settle(store, problem, on_the_date)
    assert note is not None
    assert note.rating == Rating.GOOD
    assert note.due > card.due


def test_two_terminals_record_one_review(home: Home, record: Callable[..., str]) -> None:
    record()
    problem, now = home.problem("01"), local_now()
    with home.open_store() as one, home.open_store() as other:
        notes = [settle(store, problem, now) for store in (one, other)]
        assert [note is not None and note.rating for note in notes] == [Rating.GOOD, None]
        assert len(one.review_log()) == 1


def test_the_next_problem_follows_the_one_that_was_judged(
    home: Home, record: Callable[..., str]
) -> None:
    submission = record("44")
    record("01")
    judged = judged_from(home.problem("44"), make_report("44", "AC"), submission=submission)
    following = conclude(home, judged).next
    assert following is not None
    assert following.problem_id == "45"
    assert all("44" in words for words in following.reason.values())
