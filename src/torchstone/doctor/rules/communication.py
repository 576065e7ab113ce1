"""TS-C001: the device communicates while nothing computes.

share = time of collectives not overlapped by kernels / window; overlap = 1 - exposed / total. The
trace of a single rank cannot distinguish a slow link from a late rank.
"""

from __future__ import annotations

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.findings import Finding
from torchstone.doctor.intervals import Intervals
from torchstone.doctor.rules import buckets, micro_batches, straggler


def find(case: Case) -> Finding | None:
    """Return C001 if exposed communication takes enough of the window."""
    limits = thresholds("C001")
    share = case.accounting.shares["communication"]
    if share < limits["share"]:
        return None
    rows = case.collectives
    times = Intervals(case.events.t0[rows], case.events.t1[rows])
    whole = case.share(times.length) / max(1, len(case.accounting.gaps))
    # Time explained by a rule with a remedy is attributed to that rule.
    specific = (buckets.find(case), micro_batches.find(case), straggler.find(case))
    known = max((each.recoverable for each in specific if each is not None), default=0.0)
    has_device = case.accounting.has_device
    return Finding(
        code="TS-C001",
        bottleneck="communication",
        share=share,
        recoverable=max(0.0, share - known),
        margin=share / limits["share"],
        evidence={
            "exposed_ms": share * case.window.duration / max(1, case.num_steps) / 1e3,
            "overlap": max(0.0, 1 - share / whole) if whole else 0.0,
            "collectives_per_step": len(rows) / max(1, case.num_steps),
        },
        times=case.calls_of(rows) if has_device else times,
        fix="buckets",
    )
