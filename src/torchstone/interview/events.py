"""``Event``: the only state of an interview; each event holds the hash of the one before it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import msgspec

NO_HASH = "0" * 64


class What(StrEnum):
    """What happened."""

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
    """One thing that happened.

    Attributes:
        number: From 1, without gaps.
        at: The moment on the wall clock, ISO 8601 in UTC.
        elapsed_ms: The reading of the interview's own clock.
        body: What the kind needs; whole numbers and text only, so that its bytes are certain.
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
    """Return the next event of a chain."""
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
    """Return the number of the first event that does not fit into the chain; None if all do."""
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
