"""What came later is later, whatever the clock of the machine shows."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.store.conftest import TickingClock
from torchstone.store import Store, open_store

pytestmark = pytest.mark.pure

Judge = Callable[..., str]
DAY = timedelta(days=1)
YEAR = 365 * DAY


@pytest.fixture(params=[DAY, YEAR], ids=["day", "year"])
def set_back(request: pytest.FixtureRequest, clock: TickingClock) -> Callable[[], None]:
    def run() -> None:
        clock.now -= request.param

    return run


def test_the_latest_verdict_is_the_last_one(
    store: Store, judge: Judge, set_back: Callable[[], None]
) -> None:
    ids = []
    for verdict in ("AC", "WA", "TLE"):
        ids.append(judge(verdict=verdict))
        set_back()
    assert store.latest_verdicts()["01"].id == ids[-1]
    assert [one.id for one in store.submissions_of("01")] == ids[::-1]
    recent = store.recent_submissions(["01"], kind="submit", limit=2)
    assert [one.id for one in recent] == ids[:0:-1]
    pages = [store.submissions_of("01", limit=1, before=before) for before in (ids[2], ids[1])]
    assert [one.id for page in pages for one in page] == [ids[1], ids[0]]
    shown = [store.get_submission(each).created_at for each in ids]
    assert shown == sorted(shown, reverse=True), "the shown moments are those of the clock"


def test_the_first_acceptance_and_the_best_are_those_in_order(
    store: Store, judge: Judge, set_back: Callable[[], None]
) -> None:
    judge(verdict="WA")
    first = judge(time_ms=None)
    set_back()
    judge(time_ms=None)
    progress = store.progress("01")
    assert progress.best_id == first, "without a time the first acceptance is the best"
    assert progress.first_accepted_at == store.get_submission(first).created_at
    assert store.activity("01").tries == 2


def test_a_hint_after_the_acceptance_is_no_evidence(
    store: Store, judge: Judge, set_back: Callable[[], None]
) -> None:
    store.open_hint("01", 1)
    set_back()
    judge()
    set_back()
    store.open_hint("01", 2)
    store.see_solution("01")
    activity = store.activity("01")
    assert [hint.rung for hint in activity.hints] == [1]
    assert activity.solution_seen_at is None


def test_a_submission_after_a_review_counts_for_the_next_one(
    store: Store,
    judge: Judge,
    make_card: Callable[[datetime], str],
    clock: TickingClock,
    set_back: Callable[[], None],
) -> None:
    judge()
    now = clock()
    assert store.record_review(
        "problem:01",
        previous=None,
        rating=3,
        evidence={},
        card=make_card(now),
        due=now,
        reviewed_at=now,
    )
    card = store.review_card("problem:01")
    assert card is not None
    set_back()
    judge(verdict="WA")
    store.open_hint("01", 2)
    activity = store.activity("01", since=card.ordered_at)
    assert (activity.tries, [hint.rung for hint in activity.hints]) == (1, [2])
    set_back()
    assert store.undo_review("problem:01")
    set_back()
    judge()
    undone_at = store.last_undo("problem:01")
    activity = store.activity("01", since=undone_at)
    assert activity.tries == 1
    assert activity.accepted_at is not None


def test_a_copy_has_the_same_order(
    store: Store, judge: Judge, set_back: Callable[[], None], tmp_path: Path, clock: TickingClock
) -> None:
    ids = []
    for _ in range(3):
        ids.append(judge())
        store.open_hint("01", len(ids))
        set_back()
    clock.now += 4 * YEAR
    with open_store(tmp_path / "copy.db", clock=clock) as copy:
        copy.import_progress(store.export_progress().document)
        assert [one.id for one in copy.submissions_of("01")] == ids[::-1]
        assert copy.all_progress() == store.all_progress()
        clock.now -= 8 * YEAR
        newest = copy.add_submission("01", "pass", client_key="new")
        assert copy.submissions_of("01")[0].id == newest
