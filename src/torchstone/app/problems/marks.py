"""Marked problems: a learner's bookmarks."""

from __future__ import annotations

from dataclasses import dataclass

from torchstone.app.home import Home


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Whether a problem is marked now."""

    problem: str
    marked: bool


def mark_problem(home: Home, name: str, *, marked: bool | None = None) -> Mark:
    """Mark a problem, or remove its mark.

    Args:
        home: The learner's home.
        name: The problem.
        marked: Whether it is marked afterwards; the opposite of before by default.
    """
    problem = home.problem(name).id
    with home.open_store() as store:
        after = problem not in store.marked() if marked is None else marked
        store.mark(problem, marked=after)
    return Mark(problem=problem, marked=after)
