"""Events of a job, from its place in the queue to its report."""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

import msgspec

from torchstone.core.isolation import Isolation
from torchstone.judge.messages import (
    CaseResult,
    Misconception,
    Raised,
    Receipt,
    Report,
    Smallest,
    Symptom,
    Words,
)

# Groups of cases in order, with the number of cases of each.
Plan: TypeAlias = tuple[tuple[str, int], ...]


class Wire(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type"):
    """Event of a job; ``type`` names the event."""


class Accepted(Wire, frozen=True, kw_only=True, tag="accepted"):
    """Report that the submission is stored; ``job`` is its id."""

    job: str


class Queued(Wire, frozen=True, kw_only=True, tag="queued"):
    """Report how many jobs come before this one, and since when it waits, in Unix time in ms."""

    ahead: int
    at_ms: int = 0


class Stage(StrEnum):
    """Stages of a job after the queue, in order."""

    STARTING = "starting"
    PREPARING = "preparing"
    COMPILING = "compiling"
    PACKAGING = "packaging"
    RUNNING = "running"
    CARD = "card"
    EXPLAINING = "explaining"


class StageReached(Wire, frozen=True, kw_only=True, tag="stage"):
    """Report the current stage of the job and its start, in Unix time in ms."""

    stage: Stage
    at_ms: int


def now_ms() -> int:
    """Return the Unix time in milliseconds."""
    return time.time_ns() // 1_000_000


class Started(Wire, frozen=True, kw_only=True, tag="started"):
    """Report that judging starts, with the groups and their numbers of cases."""

    isolation: Isolation
    plan: Plan


class Case(
    CaseResult,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="type",
    tag="case",
):
    """Report the result of a case."""


class VerdictReached(Wire, frozen=True, kw_only=True, tag="verdict"):
    """Report the verdict; the explanation follows."""

    report: Report


class MisconceptionFound(Wire, frozen=True, kw_only=True, tag="misconception"):
    """Report the misconception, null if there is none, and the symptoms of the error."""

    misconception: Misconception | None
    symptoms: tuple[Symptom, ...] = ()


class SmallestFound(Wire, frozen=True, kw_only=True, tag="smallest"):
    """Report the smallest failing case; null if there is none."""

    smallest: Smallest | None


class Interrupted(Wire, frozen=True, kw_only=True, tag="interrupted"):
    """Report that a process of the judge ended, so the job runs again."""

    reason: str


class Starting(Wire, frozen=True, kw_only=True, tag="starting"):
    """Report that the judge host starts; it judges the job from the beginning."""


class CancelledEvent(Wire, frozen=True, kw_only=True, tag="cancelled"):
    """Report that the submission was cancelled."""


class Done(Wire, frozen=True, kw_only=True, tag="done"):
    """Report that the verdict is recorded; no event follows."""

    # None if the job was cancelled.
    report: Report | None
    # Only if the job is not recorded; otherwise the store has the receipt.
    receipt: Receipt | None = None


class Evaluated(Wire, frozen=True, kw_only=True, tag="scratch"):
    """Result of an expression.

    Attributes:
        text: The value as text; absent if there is no value.
        error: The exception that the expression raised, with its line.
        detail: Why the process ended before it answered.
        stdout: The output of the process.
    """

    text: str | None
    error: Raised | None
    detail: Words | None
    stdout: str


Event: TypeAlias = (
    Accepted
    | Queued
    | StageReached
    | Started
    | Case
    | VerdictReached
    | MisconceptionFound
    | SmallestFound
    | Interrupted
    | Starting
    | CancelledEvent
    | Done
)
Emit: TypeAlias = Callable[[Event], None]
