"""Mastery map: proven, fading and due problems, and the recommended next problem."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from torchstone.core.i18n import both
from torchstone.study.schedule import explain_date, parse_card, retrievability


class ProblemFacts(Protocol):
    """The facts of a problem that the mastery map needs; a problem of the bank has all of them."""

    @property
    def id(self) -> str:
        """The number of the problem."""

    @property
    def part(self) -> int:
        """The part of the bank to which it belongs."""

    @property
    def stars(self) -> int:
        """The difficulty."""

    @property
    def concepts(self) -> Sequence[str]:
        """The ids of the questions that it practises."""

    @property
    def prerequisites(self) -> Sequence[str]:
        """The ids of the problems to prove first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The learner's progress with one problem.

    Args:
        accepted: Whether a submission was accepted.
        tried: Whether the learner started it or submitted to it.
        card: Its FSRS card as JSON; None if it has no review.
    """

    accepted: bool
    tried: bool
    card: str | None = None


class Status(StrEnum):
    """The learner's status with a problem or a concept."""

    PROVEN = "proven"
    TRIED = "tried"
    UNTOUCHED = "untouched"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemMastery:
    """One problem on the map; ``strength`` is the chance to solve it unaided now."""

    problem_id: str
    status: Status
    strength: float | None
    due: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MapCell:
    """The number of problems of one part and one number of stars, by status.

    Args:
        strength: The mean chance over its reviewed problems; None if there are none.
    """

    part: int
    stars: int
    num_proven: int
    num_tried: int
    num_untouched: int
    strength: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptMastery:
    """One concept; its strength is that of the strongest problem that proves it."""

    concept: str
    status: Status
    strength: float | None
    problem_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DueItem:
    """A problem that is due today, and the reason."""

    problem_id: str
    due: datetime
    strength: float
    reason: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NextProblem:
    """The recommended next problem, and the reason."""

    problem_id: str
    is_review: bool
    reason: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class MasteryMap:
    """The content of the map.

    Args:
        problems: In the order of the bank.
        cells: By part, then stars.
        concepts: In the order of the bank.
        due: The problems due today, weakest first.
        next: None if everything is proven and nothing is due.
    """

    problems: tuple[ProblemMastery, ...]
    cells: tuple[MapCell, ...]
    concepts: tuple[ConceptMastery, ...]
    due: tuple[DueItem, ...]
    next: NextProblem | None


_NOTHING = Standing(accepted=False, tried=False)


def draw_map(
    problems: Sequence[ProblemFacts], standings: Mapping[str, Standing], now: datetime
) -> MasteryMap:
    """Compute the map.

    Args:
        problems: The problems of the bank, in its order.
        standings: The progress by problem id; a missing problem is untouched.
        now: The moment, in the learner's time zone; a problem due later today is due today.
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
        concepts=_concepts(problems, mastery),
        due=due,
        next=_next_review(due) if due else _next_new(problems, mastery),
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
    problems: Iterable[ProblemFacts], mastery: Mapping[str, ProblemMastery]
) -> tuple[ConceptMastery, ...]:
    grouped: dict[str, list[ProblemMastery]] = defaultdict(list)
    for problem in problems:
        for concept in problem.concepts:
            grouped[concept].append(mastery[problem.id])
    order = list(Status)
    return tuple(
        ConceptMastery(
            concept=concept,
            status=min((one.status for one in group), key=order.index),
            strength=max((one.strength for one in group if one.strength is not None), default=None),
            problem_ids=tuple(one.problem_id for one in group),
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
    problems: Sequence[ProblemFacts], mastery: Mapping[str, ProblemMastery]
) -> NextProblem | None:
    def is_open(problem_id: str) -> bool:
        # Ignore a prerequisite from a pack that is not installed.
        return problem_id in mastery and mastery[problem_id].status is not Status.PROVEN

    ready = [
        problem
        for problem in problems
        if is_open(problem.id) and not any(is_open(needed) for needed in problem.prerequisites)
    ]
    if not ready:
        return None
    # `min` returns the first of equals: a started problem before a new one, then the bank's order.
    chosen = min(ready, key=lambda one: (one.stars, mastery[one.id].status is not Status.TRIED))
    why = "begun" if mastery[chosen.id].status is Status.TRIED else "new"
    needed = ", ".join(chosen.prerequisites)
    if why == "new" and needed:
        why = "unlocked"
    reason = both(f"study.next.{why}", stars=chosen.stars, needed=needed)
    return NextProblem(problem_id=chosen.id, is_review=False, reason=reason)
