"""Marked answer in the learner's view: points found and missed, rating and next review."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from torchstone.app.questions.marker import Published
from torchstone.bank.questions import Demo, KeyPoint, Misconception, Question
from torchstone.core.errors import BadInput

if TYPE_CHECKING:
    from torchstone.study.marking import Found, Mark

Ids = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrections:
    """Learner's corrections of an answer's marks.

    Args:
        credited: Points that were not found: "I did say that".
        denied: Points that were found: "I did not".
        taken_back: Misconceptions that the learner does not hold.
        of: Time of the review that they change; None if the answer is not a review.
    """

    credited: Ids = ()
    denied: Ids = ()
    taken_back: Ids = ()
    of: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPoint:
    """Key point that counts as stated.

    Args:
        by: Who found it: the marker, or the learner by a correction or a tick.
        quote: Quote that states it, ``answer[start:end]``; None without the marker.
    """

    id: str
    words: dict[str, str]
    weight: int
    by: Literal["marker", "learner"]
    quote: str | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MissedPoint:
    """Key point that does not count as stated.

    Args:
        is_denied: Whether the marker found it and the learner removed it.
    """

    id: str
    words: dict[str, str]
    weight: int
    is_denied: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedMisconception:
    """Misconception found in the answer.

    Args:
        cells: The cells that refute it.
        sources: The sources that refute it.
        is_taken_back: Whether the learner rejected it.
    """

    id: str
    words: dict[str, str]
    quote: str
    start: int
    end: int
    cells: Ids
    sources: Ids
    is_taken_back: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Reasons of the rating and the date, in both languages."""

    rating: dict[str, str] | None = None
    date: dict[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The result of an answer.

    Args:
        missed: Missed points in the order of the question, like ``found``.
        coverage: Share of the weights, 0 to 1.
        marker: Agreement of the marker with people; None if not measured.
        rating: 1 Again to 4 Easy; None if an earlier review is still valid.
        due: The next due date; None if there is no review.
    """

    question: str
    found: tuple[FoundPoint, ...]
    missed: tuple[MissedPoint, ...]
    misconceptions: tuple[NamedMisconception, ...] = ()
    coverage: float
    corrections: Corrections = field(default_factory=Corrections)
    marker: Published | None = None
    rating: int | None = None
    due: datetime | None = None
    reason: Reason = field(default_factory=Reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sorted:
    """Points and misconceptions of an answer after corrections."""

    found: tuple[FoundPoint, ...]
    missed: tuple[MissedPoint, ...]
    misconceptions: tuple[NamedMisconception, ...]
    coverage: float
    marked_coverage: float


def sort_marked(question: Question, demo: Demo, mark: Mark, made: Corrections) -> Sorted:
    """Apply corrections to the marker's result.

    Raises:
        BadInput: A correction does not fit: a credited point was found, a denied one was not, or a
            misconception was not named.
    """
    spans = {each.id: each for each in mark.found}
    named = {each.id: each for each in mark.misconceptions}
    _require(question, made.credited, {point.id for point in question.key_points} - spans.keys())
    _require(question, made.denied, spans.keys())
    _require(question, made.taken_back, named.keys())
    counted = (spans.keys() - set(made.denied)) | set(made.credited)
    return Sorted(
        found=tuple(
            _found(point, spans.get(point.id))
            for point in question.key_points
            if point.id in counted
        ),
        missed=_missed(question, counted, made.denied),
        misconceptions=tuple(
            _misconception(question, demo, wrong, named[wrong.id], made.taken_back)
            for wrong in question.misconceptions
            if wrong.id in named
        ),
        coverage=share_of(question, counted),
        marked_coverage=share_of(question, spans.keys()),
    )


def sort_ticked(question: Question, said: Sequence[str]) -> Sorted:
    """Count the points that the learner ticked after an answer aloud.

    Raises:
        BadInput: The question has no such point.
    """
    _require(question, said, {point.id for point in question.key_points})
    return Sorted(
        found=tuple(_found(point, None) for point in question.key_points if point.id in said),
        missed=_missed(question, said, ()),
        misconceptions=(),
        coverage=share_of(question, said),
        marked_coverage=0.0,
    )


def share_of(question: Question, counted: Collection[str]) -> float:
    """Return the share of the weights of some points."""
    total = sum(point.weight for point in question.key_points)
    return sum(point.weight for point in question.key_points if point.id in counted) / total


def cells_of(demo: Demo, question: str, claims: Iterable[str]) -> Ids:
    """Return the names of a question's cells that prove given claims."""
    wanted = set(claims)
    return tuple(
        cell.name for cell in demo.of(question) if not wanted.isdisjoint(cell.claims.values())
    )


def _require(question: Question, ids: Iterable[str], known: Collection[str]) -> None:
    for each in ids:
        if each not in known:
            raise BadInput(
                "app.answer_correction",
                question=question.id,
                point=each[:60],
                known=", ".join(sorted(known)) or "-",
            )


def _found(point: KeyPoint, span: Found | None) -> FoundPoint:
    return FoundPoint(
        id=point.id,
        words=_words(point),
        weight=point.weight,
        by="learner" if span is None else "marker",
        quote=span.quote if span else None,
        start=span.start if span else None,
        end=span.end if span else None,
    )


def _missed(
    question: Question, counted: Collection[str], denied: Collection[str]
) -> tuple[MissedPoint, ...]:
    return tuple(
        MissedPoint(
            id=point.id, words=_words(point), weight=point.weight, is_denied=point.id in denied
        )
        for point in question.key_points
        if point.id not in counted
    )


def _misconception(
    question: Question, demo: Demo, wrong: Misconception, span: Found, taken_back: Collection[str]
) -> NamedMisconception:
    claims = set(demo.claims_of(question.id))
    return NamedMisconception(
        id=wrong.id,
        words=_words(wrong),
        quote=span.quote,
        start=span.start,
        end=span.end,
        cells=cells_of(demo, question.id, wrong.refuted_by),
        sources=tuple(each for each in wrong.refuted_by if each not in claims),
        is_taken_back=wrong.id in taken_back,
    )


def _words(each: KeyPoint | Misconception) -> dict[str, str]:
    return {"en": each.en, "zh": each.zh}
