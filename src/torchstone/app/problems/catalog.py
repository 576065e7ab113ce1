"""Problem list with progress, and the page of one problem."""

from dataclasses import dataclass
from datetime import datetime

from torchstone.app.home import Home
from torchstone.app.problems.drafts import edited_problems
from torchstone.app.problems.problem_state import facts_of, find_states, local_now, standings_of
from torchstone.bank import Bank, Kind, Limits, Problem
from torchstone.bank.statement import whole_statement
from torchstone.core.i18n import LANGS
from torchstone.core.verdict import Verdict
from torchstone.study import Status, draw_map


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemRow:
    """One entry of the problem list.

    Args:
        status: Proven, tried or untouched.
        strength: The chance to solve it unaided now; None before the first review.
        due: The date of its next review.
        last_verdict: The verdict of the last judged submission; runs do not count.
        has_draft: Whether the learner's file exists and differs from the starter.
        is_marked: Whether the learner has marked it.
    """

    id: str
    slug: str
    title: dict[str, str]
    part: int
    stars: int
    kind: Kind
    minutes: int
    concepts: tuple[str, ...]
    status: Status
    strength: float | None
    due: datetime | None
    is_due: bool
    attempts: int
    best_time_ms: float | None
    last_verdict: Verdict | None
    has_draft: bool
    is_marked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenFolder:
    """A problem folder that could not be loaded, and the reason."""

    folder: str
    file: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemList:
    """All problems, and the broken folders."""

    problems: tuple[ProblemRow, ...]
    broken: tuple[BrokenFolder, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemPage:
    """The public parts of a problem, without hints.

    Args:
        names: The names that the solution must define.
        denied_families: The families of banned operators.
        previous_id: The previous problem in the bank; None for the first.
        next_id: The next problem in the bank; None for the last.
        titles: The titles of its prerequisites and neighbours, by id.
    """

    id: str
    slug: str
    title: dict[str, str]
    part: int
    stars: int
    minutes: int
    kind: Kind
    names: tuple[str, ...]
    signature: str
    limits: Limits
    denied_families: tuple[str, ...]
    concepts: tuple[str, ...]
    prerequisites: tuple[str, ...]
    previous_id: str | None
    next_id: str | None
    titles: dict[str, dict[str, str]]
    statement: dict[str, str]
    starter: str


def list_problems(
    home: Home, *, part: int | None = None, path: str | None = None, only_marked: bool = False
) -> ProblemList:
    """List the problems with their progress, in the order of the bank or of a path."""
    now, edited = local_now(), edited_problems(home)
    with home.open_store() as store:
        states = find_states(store, home.bank, now)
        verdicts, marked = store.latest_verdicts(), store.marked()
    drawn = draw_map(facts_of(home.bank), standings_of(states), now)
    rows = []
    for problem, mastery in zip(home.bank, drawn.problems, strict=True):
        spec, state, judged = problem.spec, states.get(problem.id), verdicts.get(problem.id)
        rows.append(
            ProblemRow(
                id=problem.id,
                slug=problem.slug,
                title=title_of(problem),
                part=spec.part,
                stars=spec.stars,
                kind=spec.entry.kind,
                minutes=spec.minutes.practice,
                concepts=spec.concepts,
                status=mastery.status,
                strength=mastery.strength,
                due=mastery.due,
                is_due=state is not None and state.is_due,
                attempts=state.progress.attempts if state else 0,
                best_time_ms=state.progress.best_time_ms if state else None,
                last_verdict=judged.verdict if judged else None,
                has_draft=problem.id in edited,
                is_marked=problem.id in marked,
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
    if path is not None:
        by_id = {row.id: row for row in rows}
        rows = [by_id[each] for each in home.require_path(path).problem_ids]
    chosen = tuple(
        row for row in rows if part in (None, row.part) and (row.is_marked or not only_marked)
    )
    return ProblemList(problems=chosen, broken=broken)


def show_problem(home: Home, name: str) -> ProblemPage:
    """Return the statement of a problem and its public data."""
    problem = home.problem(name)
    spec = problem.spec
    previous, following = _neighbours(home.bank, problem)
    named = (*spec.prerequisites, previous, following)
    return ProblemPage(
        id=problem.id,
        slug=problem.slug,
        title=title_of(problem),
        part=spec.part,
        stars=spec.stars,
        minutes=spec.minutes.practice,
        kind=spec.entry.kind,
        names=spec.entry.names,
        signature=spec.entry.signature,
        limits=spec.limits,
        denied_families=spec.deny.families,
        concepts=spec.concepts,
        prerequisites=spec.prerequisites,
        previous_id=previous,
        next_id=following,
        # A prerequisite from a pack that is not installed has no title.
        titles={each.id: title_of(each) for each in home.bank if each.id in named},
        statement={lang: whole_statement(problem, lang) for lang in LANGS},
        starter=problem.starter,
    )


def _neighbours(bank: Bank, problem: Problem) -> tuple[str | None, str | None]:
    ids = [None, *(each.id for each in bank), None]
    place = ids.index(problem.id)
    return ids[place - 1], ids[place + 1]


def title_of(problem: Problem) -> dict[str, str]:
    """Return the title in both languages."""
    return {"en": problem.title.en, "zh": problem.title.zh}
