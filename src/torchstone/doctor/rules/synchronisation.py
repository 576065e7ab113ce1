"""TS-S001: the host synchronizes in the middle of a step, and the device idles afterwards.

share = gaps that start before the end of a synchronizing call / window, without other host
activities in them than launching: loading and preparation would remain. Such a call (``item``,
``nonzero``, a blocking copy) drains the queue, so that the device waits for the next launch.
"""

from __future__ import annotations

import numpy as np

from torchstone.doctor.accounting import IDLE
from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.events import Ints
from torchstone.doctor.findings import Finding
from torchstone.doctor.intervals import Intervals
from torchstone.doctor.read.kinds import Kind
from torchstone.doctor.rules.debugging import blocking_launches

_LAUNCHING = [IDLE.index(name) for name in ("sync", "launch", "operator", "python")]


def find(case: Case) -> Finding | None:
    """Return S001 if the gaps after synchronizing calls take enough time."""
    limits = thresholds("S001")
    rows = _calls(case)
    per_step = len(rows) / max(1, case.num_steps)
    if not len(rows) or per_step < limits["per_step"] or not case.accounting.has_device:
        return None
    if blocking_launches(case) >= thresholds("O003")["blocking"]:
        return None
    ends, waited = np.sort(case.events.t1[rows]), 0.0
    for gaps in case.accounting.gaps:
        # The last call that ends before the host's part of the gap ends within the gap.
        at = np.searchsorted(ends, gaps.host_end, side="right") - 1
        is_behind = (at >= 0) & (ends[np.maximum(at, 0)] >= gaps.begin)
        is_behind &= gaps.host_end > gaps.begin
        behind = Intervals(gaps.begin[is_behind], gaps.host_end[is_behind])
        waited += float(gaps.charged[is_behind][:, _LAUNCHING].sum())
        waited -= behind.shared(case.preparation).length
    waited /= len(case.accounting.gaps)
    share = case.share(waited)
    if share < limits["share"]:
        return None
    return Finding(
        code="TS-S001",
        bottleneck="host",
        share=share,
        recoverable=share,
        margin=share / limits["share"],
        evidence={
            "gap_ms": waited / max(1, case.num_steps) / 1e3,
            "per_step": per_step,
        },
        times=Intervals(case.events.t0[rows], case.events.t1[rows]),
        fix="accumulate",
    )


def _calls(case: Case) -> Ints:
    """Return the rows of the synchronizing calls in the steps."""
    calls = case.inside(case.events.of(Kind.SYNC))
    # The synchronization at the end of a step comes after its operators.
    last = case.events.t1[case.operators].max() if len(case.operators) else case.window.end
    return calls[case.events.t1[calls] <= last]
