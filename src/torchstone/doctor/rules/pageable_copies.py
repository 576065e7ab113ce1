"""TS-P001: tensors are copied to the device from pageable memory.

share = time of pageable copies / window ≥ 0.05, or ≥ 0.02 at a rate (bytes / time) below half of
that of pinned memory. The driver first copies such a tensor to pinned memory, and the host waits
for it.
"""

from __future__ import annotations

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.findings import Finding
from torchstone.doctor.read.kinds import Kind


def find(case: Case) -> Finding | None:
    """Return P001 if pageable copies take enough time."""
    limits = thresholds("P001")
    rows = case.inside(case.events.of(Kind.COPY_H2D))
    rows = rows[np.isin(case.events.name[rows], case.events.named("Pageable"))]
    time = case.time(rows)
    share = case.share(time)
    if share < limits["least"]:
        return None
    size = float(case.events.size[rows].clip(0).sum())
    rate = size / time / 1e3
    is_slow = 0 < rate < limits["rate"] * limits["pinned_gbps"]
    if share < limits["share"] and not is_slow:
        return None
    slow = max(0.0, 1 - rate / limits["pinned_gbps"])
    exposed = case.exposed(rows)
    return Finding(
        code="TS-P001",
        bottleneck="copies",
        share=share,
        # Copies that remain exposed at the rate of pinned memory could overlap with kernels.
        recoverable=max(exposed, share * slow),
        margin=max(1.0, share / limits["share"]),
        evidence={
            "copy_ms": time / max(1, case.num_steps) / 1e3,
            "mb": size / max(1, case.num_steps) / 1e6,
            "rate_gbps": rate,
            "pinned_gbps": limits["pinned_gbps"],
            "copies": float(len(rows)),
        },
        times=case.calls_of(rows),
        fix="pin_memory",
    )
