"""Progress is read from facts."""

from collections.abc import Callable

import pytest

from torchstone.store import Store

pytestmark = pytest.mark.pure

Judge = Callable[..., str]


def test_an_untouched_problem_has_no_progress(store: Store) -> None:
    progress = store.progress("01")
    assert (progress.attempts, progress.is_accepted, progress.hints) == (0, False, ())
    assert store.all_progress() == {}


def test_attempts_are_submissions_that_could_be_judged(store: Store, judge: Judge) -> None:
    judge(verdict="WA")
    judge(verdict="IE")
    judge(verdict="WA", kind="run")
    judge(verdict="CE")
    judge(verdict="RTE")
    store.add_submission("01", "", client_key="queued")
    assert store.progress("01").attempts == 2
    tries = [each.verdict for each in store.submissions_of("01") if each.is_try]
    assert tries == ["RTE", "WA"]


def test_a_program_that_cannot_be_loaded_is_submitted_but_no_try(
    store: Store, judge: Judge
) -> None:
    judge("01", "IE")
    assert not store.progress("01").is_submitted
    judge("01", "CE")
    progress = store.progress("01")
    assert (progress.attempts, progress.is_submitted) == (0, True)
    judge("01", "CE")
    judge("01")
    judge("01", "CE")
    activity = store.activity("01")
    assert (activity.tries, activity.accepted_at is not None) == (1, True)


def test_the_best_is_the_fastest_accepted(store: Store, judge: Judge) -> None:
    judge(verdict="WA", time_ms=0.1)
    first = judge(time_ms=9.0)
    best = judge(time_ms=4.0)
    judge(time_ms=None)
    progress = store.progress("01")
    assert (progress.best_id, progress.best_time_ms) == (best, 4.0)
    assert progress.first_accepted_at == store.get_submission(first).created_at


def test_the_last_acceptance_is_known(store: Store, judge: Judge) -> None:
    judge()
    first = store.progress("01").last_accepted_at
    assert first == store.progress("01").first_accepted_at
    last = judge()
    judge(verdict="WA")
    assert store.progress("01").last_accepted_at == store.get_submission(last).created_at


def test_an_acceptance_without_a_time_is_the_best_there_is(store: Store, judge: Judge) -> None:
    accepted = judge(time_ms=None)
    assert store.progress("01").best_id == accepted


def test_the_first_start_and_the_first_opening_count(store: Store) -> None:
    store.start_problem("01")
    started_at = store.progress("01").started_at
    for rung in (2, 1, 2):
        store.open_hint("01", rung)
    store.start_problem("01")
    store.see_solution("01")
    progress = store.progress("01")
    assert progress.started_at == started_at
    assert [hint.rung for hint in progress.hints] == [2, 1]
    assert progress.solution_seen_at is not None


@pytest.mark.parametrize("rung", [0, 5, -1])
def test_an_unknown_rung_is_refused(store: Store, rung: int) -> None:
    with pytest.raises(ValueError, match="rung"):
        store.open_hint("01", rung)


def test_all_progress_is_each_progress(store: Store, judge: Judge) -> None:
    judge("03")
    store.open_hint("02", 1)
    judge("01", "WA")
    every = store.all_progress()
    assert list(every) == ["01", "02", "03"]
    assert all(every[problem_id] == store.progress(problem_id) for problem_id in every)


def test_evidence_ends_with_the_first_acceptance(store: Store, judge: Judge) -> None:
    store.start_problem("01")
    judge(verdict="WA")
    store.open_hint("01", 1)
    accepted = judge()
    store.open_hint("01", 4)
    store.see_solution("01")
    judge(verdict="WA")
    activity = store.activity("01")
    assert activity.tries == 2
    assert activity.accepted_at == store.get_submission(accepted).created_at
    assert [hint.rung for hint in activity.hints] == [1]
    assert activity.solution_seen_at is None


def test_evidence_begins_after_the_last_review(
    store: Store, judge: Judge, clock: Callable[[], object]
) -> None:
    store.start_problem("01")
    store.see_solution("01")
    judge()
    reviewed_at = store.progress("01").first_accepted_at
    store.open_hint("01", 3)
    judge(verdict="WA")
    activity = store.activity("01", since=reviewed_at)
    assert (activity.started_at, activity.accepted_at, activity.tries) == (None, None, 1)
    assert [hint.rung for hint in activity.hints] == [3]
