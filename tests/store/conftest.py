"""A store in a temporary folder, a clock that never stands still, and cards."""

import itertools
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from torchstone.store import Store, SubmissionKind, open_store

BEGIN = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


class TickingClock:
    """Return a later time at each call."""

    def __init__(self) -> None:
        self.now = BEGIN

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def clock() -> TickingClock:
    return TickingClock()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "torchstone.db"


@pytest.fixture
def store(path: Path, clock: TickingClock) -> Iterator[Store]:
    with open_store(path, clock=clock) as opened:
        yield opened


@pytest.fixture
def make_card() -> Callable[[datetime], str]:
    def make(due: datetime, *, stability: float = 2.5) -> str:
        return json.dumps(
            {
                "card_id": 0,
                "state": 2,
                "step": None,
                "stability": stability,
                "difficulty": 5.0,
                "due": due.isoformat(),
                "last_review": BEGIN.isoformat(),
            }
        )

    return make


@pytest.fixture
def judge(store: Store) -> Callable[..., str]:
    """Add, claim and judge a submission; give its id."""
    keys = itertools.count()

    def run(
        problem_id: str = "01",
        verdict: str = "AC",
        *,
        kind: SubmissionKind = "submit",
        time_ms: object = 1.0,
    ) -> str:
        key = f"key-{next(keys)}"
        added = store.add_submission(problem_id, "pass", kind=kind, client_key=key)
        assert store.claim(added, "host")
        assert store.record_verdict(added, {"verdict": verdict, "time_ms": time_ms}, {})
        return added

    return run
