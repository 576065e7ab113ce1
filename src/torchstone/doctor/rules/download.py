"""TS-P003: large tensors are copied to the host in each step.

share = exposed time of copies to the host / window; or a copy of at least 1 MiB in each step.
"""

from __future__ import annotations

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.findings import Finding
from torchstone.doctor.read.kinds import Kind


def find(case: Case) -> Finding | None:
    """Return P003 if copies to the host take enough time, or large ones occur in each step."""
    limits = thresholds("P003")
    share = case.accounting.shares["copy_d2h"]
    rows = case.inside(case.events.of(Kind.COPY_D2H))
    large = rows[case.events.size[rows] >= limits["large_bytes"]]
    steps = max(1, case.num_steps)
    is_in_each = case.num_steps > 0 and len(large) >= case.num_steps
    if share < limits["share"] and not is_in_each:
        return None
    return Finding(
        code="TS-P003",
        bottleneck="copies",
        share=max(share, case.share(case.time(large))),
        recoverable=share,
        margin=max(share / limits["share"], 1.0),
        evidence={
            "copy_ms": case.time(rows) / steps / 1e3,
            "mb": float(case.events.size[rows].clip(0).sum()) / steps / 1e6,
            "large": len(large) / steps,
        },
        times=case.calls_of(rows),
    )
