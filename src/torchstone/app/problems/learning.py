"""Hints, editorial and solutions: unlock conditions and their effect on the review."""

from dataclasses import dataclass, replace
from datetime import datetime

from torchstone.app.home import Home
from torchstone.app.problems.problem_state import find_state, highest_rung, local_now
from torchstone.app.review.after_verdict import ReviewNote, settle
from torchstone.bank.library import lines_of
from torchstone.bank.questions.library import LibraryLines
from torchstone.core.errors import BadInput
from torchstone.core.i18n import both
from torchstone.study import Rating, best_rating, gather_evidence

# The message for the lowest possible rating of an acceptance; more hints do not lower it.
_PRICES = {Rating.GOOD: "good", Rating.HARD: "hard"}


@dataclass(frozen=True, slots=True, kw_only=True)
class HintShown:
    """One opened rung of the hints.

    Args:
        number: The number of the rung, from 1.
        num_rungs: The number of all rungs.
        counts: Whether the opening is evidence in the next review.
    """

    problem: str
    number: int
    num_rungs: int
    rung: str
    words: dict[str, str]
    counts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderRung:
    """One rung of the hints, open or closed.

    Args:
        words: The text; None while it is closed.
        opened_at: The time of its opening since the last review, or at all for a settled problem.
    """

    number: int
    rung: str
    words: dict[str, str] | None
    opened_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """All rungs of the hints.

    Args:
        next_rung: The rung that can be opened next; None if all are open.
        price: The effect of opening it on the review, in both languages.
        is_dear: Whether the effect is so large that the interface asks for confirmation.
        is_settled: Whether opening has no effect, because there is no review.
    """

    problem: str
    rungs: tuple[LadderRung, ...]
    next_rung: int | None
    price: dict[str, str] | None
    is_dear: bool
    is_settled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Editorial:
    """The explanation of a problem, and the lines of the library that do its work.

    Args:
        words: The text in both languages, as Markdown.
    """

    words: dict[str, str]
    code: tuple[LibraryLines, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSolution:
    """One right answer of the bank."""

    name: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Solutions:
    """The right answers of a problem, the model solution first.

    Args:
        gave_up: Whether the learner gave up by opening them.
        review: The review after giving up.
    """

    problem: str
    solutions: tuple[ModelSolution, ...]
    gave_up: bool
    review: ReviewNote | None


def read_ladder(home: Home, name: str) -> Ladder:
    """Return the open rungs and the effect of the next one, without opening any."""
    problem, now = home.problem(name), local_now()
    with home.open_store() as store:
        state = find_state(store, problem, now)
        activity = store.activity(problem.id, since=state.evidence_since)
    planned = problem.spec.minutes.practice
    evidence = gather_evidence(activity, planned_minutes=planned, now=now)
    last = len(problem.hints)
    num_open = last if state.is_settled else evidence.highest_rung
    hints = state.progress.hints if state.is_settled else activity.hints
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
        is_settled=state.is_settled,
    )


def open_hint(home: Home, name: str, rung: int | None = None) -> HintShown:
    """Open a rung of the hints, by default the next one, and record it.

    Raises:
        BadInput: The rung does not exist, or an earlier one is closed.
    """
    problem = home.problem(name)
    with home.open_store() as store:
        state = find_state(store, problem, local_now())
        highest, last = highest_rung(store, state), len(problem.hints)
        number = min(highest + 1, last) if rung is None else rung
        if not 1 <= number <= last:
            raise BadInput("app.rung_unknown", rung=number, last=last)
        if number > highest + 1 and not state.is_settled:
            raise BadInput("app.rung_closed", rung=number, next=highest + 1)
        counts = not state.is_settled
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


def read_editorial(home: Home, name: str) -> Editorial:
    """Return the editorial if the problem is accepted or given up.

    Raises:
        BadInput: The problem is neither, or is due for a review.
    """
    problem = home.problem(name)
    with home.open_store() as store:
        state = find_state(store, problem, local_now())
    if not state.is_settled:
        raise BadInput("app.still_closed", problem=problem.id)
    return Editorial(
        words={"en": problem.editorial.en, "zh": problem.editorial.zh},
        code=lines_of(problem.id, home.bank_root),
    )


def open_solutions(home: Home, name: str, *, give_up: bool = False) -> Solutions:
    """Return the right answers; before an acceptance this records that the learner gave up.

    Args:
        home: The learner's home.
        name: The problem.
        give_up: Open them although the problem is not accepted.

    Raises:
        BadInput: The problem is not settled, and ``give_up`` is False.
    """
    problem, now = home.problem(name), local_now()
    note = None
    with home.open_store() as store:
        state = find_state(store, problem, now)
        gives_up = not state.is_settled
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
