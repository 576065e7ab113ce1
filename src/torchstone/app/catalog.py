"""The problems as a learner sees them: the list with its progress, and one statement."""

from dataclasses import dataclass
from datetime import datetime

from torchstone.app.home import Home
from torchstone.app.standing import facts_of, local_now, standings
from torchstone.bank import Problem
from torchstone.study import Status, draw_map


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemRow:
    """One line of the list.

    Args:
        status: Proven, tried or untouched.
        strength: The chance to write it unaided now; None before the first review.
        due: When it comes back.
    """

    id: str
    slug: str
    title: dict[str, str]
    part: int
    stars: int
    status: Status
    strength: float | None
    due: datetime | None
    is_due: bool
    attempts: int
    best_time_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenFolder:
    """A problem folder that could not be loaded, and why."""

    folder: str
    file: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemList:
    """All problems, and the folders that hold none."""

    problems: tuple[ProblemRow, ...]
    broken: tuple[BrokenFolder, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemPage:
    """All that is shown of a problem before any hint."""

    id: str
    slug: str
    title: dict[str, str]
    part: int
    stars: int
    minutes: int
    signature: str
    concepts: tuple[str, ...]
    prerequisites: tuple[str, ...]
    statement: dict[str, str]
    starter: str


def list_problems(home: Home, *, part: int | None = None) -> ProblemList:
    """List the problems with their progress, in the order of the bank."""
    now = local_now()
    with home.open_store() as store:
        known = store.all_progress()
        drawn = draw_map(facts_of(home.bank), standings(store, home.bank), now)
    due = {item.problem_id for item in drawn.due}
    rows = []
    for problem, mastery in zip(home.bank, drawn.problems, strict=True):
        progress = known.get(problem.id)
        rows.append(
            ProblemRow(
                id=problem.id,
                slug=problem.slug,
                title=title_of(problem),
                part=problem.spec.part,
                stars=problem.spec.stars,
                status=mastery.status,
                strength=mastery.strength,
                due=mastery.due,
                is_due=problem.id in due,
                attempts=progress.attempts if progress else 0,
                best_time_ms=progress.best_time_ms if progress else None,
            )
        )
    broken = tuple(
        BrokenFolder(
            folder=str(error.values["problem"]),
            file=str(error.values["file"]),
            reason=str(error.values["reason"]),
        )
        for error in home.bank.broken
    )
    chosen = tuple(row for row in rows if part is None or row.part == part)
    return ProblemList(problems=chosen, broken=broken)


def show_problem(home: Home, name: str) -> ProblemPage:
    """Give the statement of a problem and what a reader asks about it first."""
    problem = home.problem(name)
    spec = problem.spec
    return ProblemPage(
        id=problem.id,
        slug=problem.slug,
        title=title_of(problem),
        part=spec.part,
        stars=spec.stars,
        minutes=spec.minutes.practice,
        signature=spec.entry.signature,
        concepts=spec.concepts,
        prerequisites=spec.prerequisites,
        statement={"en": problem.statement.en, "zh": problem.statement.zh},
        starter=problem.starter,
    )


def title_of(problem: Problem) -> dict[str, str]:
    """Give the title in both languages."""
    return {"en": problem.title.en, "zh": problem.title.zh}
