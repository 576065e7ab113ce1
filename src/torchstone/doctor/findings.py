"""``Finding``: a bottleneck, the evidence for it, and the time that a remedy could recover."""

from __future__ import annotations

from dataclasses import dataclass, field

from torchstone.doctor.intervals import Intervals

BOTTLENECKS = (
    *("loading", "copies", "launch", "compute", "bandwidth", "communication", "memory", "host"),
    *("healthy", "inconclusive"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Result of a rule.

    Attributes:
        code: Stable code of the rule.
        bottleneck: The limiting resource, one of ``BOTTLENECKS``.
        share: Share of the window that the bottleneck takes.
        recoverable: Upper bound of the share of the window that a remedy recovers.
        margin: Ratio of the decisive quantity to its threshold; 1 at the threshold.
        evidence: Quantities of the rule's formula, by name.
        times: Intervals in which it occurs, from which source lines are derived.
        lane: Thread of these lines; by default the main thread.
        confidence: Confidence between 0 and 1; assigned by ``rank``.
        fix: Name of a remedy that can be applied automatically.
        variant: Name of the cause among several; selects the messages.
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
