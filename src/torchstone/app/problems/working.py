"""Time that the learner works on a problem, as the page counts it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from torchstone.app.home import Home
from torchstone.app.problems.problem_state import find_state, local_now

if TYPE_CHECKING:
    from torchstone.bank import Problem
    from torchstone.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A span of work that has ended."""

    seconds: int
    until: datetime


def note_work(home: Home, name: str, spans: Sequence[Span]) -> int:
    """Record spans of work; a span that is sent twice counts once.

    Returns:
        The seconds of work that count in the next review; see ``count_work``.
    """
    problem = home.problem(name)
    with home.open_store() as store:
        for span in spans:
            store.note_work(problem.id, span.seconds, until=span.until)
        return _count(store, problem)


def count_work(home: Home, name: str) -> int:
    """Return the seconds of work since the last review, which the rating of the next one uses."""
    problem = home.problem(name)
    with home.open_store() as store:
        return _count(store, problem)


def _count(store: "Store", problem: "Problem") -> int:
    since = find_state(store, problem, local_now()).evidence_since
    return store.activity(problem.id, since=since).worked_s
