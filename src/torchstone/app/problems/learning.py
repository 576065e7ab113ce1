"""Hints, editorial and solutions: unlock conditions and their effect on the review."""

from dataclasses import dataclass, replace
from datetime import datetime

from torchstone.app.home import Home
from torchstone.app.problems.problem_state import find_state, highest_rung, local_now
from torchstone.app.review.after_verdict import ReviewNote, settle
from torchstone.core.errors import BadInput
from torchstone.core.i18n import both
from torchstone.study import Rating, best_rating, gather_evidence

# The sentence for the best rating that is left; a hint never leads further down.
_PRICES = {Rating.GOOD: "good", Rating.HARD: "hard"}


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
class LadderRung:
    """One rung as it stands.

    Args:
        words: What it says; None while it is closed.
        opened_at: When it was opened since the last review, or ever, once the problem is settled.
    """

    number: int
    rung: str
    words: dict[str, str] | None
    opened_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """All rungs of the hints.

    Args:
        next_rung: The one that may be opened next; None when none is closed.
        price: What opening it costs in the review, in both languages.
        is_dear: Whether it costs so much that one should be asked again.
        is_settled: Whether opening costs nothing, because no review is to come of it.
    """

    problem: str
    rungs: tuple[LadderRung, ...]
    next_rung: int | None
    price: dict[str, str] | None
    is_dear: bool
    is_settled: bool


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


def read_ladder(home: Home, name: str) -> Ladder:
    """Show which rungs are open and what the next one costs, and open none."""
    problem, now = home.problem(name), local_now()
    with home.open_store() as store:
        place = find_state(store, problem, now)
        activity = store.activity(problem.id, since=place.evidence_since)
    planned = problem.spec.minutes.practice
    evidence = gather_evidence(activity, planned_minutes=planned, now=now)
    last = len(problem.hints)
    num_open = last if place.is_settled else evidence.highest_rung
    hints = place.progress.hints if place.is_settled else activity.hints
    opened_at = {hint.rung: hint.opened_at for hint in hints}
    following, price, is_dear = None, None, False
    if num_open < last:
        following = num_open + 1
        before = best_rating(evidence)
        after = best_rating(replace(evidence, highest_rung=following))
        price = both(f"app.price.{_PRICES[after] if after < before else 'nothing'}", rung=following)
        is_dear = after < before and after is Rating.HARD
    return Ladder(
        problem=problem.id,
        rungs=tuple(
            LadderRung(
                number=number,
                rung=hint.rung.value,
                words={"en": hint.en, "zh": hint.zh} if number <= num_open else None,
                opened_at=opened_at.get(number),
            )
            for number, hint in enumerate(problem.hints, start=1)
        ),
        next_rung=following,
        price=price,
        is_dear=is_dear,
        is_settled=place.is_settled,
    )


def open_hint(home: Home, name: str, rung: int | None = None) -> HintShown:
    """Open a rung of the hints, the next one when none is named, and record it.

    Raises:
        BadInput: There is no such rung, or those before it are still closed.
    """
    problem = home.problem(name)
    with home.open_store() as store:
        place = find_state(store, problem, local_now())
        highest, last = highest_rung(store, place), len(problem.hints)
        number = min(highest + 1, last) if rung is None else rung
        if not 1 <= number <= last:
            raise BadInput("app.rung_unknown", rung=number, last=last)
        if number > highest + 1 and not place.is_settled:
            raise BadInput("app.rung_closed", rung=number, next=highest + 1)
        counts = not place.is_settled
        if counts and number > highest:
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
    """Return the editorial in both languages, once the problem is accepted or given up.

    Raises:
        BadInput: It is neither, or it is due for a review.
    """
    problem = home.problem(name)
    with home.open_store() as store:
        place = find_state(store, problem, local_now())
    if not place.is_settled:
        raise BadInput("app.still_closed", problem=problem.id)
    return {"en": problem.editorial.en, "zh": problem.editorial.zh}


def open_solutions(home: Home, name: str, *, give_up: bool = False) -> Solutions:
    """Return the right programs; before an acceptance this is giving up, and is recorded.

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
        place = find_state(store, problem, now)
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
