"""Choices of the learner: marked problems and the path to follow, as facts like all activities.

The last choice counts. A choice is undone by another one, so that a merge of two databases keeps
the later of both.
"""

from abc import ABC
from typing import Any, Literal, TypeAlias

from sqlalchemy import Row, select

from torchstone.store.damage import is_intact
from torchstone.store.progress import ProgressSection
from torchstone.store.schema import activities

ChoiceKind: TypeAlias = Literal["mark", "unmark", "path"]
# What the column of the problem holds if no path is followed.
NO_PATH = "none"


class Choices(ProgressSection, ABC):
    """The section of the store with the learner's choices."""

    def mark(self, problem_id: str, *, marked: bool) -> None:
        """Mark a problem, or remove its mark; without a change nothing is recorded."""
        if (problem_id in self.marked()) != marked:
            self._note(problem_id, kind="mark" if marked else "unmark", rung=0)

    def marked(self) -> frozenset[str]:
        """Read the ids of the marked problems."""
        last = {row.problem_id: row.kind for row in self._chosen("mark", "unmark")}
        return frozenset(problem_id for problem_id, kind in last.items() if kind == "mark")

    def choose_path(self, path_id: str | None) -> None:
        """Record the path to follow, or that none is followed; without a change nothing."""
        if path_id != self.chosen_path():
            self._note(path_id or NO_PATH, kind="path", rung=0)

    def chosen_path(self) -> str | None:
        """Read the id of the path that the learner follows."""
        chosen = [row.problem_id for row in self._chosen("path")]
        return chosen[-1] if chosen and chosen[-1] != NO_PATH else None

    def _chosen(self, *kinds: ChoiceKind) -> list[Row[Any]]:
        """Read the intact choices of some kinds, oldest first."""
        query = select(activities).where(activities.c.kind.in_(kinds))
        ordered = query.order_by(activities.c.ordered_at, activities.c.number)
        with self._reading() as connection:
            rows = connection.execute(ordered).all()
        return [row for row in rows if is_intact("activities", row)]
