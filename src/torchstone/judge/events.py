"""Define the events of a job: what happens from its place in the queue to its report."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from torchstone.core.isolation import Isolation
from torchstone.judge.messages import CaseResult, Misconception, Receipt, Report, Smallest

# The groups of cases in their order, and how many cases each has.
Plan: TypeAlias = tuple[tuple[str, int], ...]


class Wire(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="type"):
    """An event of a job, which its type names."""


class Accepted(Wire, frozen=True, kw_only=True, tag="accepted"):
    """The submission is stored; ``job`` is its id."""

    job: str


class Queued(Wire, frozen=True, kw_only=True, tag="queued"):
    """How many jobs are before this one."""

    ahead: int


class Started(Wire, frozen=True, kw_only=True, tag="started"):
    """Judging begins; the groups and how many cases each has."""

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
    """A case is judged."""


class VerdictReached(Wire, frozen=True, kw_only=True, tag="verdict"):
    """The verdict is known; the explanation follows."""

    report: Report


class MisconceptionFound(Wire, frozen=True, kw_only=True, tag="misconception"):
    """The misconception is known, or known to be none."""

    misconception: Misconception | None


class SmallestFound(Wire, frozen=True, kw_only=True, tag="smallest"):
    """The smallest failing case is known, or known to be none."""

    smallest: Smallest | None


class Interrupted(Wire, frozen=True, kw_only=True, tag="interrupted"):
    """A worker died; the job runs again."""

    reason: str


class Starting(Wire, frozen=True, kw_only=True, tag="starting"):
    """The judge host is being started; judging begins anew."""


class CancelledEvent(Wire, frozen=True, kw_only=True, tag="cancelled"):
    """The submission was cancelled."""


class Done(Wire, frozen=True, kw_only=True, tag="done"):
    """The verdict is recorded; nothing follows."""

    # Nothing where the job was cancelled.
    report: Report | None
    # Only where nothing is recorded; else it is in the store.
    receipt: Receipt | None = None


Event: TypeAlias = (
    Accepted
    | Queued
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
