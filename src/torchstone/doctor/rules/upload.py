"""TS-P002: copies to the device reach the bus bandwidth, and computation waits for them.

share = exposed time of copies from pinned memory to the device, at half of the bus bandwidth or
more / window.
"""

from __future__ import annotations

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.findings import Finding
from torchstone.doctor.read.kinds import Kind


def find(case: Case) -> Finding | None:
    """Return P002 if exposed pinned copies take enough time."""
    limits = thresholds("P002")
    rows = case.inside(case.events.of(Kind.COPY_H2D))
    rows = rows[~np.isin(case.events.name[rows], case.events.named("Pageable"))]
    time = case.time(rows)
    share = case.exposed(rows)
    if share < limits["share"] or not time:
        return None
    size = float(case.events.size[rows].clip(0).sum())
    rate = size / time / 1e3
    if rate < limits["rate"] * limits["pinned_gbps"]:
        return None
    return Finding(
        code="TS-P002",
        bottleneck="copies",
        share=share,
        recoverable=share,
        margin=share / limits["share"],
        evidence={
            "copy_ms": time / max(1, case.num_steps) / 1e3,
            "mb": size / max(1, case.num_steps) / 1e6,
            "rate_gbps": rate,
        },
        times=case.calls_of(rows),
    )
