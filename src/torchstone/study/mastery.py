"""Mastery map: proven, fading and due problems, and the recommended next problem."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from torchstone.core.i18n import both
from torchstone.study.next_problem import NextProblem, PathFacts, ProblemFacts, choose_next
from torchstone.study.recall import Answering, Recall
from torchstone.study.schedule import explain_date, parse_card, retrievability


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The learner's progress with one problem.

    Args:
        accepted: Whether a submission was accepted.
        tried: Whether the learner started it or submitted to it.
        card: Its FSRS card as JSON; None if it has no review.
        proven_at: Time of its last acceptance, by which acceptances are ordered.
    """

    accepted: bool
    tried: bool
    card: str | None = None
    proven_at: datetime | None = None


class Status(StrEnum):
    """The learner's status with a problem or a concept."""

    PROVEN = "proven"
    TRIED = "tried"
    UNTOUCHED = "untouched"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemMastery:
    """Problem on the map; ``strength`` is the probability to solve it unaided now."""

    problem_id: str
    status: Status
    strength: float | None
    due: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MapCell:
    """Number of problems with a given part and number of stars, by status.

    Args:
        strength: Mean probability over its reviewed problems; None if there are none.
    """

    part: int
    stars: int
    num_proven: int
    num_tried: int
    num_untouched: int
    strength: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptMastery:
    """Concept of the map: a question and the problems that practise it.

    Args:
        status: Whether a problem that practises it is proven.
        strength: Probability to solve the strongest of these problems unaided.
        known: Standing with the question.
        known_strength: Probability to answer the question; None if it was never answered.
    """

    concept: str
    status: Status
    strength: float | None
    problem_ids: tuple[str, ...]
    known: Recall
    known_strength: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DueItem:
    """Problem that is due today, and the reason."""

    problem_id: str
    due: datetime
    strength: float
    reason: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class MasteryMap:
    """The content of the map.

    Args:
        problems: Problems in the order of the bank.
        cells: Cells by part, then by number of stars.
        concepts: Concepts in the order of the bank.
        due: The problems due today, weakest first.
        next: Recommended problem; None if everything is proven and nothing is due.
    """

    problems: tuple[ProblemMastery, ...]
    cells: tuple[MapCell, ...]
    concepts: tuple[ConceptMastery, ...]
    due: tuple[DueItem, ...]
    next: NextProblem | None


_NOTHING = Standing(accepted=False, tried=False)


def draw_map(
    problems: Sequence[ProblemFacts],
    standings: Mapping[str, Standing],
    now: datetime,
    *,
    after: str | None = None,
    path: PathFacts | None = None,
    answered: Mapping[str, Answering] | None = None,
) -> MasteryMap:
    """Compute the mastery map.

    Args:
        problems: The problems of the bank, in its order.
        standings: The progress by problem id; a missing problem is untouched.
        now: Current time, in the learner's time zone; a problem due later today is due today.
        after: Problem that the recommendation follows; by default the one proven last.
        path: Path that the learner follows; its next problem takes precedence.
        answered: Standing with each answered question, by its number.
    """
    if now.tzinfo is None:
        raise ValueError(f"draw_map: {now} has no time zone; give an aware moment.")
    mastery = {
        problem.id: _problem_mastery(problem, standings.get(problem.id, _NOTHING), now)
        for problem in problems
    }
    due = _due_today(problems, standings, now)
    return MasteryMap(
        problems=tuple(mastery.values()),
        cells=_cells(problems, mastery),
        concepts=_concepts(problems, mastery, answered or {}),
        due=due,
        next=_next_review(due)
        if due
        else _next_new(problems, mastery, after or _proven_last(problems, standings), path),
    )


def _problem_mastery(problem: ProblemFacts, standing: Standing, now: datetime) -> ProblemMastery:
    if standing.accepted:
        status = Status.PROVEN
    else:
        status = Status.TRIED if standing.tried else Status.UNTOUCHED
    card = standing.card
    return ProblemMastery(
        problem_id=problem.id,
        status=status,
        strength=None if card is None else retrievability(card, now),
        due=None if card is None else parse_card(card).due,
    )


