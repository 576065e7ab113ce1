"""What the store tells becomes evidence, nothing added and nothing lost."""

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from torchstone.store import Store, open_store
from torchstone.study import Evidence, Rating, gather_evidence, rate, review

pytestmark = pytest.mark.pure


class Clock:
    """Stands still until it is told to move on."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def wait(self, **time: float) -> None:
        self.now += timedelta(**time)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    with open_store(tmp_path / "torchstone.db", clock=clock) as opened:
        yield opened


def submit(store: Store, verdict: str) -> None:
    number = len(store.submissions_of("01"))
    added = store.add_submission("01", "", client_key=f"key {number}")
    store.claim(added, "host")
    store.record_verdict(added, {"verdict": verdict}, {})


def test_the_evidence_of_a_clean_first_try(store: Store, clock: Clock) -> None:
    store.start_problem("01")
    clock.wait(minutes=12.5)
    submit(store, "AC")
    evidence = gather_evidence(store.activity("01"), planned_minutes=20)
    assert evidence == Evidence(
        accepted=True,
        tries=1,
        highest_rung=0,
        solution_seen=False,
        minutes=12.5,
        planned_minutes=20,
    )


def test_the_evidence_of_a_struggle(store: Store, clock: Clock) -> None:
    for rung in (1, 2, 3, 1):
        store.open_hint("01", rung)
        clock.wait(minutes=5)
        submit(store, "WA")
    clock.wait(minutes=1)
    store.see_solution("01")
    evidence = gather_evidence(store.activity("01"), planned_minutes=20)
    assert (evidence.accepted, evidence.tries, evidence.highest_rung) == (False, 4, 3)
    assert (evidence.solution_seen, evidence.minutes) == (True, None)


def test_what_was_opened_in_the_moment_of_the_acceptance_was_opened_before_it(
    store: Store, clock: Clock
) -> None:
    store.start_problem("01")
    clock.wait(minutes=5)
    store.open_hint("01", 3)
    store.see_solution("01")
    submit(store, "AC")
    clock.wait(minutes=1)
    store.open_hint("01", 4)
    evidence = gather_evidence(store.activity("01"), planned_minutes=20)
    assert (evidence.accepted, evidence.highest_rung, evidence.solution_seen) == (True, 3, True)


def test_what_happened_in_the_moment_of_a_review_was_its_evidence(
    store: Store, clock: Clock
) -> None:
    store.start_problem("01")
    store.open_hint("01", 3)
    submit(store, "AC")
    evidence = gather_evidence(store.activity("01", since=clock.now), planned_minutes=20)
    assert (evidence.accepted, evidence.tries, evidence.highest_rung) == (False, 0, 0)
    assert evidence.minutes is None


def test_the_minutes_of_an_open_problem_run_until_now(store: Store, clock: Clock) -> None:
    def minutes(now: datetime) -> float | None:
        activity = store.activity("01")
        return gather_evidence(activity, planned_minutes=20, now=now).minutes

    assert minutes(clock.now) == 0
    store.start_problem("01")
    clock.wait(minutes=7)
    assert minutes(clock.now) == 7
    assert gather_evidence(store.activity("01"), planned_minutes=20).minutes is None
    # A clock that was set back.
    assert minutes(clock.now - timedelta(days=1)) == 0
    submit(store, "AC")
    clock.wait(minutes=60)
    assert minutes(clock.now) == 7


def test_a_second_round_is_rated_by_itself(store: Store, clock: Clock) -> None:
    store.see_solution("01")
    clock.wait(minutes=1)
    submit(store, "AC")
    first = rate(gather_evidence(store.activity("01"), planned_minutes=20))
    assert first.rating is Rating.AGAIN
    clock.wait(seconds=1)
    scheduled = review(None, first.rating, clock())
    assert store.record_review(
        "problem:01",
        previous=None,
        rating=first.rating,
        evidence={},
        card=scheduled.card,
        due=scheduled.due,
        reviewed_at=clock(),
    )
    clock.wait(days=1)
    store.start_problem("01")
    clock.wait(minutes=10)
    submit(store, "AC")
    card = store.review_card("problem:01")
    assert card is not None
    activity = store.activity("01", since=card.reviewed_at)
    assert rate(gather_evidence(activity, planned_minutes=20)).rating is Rating.EASY
    assert review(card.card, Rating.EASY, clock()).due > clock() + timedelta(days=1)


def test_studying_imports_no_database_and_no_torch() -> None:
    script = (
        "import sys, torchstone.study;"
        "print(sorted({'sqlalchemy', 'alembic', 'torch', 'numpy'} & sys.modules.keys()))"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def work(store: Store, clock: Clock, *, spans: int) -> None:
    """Work for a number of minutes, as the page counts them."""
    for _ in range(spans):
        clock.wait(minutes=1)
        store.note_work("01", 60, until=clock.now)


def test_the_minutes_are_those_that_the_page_counted(store: Store, clock: Clock) -> None:
    store.start_problem("01")
    work(store, clock, spans=10)
    clock.wait(hours=20)
    work(store, clock, spans=5)
    submit(store, "AC")
    evidence = gather_evidence(store.activity("01"), planned_minutes=20)
    assert evidence.minutes == 15
    assert rate(evidence).rating is Rating.EASY


def test_work_elsewhere_counts_from_the_start(store: Store, clock: Clock) -> None:
    store.start_problem("01")
    work(store, clock, spans=1)
    # The learner goes on in an editor beside a terminal.
    clock.wait(minutes=59)
    submit(store, "AC")
    assert gather_evidence(store.activity("01"), planned_minutes=20).minutes == 60


def test_work_after_the_acceptance_and_before_the_last_review_does_not_count(
    store: Store, clock: Clock
) -> None:
    work(store, clock, spans=7)
    clock.wait(minutes=1)
    since = clock.now
    clock.wait(minutes=1)
    store.start_problem("01")
    work(store, clock, spans=3)
    submit(store, "AC")
    clock.wait(seconds=1)
    work(store, clock, spans=9)
    assert gather_evidence(store.activity("01", since=since), planned_minutes=20).minutes == 3


def test_before_an_acceptance_the_price_of_a_hint_uses_the_same_minutes(
    store: Store, clock: Clock
) -> None:
    store.start_problem("01")
    work(store, clock, spans=1)
    clock.wait(hours=3)
    work(store, clock, spans=4)
    activity = store.activity("01")
    assert gather_evidence(activity, planned_minutes=20, now=clock.now).minutes == 5
    later = clock.now + timedelta(hours=1)
    assert gather_evidence(activity, planned_minutes=20, now=later).minutes == 245


def test_who_opens_the_page_only_to_submit_worked_since_the_start(
    store: Store, clock: Clock
) -> None:
    store.start_problem("01")
    clock.wait(hours=2)
    work(store, clock, spans=1)
    submit(store, "AC")
    evidence = gather_evidence(store.activity("01"), planned_minutes=20)
    assert evidence.minutes == 121
    assert rate(evidence).rating is Rating.GOOD
