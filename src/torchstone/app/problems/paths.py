"""Paths with the learner's progress, and the one that the learner follows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from torchstone.app.home import Home
from torchstone.app.problems.catalog import title_of
from torchstone.bank.schema import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class PathStep:
    """Problem of a path, with the reason for it, and whether it is proven."""

    problem: str
    title: dict[str, str]
    why: dict[str, str]
    is_proven: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PathProgress:
    """A path with the learner's progress.

    Args:
        is_chosen: Whether the learner follows it.
    """

    id: str
    title: dict[str, str]
    lead: dict[str, str]
    steps: tuple[PathStep, ...]
    num_proven: int
    is_chosen: bool


def list_paths(home: Home, *, proven: Collection[str] | None = None) -> tuple[PathProgress, ...]:
    """List the paths in their order.

    Args:
        home: The learner's home.
        proven: The ids of the proven problems, if the caller knows them; read by default.
    """
    with home.open_store() as store:
        chosen = store.chosen_path()
        if proven is None:
            progress = store.all_progress()
            proven = {problem_id for problem_id, one in progress.items() if one.is_accepted}
    proven = frozenset(proven)
    return tuple(
        PathProgress(
            id=path.id,
            title=_said(path.title),
            lead=_said(path.lead),
            steps=tuple(
                PathStep(
                    problem=step.problem,
                    title=title_of(home.problem(step.problem)),
                    why=_said(step.why),
                    is_proven=step.problem in proven,
                )
                for step in path.steps
            ),
            num_proven=len(proven.intersection(path.problem_ids)),
            is_chosen=path.id == chosen,
        )
        for path in home.paths
    )


def follow_path(home: Home, path_id: str | None) -> None:
    """Follow a path, or none.

    Raises:
        NotFound: The bank has no such path.
    """
    if path_id is not None:
        home.require_path(path_id)
    with home.open_store() as store:
        store.choose_path(path_id)


def _said(words: Words) -> dict[str, str]:
    return {"en": words.en, "zh": words.zh}