def _cells(
    problems: Iterable[ProblemFacts], mastery: Mapping[str, ProblemMastery]
) -> tuple[MapCell, ...]:
    grouped: dict[tuple[int, int], list[ProblemMastery]] = defaultdict(list)
    for problem in problems:
        grouped[problem.part, problem.stars].append(mastery[problem.id])
    return tuple(
        MapCell(
            part=part,
            stars=stars,
            num_proven=_count(group, Status.PROVEN),
            num_tried=_count(group, Status.TRIED),
            num_untouched=_count(group, Status.UNTOUCHED),
            strength=_mean([one.strength for one in group if one.strength is not None]),
        )
        for (part, stars), group in sorted(grouped.items())
    )


def _count(group: Iterable[ProblemMastery], status: Status) -> int:
    return sum(one.status is status for one in group)


def _mean(chances: Sequence[float]) -> float | None:
    return sum(chances) / len(chances) if chances else None


def _concepts(
    problems: Iterable[ProblemFacts],
    mastery: Mapping[str, ProblemMastery],
    answered: Mapping[str, Answering],
) -> tuple[ConceptMastery, ...]:
    grouped: dict[str, list[ProblemMastery]] = defaultdict(list)
    for problem in problems:
        for concept in problem.concepts:
            grouped[concept].append(mastery[problem.id])
    for concept in answered:
        # A question that no problem practises.
        grouped.setdefault(concept, [])
    order = list(Status)
    return tuple(
        ConceptMastery(
            concept=concept,
            status=min((one.status for one in group), key=order.index, default=Status.UNTOUCHED),
            strength=max((one.strength for one in group if one.strength is not None), default=None),
            problem_ids=tuple(one.problem_id for one in group),
            known=answered[concept].recall if concept in answered else Recall.UNSEEN,
            known_strength=answered[concept].strength if concept in answered else None,
        )
        for concept, group in grouped.items()
    )


def _due_today(
    problems: Iterable[ProblemFacts], standings: Mapping[str, Standing], now: datetime
) -> tuple[DueItem, ...]:
    due = []
    for problem in problems:
        card = standings.get(problem.id, _NOTHING).card
        if card is None:
            continue
        moment = parse_card(card).due
        if moment.astimezone(now.tzinfo).date() <= now.date():
            why = explain_date(card, now)
            due.append(
                DueItem(
                    problem_id=problem.id,
                    due=moment,
                    strength=why.retrievability,
                    reason=why.sentence,
                )
            )
    # The sort is stable: of two equally weak problems the earlier one in the bank comes first.
    return tuple(sorted(due, key=lambda item: item.strength))


def _next_review(due: Sequence[DueItem]) -> NextProblem:
    weakest = due[0]
    reason = both("study.next.due", percent=round(100 * weakest.strength), count=len(due))
    return NextProblem(problem_id=weakest.problem_id, is_review=True, reason=reason)


def _next_new(
    problems: Sequence[ProblemFacts],
    mastery: Mapping[str, ProblemMastery],
    after: str | None,
    path: PathFacts | None,
) -> NextProblem | None:
    def of_status(status: Status) -> set[str]:
        return {one.problem_id for one in mastery.values() if one.status is status}

    return choose_next(
        problems,
        proven=of_status(Status.PROVEN),
        tried=of_status(Status.TRIED),
        after=after,
        path=path,
    )


def _proven_last(problems: Sequence[ProblemFacts], standings: Mapping[str, Standing]) -> str | None:
    moments = {
        problem.id: standing.proven_at
        for problem in problems
        if (standing := standings.get(problem.id, _NOTHING)).proven_at is not None
    }
    return max(moments, key=moments.__getitem__, default=None)
