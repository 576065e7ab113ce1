from collections.abc import Callable

import pytest

from torchstone.app.catalog import list_problems, show_problem
from torchstone.app.home import Home
from torchstone.app.overview import list_history, look_over, recall
from torchstone.core.errors import BadInput, NotFound

pytestmark = pytest.mark.pure


def test_the_list_shows_what_is_proven_tried_and_untouched(
    home: Home, record: Callable[..., str]
) -> None:
    record("01")
    record("02", "WA")
    look_over(home)
    rows = {row.id: row for row in list_problems(home).problems}
    assert [rows[each].status for each in ("01", "02", "03")] == ["proven", "tried", "untouched"]
    assert rows["01"].strength == pytest.approx(1.0, abs=0.01)
    assert rows["01"].due is not None
    assert rows["02"].attempts == 1
    assert list_problems(home, part=5).problems == tuple(
        row for row in rows.values() if row.part == 5
    )


def test_a_page_holds_the_statement_in_both_languages(home: Home) -> None:
    page = show_problem(home, "softmax")
    assert page.statement["en"].startswith("# Softmax")
    assert page.signature.startswith("softmax(x")


def test_the_overview_reviews_acceptances_that_nobody_saw(
    home: Home, record: Callable[..., str]
) -> None:
    record("01")
    found = look_over(home)
    assert (found.num_proven, found.num_tried) == (1, 0)
    assert found.next is not None
    assert found.next.problem_id != "01"
    with home.open_store() as store:
        assert len(store.review_log()) == 1


def test_history_recalls_what_the_judge_said(home: Home, record: Callable[..., str]) -> None:
    submission = record(verdict="RTE")
    (line,) = list_history(home, "01")
    assert (line.id, line.verdict) == (submission, "RTE")
    assert recall(home, "01", submission[:8]).verdict == "RTE"
    for problem, prefix in (("02", submission), ("01", "ffffffffffff"), ("01", "not hex")):
        with pytest.raises(NotFound):
            recall(home, problem, prefix)


def test_a_submission_without_a_verdict_says_its_state(home: Home) -> None:
    with home.open_store() as store:
        waiting = store.add_submission("01", "pass", client_key="k")
    with pytest.raises(BadInput, match="queued"):
        recall(home, "01", waiting)
