"""TS-M001: memory is allocated from and returned to the driver in warm steps.

per_step = calls of ``cudaMalloc`` and ``cudaFree`` after the first step / steps; share = idle time
in them after the first step / window. Each of these calls waits for the device; ``cudaMallocAsync``
allocates from a pool without waiting, so that only its own time counts.
"""

from __future__ import annotations

import numpy as np

from torchstone.doctor.accounting import IDLE
from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.findings import Finding
from torchstone.doctor.intervals import Intervals
from torchstone.doctor.read.kinds import Kind


def find(case: Case) -> Finding | None:
    """Return M001 if warm steps allocate."""
    limits = thresholds("M001")
    if case.num_steps < 2:
        return None
    warm = case.window.steps[1, 0]
    rows = case.inside(case.events.of(Kind.ALLOC))
    rows = rows[case.events.t0[rows] >= warm]
    is_pooled = np.isin(case.events.name[rows], case.events.matching(r"Async(_v\d)?$"))
    per_step = int((~is_pooled).sum()) / (case.num_steps - 1)
    share = case.share(_waited(case, warm)) / max(1, len(case.accounting.gaps))
    if per_step < limits["per_step"] and share < limits["share"]:
        return None
    return Finding(
        code="TS-M001",
        bottleneck="memory",
        share=max(share, case.share(case.time(rows))),
        recoverable=share,
        margin=max(per_step / limits["per_step"], share / limits["share"]),
        evidence={
            "per_step": per_step,
            "call_ms": case.time(rows) / (case.num_steps - 1) / 1e3,
        },
        times=Intervals(case.events.t0[rows], case.events.t1[rows]),
        fix="expandable_segments",
    )


def _waited(case: Case, warm: float) -> float:
    """Return the time for which devices wait for such calls after the first step."""
    at = IDLE.index("alloc")
    return sum(float(gaps.charged[gaps.begin >= warm, at].sum()) for gaps in case.accounting.gaps)
