"""A learner with a history, written into the data folder of a server before it starts."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from tests.reports import make_case, make_report
from torchstone.app.home import Home, find_home
from torchstone.app.problems.problem_state import local_now
from torchstone.app.review.after_verdict import settle
from torchstone.judge.messages import plain
from torchstone.store import Store, open_store

# Problem, verdict, days ago. 01 is due again by now, 02 and 05 are not, 03 was only tried.
HISTORY = (("01", "WA", 30), ("01", "AC", 30), ("05", "AC", 2), ("02", "AC", 1), ("03", "WA", 0))
DUE, LATER, TRIED, UNTOUCHED = "01", "05", "03", "04"
MARKUP = "<img src=x onerror=alert(1)>"


def seed(data: Path) -> None:
    """Write the history."""
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    home = find_home()
    for number, (problem, verdict, days) in enumerate(HISTORY):
        moment = local_now() - timedelta(days=days, minutes=30 - number)
        with _store_of(data, moment) as store:
            store.start_problem(problem)
            _judge(store, problem, verdict, key=f"seed {number}")
            _review(store, home, problem, moment)


@contextmanager
def _store_of(data: Path, moment: datetime) -> Iterator[Store]:
    ticks = (moment + timedelta(seconds=number) for number in itertools.count())
    with open_store(data / "torchstone.db", clock=lambda: next(ticks)) as store:
        yield store


def _judge(store: Store, problem: str, verdict: str, *, key: str) -> None:
    added = store.add_submission(problem, f"# {MARKUP}\npass\n", client_key=key)
    assert store.claim(added, "host")
    assert store.record_verdict(added, _report(problem, verdict), {})


def _review(store: Store, home: Home, problem: str, moment: datetime) -> None:
    settle(store, home.problem(problem), moment + timedelta(minutes=1))


def _report(problem: str, verdict: str) -> dict[str, Any]:
    ratio = 0.5 if verdict == "AC" else 900.0
    case = make_case(code=verdict, ratio=ratio)
    failed = () if verdict == "AC" else ("sample",)
    return plain(make_report(problem, verdict, cases=(case,), failed_groups=failed, stdout=MARKUP))
