"""``Event``: hash-chained events, the only state of an interview."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import msgspec

NO_HASH = "0" * 64


class What(StrEnum):
    """Kind of an event."""

    BEGUN = "begun"
    OFFERED = "offered"
    ANSWERED = "answered"
    MARKED = "marked"
    SCORED = "scored"
    SKIPPED = "skipped"
    NOTED = "noted"
    PAUSED = "paused"
    RESUMED = "resumed"
    QUIET = "quiet"
    GAP = "gap"
    ENDED = "ended"


class Event(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Event of an interview.

    Attributes:
        number: Sequence number from 1, without gaps.
        at: Wall-clock time, ISO 8601 in UTC.
        elapsed_ms: Running time of the interview.
        body: Data of the kind; only integers and text, so that the serialization is unique.
    """

    number: int
    at: str
    kind: What
    elapsed_ms: int
    body: dict[str, Any]
    previous_hash: str
    hash: str


def make_event(
    before: Sequence[Event], kind: What, body: dict[str, Any], *, at: str, elapsed_ms: int
) -> Event:
    """Create the next event of a chain."""
    previous = before[-1].hash if before else NO_HASH
    number = len(before) + 1
    return Event(
        number=number,
        at=at,
        kind=kind,
        elapsed_ms=elapsed_ms,
        body=body,
        previous_hash=previous,
        hash=_hash(number, at, kind, elapsed_ms, body, previous),
    )


def first_broken(events: Sequence[Event]) -> int | None:
    """Return the number of the first event that breaks the hash chain; None if it is valid."""
    previous = NO_HASH
    for number, event in enumerate(events, 1):
        expected = _hash(
            event.number, event.at, event.kind, event.elapsed_ms, event.body, event.previous_hash
        )
        if (event.number, event.previous_hash, event.hash) != (number, previous, expected):
            return number
        previous = event.hash
    return None


def _hash(
    number: int, at: str, kind: What, elapsed_ms: int, body: dict[str, Any], previous: str
) -> str:
    text = msgspec.json.encode(
        [number, at, kind, elapsed_ms, body, previous], order="deterministic"
    )
    return hashlib.sha256(text).hexdigest()
