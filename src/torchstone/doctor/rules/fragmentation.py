"""TS-M002: free memory is fragmented, so that more is allocated from the driver.

A request of at least 1 MiB is served by the driver although more than the requested memory is free;
free = (reserved - allocated) / reserved at that moment ≥ 0.3, in a warm step.
"""

from __future__ import annotations

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.events import Floats, Memory
from torchstone.doctor.findings import Finding


def find(case: Case) -> Finding | None:
    """Return M002 if the allocator grows although enough memory is free."""
    limits = thresholds("M002")
    if case.num_steps < 2:
        return None
    begin, end = float(case.window.steps[1, 0]), case.window.end
    found = [_growths(memory, begin, end, limits) for memory in case.events.memory.values()]
    growths = max(found, key=len, default=np.zeros((0, 3)))
    if not len(growths):
        return None
    free, reserved, request = growths[-1].tolist()
    share = case.accounting.shares["idle.alloc"]
    return Finding(
        code="TS-M002",
        bottleneck="memory",
        share=share,
        recoverable=share,
        margin=free / limits["free"],
        evidence={
            "growths": float(len(growths)),
            "free": free,
            "reserved_mb": reserved / 1e6,
            "request_mb": request / 1e6,
        },
        fix="expandable_segments",
    )


def _growths(memory: Memory, begin: float, end: float, limits: dict[str, float]) -> Floats:
    """Return free share, reserved bytes and request of each avoidable growth, (n, 3)."""
    # Host memory, which some files include, has no reserved bytes.
    is_device = memory.reserved > 0
    reserved = memory.reserved[is_device].astype(np.float64)
    allocated, request = memory.allocated[is_device], memory.changed[is_device]
    at = memory.at[is_device][1:]
    free = reserved[:-1] - allocated[:-1]
    is_found = (np.diff(reserved) > 0) & (request[1:] >= limits["request_bytes"])
    is_found &= (free >= request[1:]) & (free >= limits["free"] * reserved[:-1])
    is_found &= (at >= begin) & (at < end)
    columns = (free / np.maximum(reserved[:-1], 1), reserved[:-1], request[1:].astype(np.float64))
    return np.stack(columns, axis=1)[is_found]
