"""A learner of their own for each test, and verdicts that look as a host recorded them."""

import itertools
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.reports import stored_report
from torchstone.app.home import Home, find_home
from torchstone.app.problems.problem_state import local_now
from torchstone.app.review.after_verdict import settle
from torchstone.judge.host.client import Client
from torchstone.store import open_store


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A learner with an empty database and an empty workspace."""
    for name in ("data", "workspace"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(f"TORCHSTONE_{name.upper()}", str(tmp_path / name))
    return find_home()


@pytest.fixture
def record(home: Home) -> Callable[..., str]:
    """Record a verdict as the host does; give the id of the submission."""
    keys = itertools.count()

    def run(problem: str = "01", verdict: str = "AC", **more: Any) -> str:
        with home.open_store() as store:
            added = store.add_submission(problem, "pass\n", client_key=f"key-{next(keys)}")
            assert store.claim(added, "host")
            report = stored_report(problem, verdict, **more)
            assert store.record_verdict(added, report, {"id": "c41e08d752ba"})
        return added

    return run


@pytest.fixture
def accepted_long_ago(home: Home) -> Callable[..., str]:
    """Let problem 01 be accepted and reviewed a month ago, so that it is due again now."""

    def run(problem: str = "01", *, days: int = 30, num_hints: int = 0) -> str:
        # At noon: then no test meets the end of a day.
        moment = local_now().replace(hour=12) - timedelta(days=days)
        ticks = (moment + timedelta(seconds=number) for number in itertools.count())
        with open_store(clock=lambda: next(ticks)) as store:
            for rung in range(1, num_hints + 1):
                store.open_hint(problem, rung)
            added = store.add_submission(problem, "pass\n", client_key=f"long ago {problem}")
            assert store.claim(added, "host")
            assert store.record_verdict(added, stored_report(problem), {})
            settle(store, home.problem(problem), moment + timedelta(minutes=1))
        return added

    return run


@pytest.fixture(scope="session")
def shared_home() -> Iterator[Home]:
    """One learner for all tests of the package that judge: starting a judge takes seconds."""
    yield find_home()
    Client().stop()
