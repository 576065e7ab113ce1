"""Export document: all progress as one JSON text, and its validation.

Version 4, which has kept inputs and read chapters::

    {"format": "torchstone-progress", "version": 4, "exported_at": "...",
     "submissions": [...], "activities": [...], "reviews": [...], "inputs": [...]}

Moments are ISO 8601 with a time zone. Version 3 has no activities of the kinds ``read``,
``finish`` and ``reopen``; version 2 also has no ``inputs``; version 1 also has no activities of the
kinds ``mark``, ``unmark`` and ``path``. Increment the version when you change
a field.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec

from torchstone.core.errors import BadInput
from torchstone.core.verdict import Verdict
from torchstone.store.card import CardState
from torchstone.store.records import SubmissionKind
from torchstone.store.schema import NAME_LENGTH
from torchstone.store.validation import EARLIEST

FORMAT: Final = "torchstone-progress"
VERSION: Final = 4
# Version 1 has no spans of work and no choices, version 2 has no inputs, version 3 no chapters.
READABLE: Final = (1, 2, 3, 4)

# A moment outside of EARLIEST to here comes from a wrong clock. A future one would win every merge.
_LATEST_DUE = datetime(9000, 1, 1, tzinfo=UTC)
_CLOCK_DRIFT = timedelta(days=1)
_MOST_LEVELS = 32
# The longest text of a kept input, in characters.
MAX_INPUT: Final = 20_000

_Name: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=NAME_LENGTH)]
_Moment: TypeAlias = Annotated[datetime, msgspec.Meta(tz=True)]


class SubmissionFact(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A finished submission."""

    id: Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{12}\Z")]
    problem_id: _Name
    kind: SubmissionKind
    state: Literal["done", "cancelled"]
    source: str
    created_at: _Moment
    finished_at: _Moment
    interruptions: Annotated[int, msgspec.Meta(ge=0, le=100)]
    verdict: Verdict | None
    report: dict[str, Any] | None
    receipt: dict[str, Any] | None


class ActivityFact(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A start, an opened hint, a viewed solution, a span of work, a choice, or a read chapter.

    Only a hint, a span and a reading have a ``rung``: its number, the seconds, or the section.
    """

    problem_id: _Name
    kind: Literal[
        "start", "hint", "solution", "work", "mark", "unmark", "path", "read", "finish", "reopen"
    ]
    rung: Annotated[int, msgspec.Meta(ge=0, le=3_600)]
    happened_at: _Moment


class ReviewFact(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entry of the review log."""

    item: _Name
    rating: Annotated[int, msgspec.Meta(ge=1, le=4)]
    evidence: dict[str, Any]
    card: CardState
    due: _Moment
    reviewed_at: _Moment
    undone_at: _Moment | None


class InputFact(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An input that was kept under a name; without a text it was removed."""

    problem_id: _Name
    name: _Name
    code: Annotated[str, msgspec.Meta(max_length=MAX_INPUT)]
    kept_at: _Moment


class Document(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All progress of one learner."""

    format: Literal["torchstone-progress"]
    version: Literal[1, 2, 3, 4]
    exported_at: _Moment
    submissions: list[SubmissionFact]
    activities: list[ActivityFact]
    reviews: list[ReviewFact]
    inputs: list[InputFact] = []


# The least and the greatest value; all others have 0.
_RUNGS = {"hint": (1, 4), "work": (1, 3_600), "read": (0, 3_600)}


class _Header(msgspec.Struct, frozen=True, kw_only=True):
    format: str = ""
    version: int = 0


def parse_document(text: bytes, *, now: datetime) -> Document:
    """Parse and validate an exported document.

    Raises:
        BadInput: The document is not exported progress, has an unknown version or an invalid value.
    """
    try:
        header = msgspec.json.decode(text, type=_Header)
        if header.format != FORMAT:
            raise BadInput("store.import_foreign", expected=FORMAT)
        if header.version not in READABLE:
            raise BadInput("store.import_version", found=header.version, known=VERSION)
        document = msgspec.json.decode(text, type=Document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput("store.import_invalid", reason=error) from error
    for fault in _faults(document, now=now):
        raise BadInput("store.import_invalid", reason=fault)
    return document


def _faults(document: Document, *, now: datetime) -> Iterator[str]:
    for number, submission in enumerate(document.submissions):
        yield from _at(f"submissions[{number}]", _submission_fault(submission, now=now))
    for number, activity in enumerate(document.activities):
        yield from _at(f"activities[{number}]", _activity_fault(activity, now=now))
    for number, review in enumerate(document.reviews):
        yield from _at(f"reviews[{number}]", _review_fault(review, now=now))
    for number, kept in enumerate(document.inputs):
        yield from _at(f"inputs[{number}]", _moment_fault("kept_at", kept.kept_at, now=now))


def _at(where: str, fault: str | None) -> Iterator[str]:
    if fault is not None:
        yield f"{where}: {fault}"


def _submission_fault(fact: SubmissionFact, *, now: datetime) -> str | None:
    is_done = fact.state == "done"
    if is_done != (fact.verdict is not None):
        return f"the state is {fact.state} and the verdict is {fact.verdict}"
    if is_done and (fact.report is None or fact.report.get("verdict") != fact.verdict):
        return "the report and the verdict disagree"
    if not is_done and (fact.report or fact.receipt) is not None:
        return "a cancelled submission has a report"
    return _moment_fault("created_at", fact.created_at, now=now) or _moment_fault(
        "finished_at", fact.finished_at, now=now
    )


def _activity_fault(fact: ActivityFact, *, now: datetime) -> str | None:
    least, most = _RUNGS.get(fact.kind, (0, 0))
    if not least <= fact.rung <= most:
        return f"a {fact.kind} with rung {fact.rung}"
    return _moment_fault("happened_at", fact.happened_at, now=now)


def is_deeper(value: object, levels: int) -> bool:
    """Return whether lists and objects are nested deeper than the given number of levels."""
    within = [value]
    for _ in range(levels):
        parts = [
            each.values() if isinstance(each, dict) else each
            for each in within
            if isinstance(each, dict | list)
        ]
        within = [item for part in parts for item in part]
    return bool(within)


def _review_fault(fact: ReviewFact, *, now: datetime) -> str | None:
    # The maximal depth of a JSON parser differs between versions of Python.
    if is_deeper(fact.evidence, _MOST_LEVELS):
        return f"the evidence has more than {_MOST_LEVELS} levels"
    if not EARLIEST <= fact.due <= _LATEST_DUE:
        return f"due is {fact.due}"
    card = fact.card
    if card.last_review is None or None in (card.stability, card.difficulty):
        return "the card was never reviewed"
    if datetime.fromisoformat(card.due) != fact.due:
        return f"due is {fact.due}, and the card says {card.due}"
    moments = {
        "reviewed_at": fact.reviewed_at,
        "undone_at": fact.undone_at,
        # A later review would never replace it: a review in the future would keep the item for
        # good.
        "card.last_review": datetime.fromisoformat(card.last_review),
    }
    faults = (_moment_fault(name, moment, now=now) for name, moment in moments.items() if moment)
    return next((fault for fault in faults if fault is not None), None)


def _moment_fault(name: str, moment: datetime, *, now: datetime) -> str | None:
    if EARLIEST <= moment <= now + _CLOCK_DRIFT:
        return None
    return f"{name} is {moment}; the clock here says {now}"
