"""TS-U001: the evidence is insufficient for a diagnosis.

unexplained = idle time in which the host is not late / window. If neither operators nor Python
frames were recorded, host activity between two driver calls is unknown too.
"""

from __future__ import annotations

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.findings import Finding
from torchstone.doctor.intervals import Intervals


def find(case: Case) -> Finding | None:
    """Return U001 if too much of the window cannot be explained."""
    limits = thresholds("U001")
    shares = case.accounting.shares
    unexplained = shares["idle.unexplained"] + (shares["idle.python"] if case.is_blind else 0.0)
    if unexplained < limits["unexplained"]:
        return None
    return Finding(
        code="TS-U001",
        bottleneck="inconclusive",
        share=unexplained,
        recoverable=unexplained,
        margin=unexplained / limits["unexplained"],
        evidence={"unexplained": unexplained, "launches_found": case.launches.found},
        times=Intervals.nothing(),
    )
