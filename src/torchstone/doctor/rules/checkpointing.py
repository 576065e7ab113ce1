"""TS-M004: the forward pass is recomputed, though memory would hold its activations.

share = time of recomputation by ``torch.utils.checkpoint`` in the backward pass / window, kernel
time if there is a device; peak memory is below half of the device's memory.
"""

from __future__ import annotations

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.events import NONE, Floats, Ints
from torchstone.doctor.findings import Finding
from torchstone.doctor.intervals import Intervals

# Recomputation of both checkpoint variants; the reentrant one also runs its own backward pass.
_AGAIN = (
    r"(^|/)torch/utils/checkpoint\.py\(\d+\): (unpack_hook|backward)$|^CheckpointFunctionBackward$"
)
# Without peak memory, it is unknown whether memory would suffice.
_UNSURE = 1.2


def find(case: Case) -> Finding | None:
    """Return M004 if recomputation takes enough of the window, and memory suffices."""
    limits = thresholds("M004")
    rows = case.inside(case.facts.named(_AGAIN))
    if not len(rows):
        return None
    lane = int(np.bincount(case.events.lane[rows]).argmax())
    times = _recomputed(case, rows[case.events.lane[rows] == lane], lane)
    spent = _kernel_time(case, times, lane) if case.accounting.has_device else times.length
    share = case.share(spent)
    used = _peak(case) / case.device.memory if case.device.memory else 0.0
    if share < limits["share"] or used >= limits["memory"]:
        return None
    margin = share / limits["share"]
    return Finding(
        code="TS-M004",
        bottleneck="memory",
        share=share,
        recoverable=share,
        margin=margin if used else min(margin, _UNSURE),
        evidence={
            "again_ms": spent / max(1, case.num_steps) / 1e3,
            "per_step": len(times) / max(1, case.num_steps),
            "used": used,
        },
        times=times,
        lane=lane,
        fix="no_checkpoint",
    )


def _recomputed(case: Case, rows: Ints, lane: int) -> Intervals:
    """Return the intervals in which a thread computes forward operators in its backward pass."""
    events = case.events
    nodes = case.facts.named(r"^autograd::engine::evaluate_function")
    begins = events.t0[nodes[events.lane[nodes] == lane]]
    # At the start of its own backward pass, the forward operators are complete.
    after = np.append(begins, np.inf)[np.searchsorted(begins, events.t0[rows], side="right")]
    found = Intervals(events.t0[rows], np.minimum(events.t1[rows], after))
    operators = events.t0[case.operators[events.lane[case.operators] == lane]]
    has_operator = _count(operators, found.ends) > _count(operators, found.begins)
    return Intervals(found.begins[has_operator], found.ends[has_operator])


def _count(sorted_times: Floats, times: Floats) -> Ints:
    return np.searchsorted(sorted_times, times)


def _kernel_time(case: Case, times: Intervals, lane: int) -> float:
    """Return the total time of the kernels that a thread launched in given intervals."""
    calls = case.launches.call_of[case.kernels]
    kernels, calls = case.kernels[calls != NONE], calls[calls != NONE]
    begins = case.events.t0[calls]
    is_in = (times.within(begins, begins + 1e-3) > 0) & (case.events.lane[calls] == lane)
    return case.time(kernels[is_in])


def _peak(case: Case) -> int:
    peaks = [int(memory.reserved.max()) for memory in case.events.memory.values() if len(memory.at)]
    return max(peaks, default=0)
