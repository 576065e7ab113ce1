"""Overview of progress: mastery, due reviews and the recommended next problem."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from torchstone.app.home import Home
from torchstone.app.judging.history import RecentLine, count_submissions, recent_submissions
from torchstone.app.problems.catalog import title_of
from torchstone.app.problems.paths import PathProgress, list_paths
from torchstone.app.problems.problem_state import facts_of, local_now, standings_of
from torchstone.app.questions.question_state import QuestionState, find_question_states
from torchstone.app.review.after_verdict import settle_all
from torchstone.bank import ProblemSpec
from torchstone.bank.concepts import load_concepts
from torchstone.bank.questions.syllabus import load_syllabus
from torchstone.study import (
    DayCount,
    DueItem,
    MapCell,
    NextProblem,
    ProblemMastery,
    Recall,
    Status,
    draw_map,
    forecast,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NextStep(NextProblem):
    """The recommended next problem, and its planned time."""

    title: dict[str, str]
    minutes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MapProblem:
    """One problem on the map.

    Args:
        chapters: The chapters of the questions that it practises, in order.
        strength: The chance to solve it unaided now; None before the first review.
    """

    id: str
    part: int
    stars: int
    chapters: tuple[int, ...]
    status: Status
    strength: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownQuestions:
    """Number of questions of a chapter that the learner knows, and their total in the bank."""

    chapter: int
    num_known: int
    num_questions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The data of the map.

    Args:
        cells: The number of problems for each part and number of stars.
        problems: The problems, in the order of the bank.
        due: The problems due today, weakest first.
        next: The recommended next problem; None if all are proven and nothing is due.
        forecast: The number of reviews on each day of the next two weeks.
        recent: The last submissions, newest first; runs on the samples are excluded.
        num_submissions: The number of all submissions.
        titles: The titles of the problems, by id.
        paths: All paths with their progress.
        known: Known questions by chapter; chapters without questions are missing.
    """

    num_proven: int
    num_tried: int
    num_untouched: int
    cells: tuple[MapCell, ...]
    problems: tuple[MapProblem, ...]
    due: tuple[DueItem, ...]
    next: NextStep | None
    forecast: tuple[DayCount, ...]
    recent: tuple[RecentLine, ...]
    num_submissions: int
    titles: dict[str, dict[str, str]]
    paths: tuple[PathProgress, ...]
    known: tuple[KnownQuestions, ...]


def look_over(home: Home) -> Overview:
    """Compute the map; first record the missing reviews of acceptances."""
    now = local_now()
    with home.open_store() as store:
        states = settle_all(store, home.bank, now)
        path = home.find_path(store.chosen_path())
        asked = find_question_states(store, now)
    drawn = draw_map(
        facts_of(home.bank),
        standings_of(states),
        now,
        path=path,
        answered={number: one.standing for number, one in asked.items() if one.standing},
    )
    counts = {status: sum(one.status is status for one in drawn.problems) for status in Status}
    proven = [problem_id for problem_id, one in states.items() if one.progress.is_accepted]
    return Overview(
        num_proven=counts[Status.PROVEN],
        num_tried=counts[Status.TRIED],
        num_untouched=counts[Status.UNTOUCHED],
        cells=drawn.cells,
        problems=tuple(
            _map_problem(problem.spec, mastery)
            for problem, mastery in zip(home.bank, drawn.problems, strict=True)
        ),
        due=drawn.due,
        next=_step(home, drawn.next) if drawn.next else None,
        forecast=forecast((state.card.due for state in states.values() if state.card), now),
        recent=recent_submissions(home),
        num_submissions=count_submissions(home),
        titles={problem.id: title_of(problem) for problem in home.bank},
        paths=list_paths(home, proven=proven),
        known=_known(home, asked),
    )


def _known(home: Home, asked: Mapping[str, QuestionState]) -> tuple[KnownQuestions, ...]:
    """Count without reading topics: the syllabus contains their numbers of questions."""
    sizes, known = Counter[int](), Counter[int]()
    for topic in home.questions.folders:
        sizes[_chapter_of(topic)] += load_syllabus().get(topic, 0)
    for number, state in asked.items():
        if state.recall is Recall.KNOWN and number.rpartition(".")[0] in home.questions.folders:
            known[_chapter_of(number)] += 1
    return tuple(
        KnownQuestions(chapter=chapter, num_known=known[chapter], num_questions=size)
        for chapter, size in sorted(sizes.items())
        if size
    )


def _chapter_of(number: str) -> int:
    return int(number.partition(".")[0])


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
