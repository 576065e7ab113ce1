"""An older verdict never hides a newer one, though the clock was set back."""

from datetime import datetime, timedelta

import pytest

from tests.reports import stored_report
from torchstone.app.home import Home
from torchstone.app.judging.history import list_history, recent_submissions
from torchstone.app.problems.catalog import list_problems
from torchstone.app.problems.problem_state import find_state, local_now
from torchstone.app.review.after_verdict import settle
from torchstone.app.review.reviews import undo_review
from torchstone.core.verdict import Verdict
from torchstone.store import open_store

pytestmark = pytest.mark.pure


def judge_at(home: Home, moment: datetime, verdict: str, key: str) -> str:
    with open_store(clock=lambda: moment) as store:
        added = store.add_submission("01", "pass\n", client_key=key)
        assert store.claim(added, "host")
        assert store.record_verdict(added, stored_report(verdict=verdict), {})
    return added


def test_the_lists_show_what_was_judged_last(home: Home) -> None:
    now = local_now()
    older = judge_at(home, now + timedelta(days=2), "AC", "older")
    newer = judge_at(home, now, "WA", "newer")
    assert [line.id for line in list_history(home, "01")] == [newer, older]
    assert [line.id for line in recent_submissions(home)] == [newer, older]
    (row,) = [each for each in list_problems(home).problems if each.id == "01"]
    assert row.last_verdict is Verdict.WA


def test_an_acceptance_after_an_undo_counts(home: Home) -> None:
    now = local_now()
    judge_at(home, now + timedelta(days=3), "AC", "older")
    problem = home.problem("01")
    with open_store(clock=lambda: now + timedelta(days=3)) as store:
        assert settle(store, problem, now + timedelta(days=3)) is not None
        assert store.undo_review("problem:01")
    judge_at(home, now, "AC", "newer")
    with open_store() as store:
        note = settle(store, problem, now)
        assert note is not None
        assert note.rating is not None
        assert find_state(store, problem, now).card is not None
    assert undo_review(home, "01") is None
