"""A finding: a disease, the numbers that prove it, and what a cure could win."""

from __future__ import annotations

from dataclasses import dataclass, field

from torchstone.doctor.intervals import Intervals

BOTTLENECKS = (
    *("loading", "copies", "launch", "compute", "bandwidth", "communication", "memory", "host"),
    *("healthy", "inconclusive"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Hold what a rule found.

    Attributes:
        code: The stable code of the rule.
        bottleneck: What is too slow, one of ``BOTTLENECKS``.
        share: The share of the window that it takes.
        recoverable: The share of the window that a cure could win at most.
        margin: How far the deciding number is above its threshold, 1 at the threshold.
        evidence: The numbers of the formula by name.
        times: When it is, so that the lines of code then can be told.
        lane: The thread whose lines these are; the main one unless given.
        confidence: How sure it is, between 0 and 1; rules leave it to ``rank``.
        fix: The name of the cure that a machine can apply.
        variant: Which of several reasons it is; sentences of that name replace the usual ones.
    """

    code: str
    bottleneck: str
    share: float
    recoverable: float
    margin: float
    evidence: dict[str, float] = field(default_factory=dict)
    times: Intervals | None = None
    lane: int | None = None
    confidence: float = 0.0
    fix: str | None = None
    variant: str = ""
