"""Overview of progress: mastery, due reviews and the recommended next problem."""

from dataclasses import dataclass

from torchstone.app.home import Home
from torchstone.app.judging.history import RecentLine, count_submissions, recent_submissions
from torchstone.app.problems.catalog import title_of
from torchstone.app.problems.problem_state import facts_of, local_now, standings
from torchstone.app.review.after_verdict import settle_all
from torchstone.bank import ProblemSpec
from torchstone.bank.concepts import load_concepts
from torchstone.study import (
    DayCount,
    DueItem,
    MapCell,
    NextProblem,
    ProblemMastery,
    Status,
    draw_map,
    forecast,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStep(NextProblem):
    """The one thing to do next, and how long it takes."""

    title: dict[str, str]
    minutes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MapProblem:
    """One problem on the map.

    Args:
        chapters: The chapters of the questions that it makes one write, in order.
        strength: The chance to write it unaided now; None before the first review.
    """

    id: str
    part: int
    stars: int
    chapters: tuple[int, ...]
    status: Status
    strength: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The map in numbers.

    Args:
        cells: The problems of each part and number of stars, counted.
        needles: The problems one by one, in the order of the bank.
        due: What to write again today, weakest first.
        next: The one thing to do next; None when all is proven and nothing is due.
        forecast: How many reviews fall on each day of the next two weeks.
        recent: What was submitted last, newest first; runs on the samples are left out.
        num_submissions: How many there are in all.
        titles: The titles of the problems, by id.
    """

    num_proven: int
    num_tried: int
    num_untouched: int
    cells: tuple[MapCell, ...]
    needles: tuple[MapProblem, ...]
    due: tuple[DueItem, ...]
    next: NextStep | None
    forecast: tuple[DayCount, ...]
    recent: tuple[RecentLine, ...]
    num_submissions: int
    titles: dict[str, dict[str, str]]


def look_over(home: Home) -> Overview:
    """Draw the map; acceptances that no terminal has seen yet are reviewed first."""
    now = local_now()
    with home.open_store() as store:
        places = settle_all(store, home.bank, now)
    drawn = draw_map(facts_of(home.bank), standings(places), now)
    counts = {status: sum(one.status is status for one in drawn.problems) for status in Status}
    return Overview(
        num_proven=counts[Status.PROVEN],
        num_tried=counts[Status.TRIED],
        num_untouched=counts[Status.UNTOUCHED],
        cells=drawn.cells,
        needles=tuple(
            _map_problem(problem.spec, mastery)
            for problem, mastery in zip(home.bank, drawn.problems, strict=True)
        ),
        due=drawn.due,
        next=_step(home, drawn.next) if drawn.next else None,
        forecast=forecast((place.card.due for place in places.values() if place.card), now),
        recent=recent_submissions(home),
        num_submissions=count_submissions(home),
        titles={problem.id: title_of(problem) for problem in home.bank},
    )


def _map_problem(spec: ProblemSpec, mastery: ProblemMastery) -> MapProblem:
    return MapProblem(
        id=spec.id,
        part=spec.part,
        stars=spec.stars,
        chapters=load_concepts().chapters_of(spec.concepts),
        status=mastery.status,
        strength=mastery.strength,
    )


def _step(home: Home, following: NextProblem) -> NextStep:
    problem = home.problem(following.problem_id)
    return NextStep(
        problem_id=following.problem_id,
        is_review=following.is_review,
        reason=following.reason,
        title=title_of(problem),
        minutes=problem.spec.minutes.practice,
    )
