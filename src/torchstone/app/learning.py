"""Hints, editorial and solution: what is opened, when, and what opening it costs."""

from dataclasses import dataclass

from torchstone.app.home import Home
from torchstone.app.reviewing import ReviewNote, settle
from torchstone.app.standing import find_place, local_now
from torchstone.core.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class HintShown:
    """One rung of the ladder.

    Args:
        number: Which rung, from 1.
        num_rungs: How many there are.
        counts: Whether opening it is evidence in the next review.
    """

    problem: str
    number: int
    num_rungs: int
    rung: str
    words: dict[str, str]
    counts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSolution:
    """One right program of the bank."""

    name: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Solutions:
    """The right programs of a problem, the model solution first.

    Args:
        gave_up: Whether opening them was giving up.
        review: When the problem comes back after giving up.
    """

    problem: str
    solutions: tuple[ModelSolution, ...]
    gave_up: bool
    review: ReviewNote | None


def next_rung(home: Home, name: str) -> int:
    """Name the rung that ``open_hint`` would open; the last one when all are open."""
    problem = home.problem(name)
    with home.open_store() as store:
        place = find_place(store, problem, local_now())
    return min(place.highest_rung + 1, len(problem.hints))


def open_hint(home: Home, name: str, rung: int | None = None) -> HintShown:
    """Open a rung of the hints, the next one when none is named, and record it.

    Raises:
        BadInput: There is no such rung, or those before it are still closed.
    """
    problem = home.problem(name)
    with home.open_store() as store:
        place = find_place(store, problem, local_now())
        last = len(problem.hints)
        number = min(place.highest_rung + 1, last) if rung is None else rung
        if not 1 <= number <= last:
            raise BadInput("app.rung_unknown", rung=number, last=last)
        if number > place.highest_rung + 1 and not place.is_settled:
            raise BadInput("app.rung_closed", rung=number, next=place.highest_rung + 1)
        counts = not place.is_settled
        if counts and number > place.highest_rung:
            store.open_hint(problem.id, number)
    hint = problem.hints[number - 1]
    return HintShown(
        problem=problem.id,
        number=number,
        num_rungs=last,
        rung=hint.rung.value,
        words={"en": hint.en, "zh": hint.zh},
        counts=counts,
    )


def read_editorial(home: Home, name: str) -> dict[str, str]:
    """Give the editorial in both languages, once the problem is accepted or given up.

    Raises:
        BadInput: It is neither, or it is due for a review.
    """
    problem = home.problem(name)
    with home.open_store() as store:
        place = find_place(store, problem, local_now())
    if not place.is_settled:
        raise BadInput("app.still_closed", problem=problem.id)
    return {"en": problem.editorial.en, "zh": problem.editorial.zh}


def open_solutions(home: Home, name: str, *, give_up: bool = False) -> Solutions:
    """Give the right programs; before an acceptance this is giving up, and is recorded.

    Args:
        home: Where the learner works.
        name: The problem.
        give_up: Open them although the problem is not accepted.

    Raises:
        BadInput: The problem is not settled, and giving up was not asked for.
    """
    problem, now = home.problem(name), local_now()
    note = None
    with home.open_store() as store:
        place = find_place(store, problem, now)
        gives_up = not place.is_settled
        if gives_up:
            if not give_up:
                raise BadInput("app.still_closed", problem=problem.id)
            store.see_solution(problem.id)
            note = settle(store, problem, local_now())
    return Solutions(
        problem=problem.id,
        solutions=tuple(
            ModelSolution(name=variant.name, source=variant.source)
            for variant in (problem.solution, *problem.good)
        ),
        gave_up=gives_up,
        review=note,
    )
