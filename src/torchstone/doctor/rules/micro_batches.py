"""TS-C004: gradients are exchanged in each micro-batch, though only their sum is needed.

micro_batches = forward passes of DistributedDataParallel / optimizer steps ≥ 2, and nearly all of
them are followed by exchanges; share = communication that nothing overlaps / window.
"""

from __future__ import annotations

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.findings import Finding
from torchstone.doctor.rules import collectives

# The backward pass of the last forward pass may lie outside of the window.
_LEAST_FOLLOWED = 0.9


def find(case: Case) -> Finding | None:
    """Return C004 if avoidable exchanges take enough of the window."""
    limits = thresholds("C004")
    share = case.accounting.shares["communication"]
    forwards = case.inside(case.facts.named(r"^DistributedDataParallel\.forward$"))
    updates = case.inside(case.facts.named(r"^Optimizer\.step#"))
    calls = collectives.calls(case)
    if share < limits["share"] or len(forwards) < 2 or not len(updates) or not len(calls):
        return None
    micro_batches = len(forwards) / len(updates)
    exchanged = np.sort(case.events.t0[calls])
    before = np.searchsorted(exchanged, case.events.t0[forwards])
    followed = float((np.diff(np.append(before, len(exchanged))) > 0).mean())
    if micro_batches < limits["micro_batches"] or followed < _LEAST_FOLLOWED:
        return None
    return Finding(
        code="TS-C004",
        bottleneck="communication",
        share=share,
        recoverable=share * (1 - 1 / micro_batches),
        margin=share / limits["share"],
        evidence={
            "micro_batches": micro_batches,
            "per_update": len(calls) / len(updates),
            "exposed_ms": share * case.window.duration / len(updates) / 1e3,
        },
        times=case.facts.times_of(forwards),
        fix="no_sync",
    )
