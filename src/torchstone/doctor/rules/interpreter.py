"""TS-L001 of a run without a device: Python delays the operators.

On a CPU nothing is queued: while Python runs, nothing computes. share = time outside of operators /
window, without the time counted by TS-L002, TS-L003 and TS-L004; TS-D004 replaces it if one line
has most of it. Recorded stacks inflate PyTorch's own Python, which consists of many short calls:
with stacks, only time in other files counts, unless the steps were also measured without the
profiler. Then the whole profiling overhead (dilation) is subtracted, which gives a lower bound.
"""

from __future__ import annotations

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.findings import Finding
from torchstone.doctor.intervals import Intervals
from torchstone.doctor.rules.launch import without
from torchstone.doctor.rules.optimizer_steps import small_updates
from torchstone.doctor.rules.recompilation import compilations
from torchstone.doctor.rules.small_operators import find_loops

# A trace does not contain the overhead of its recorder.
_UNSURE = 1.45


def find(case: Case) -> Finding | None:
    """Return L001 if Python outside of operators takes enough of a window without a device."""
    if case.accounting.has_device or case.is_blind:
        return None
    limit = thresholds("L001")["share"]
    if case.accounting.shares["idle.python"] < limit:
        return None
    times = without(case.between_operators, _counted_elsewhere(case), case)
    whole = case.share(times.length)
    own = whole * case.frames.outside_of("torch", times, case.main) if case.frames else whole
    share = max(own, _undiluted(case, whole))
    if share < limit:
        return None
    step_ms = case.window.duration / max(1, case.num_steps) / 1e3
    return Finding(
        code="TS-L001",
        bottleneck="host",
        share=share,
        recoverable=share,
        margin=min(_UNSURE, share / limit),
        evidence={
            "python_ms": share * step_ms,
            "own": own,
            "operators": case.accounting.shares["compute"],
            "calls": len(case.operators) / max(1, case.num_steps),
        },
        times=times,
        variant="processor",
    )


def _counted_elsewhere(case: Case) -> Intervals:
    """Return the intervals of Python for which another rule has a better remedy."""
    loops = find_loops(case)
    found = small_updates(case) | compilations(case)
    return found if loops is None else found | loops.times


def _undiluted(case: Case, share: float) -> float:
    """Return a lower bound of the Python time in an unprofiled step; 0 if too little is known."""
    dilation = case.dilation
    if dilation is None or dilation > thresholds("U001")["dilation"]:
        return 0.0
    return max(0.0, 1 - (1 - share) * max(1.0, dilation))
