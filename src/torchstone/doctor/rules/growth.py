"""TS-M003: memory grows from step to step.

slope = Theil-Sen slope of the bytes in use at the ends of steps ≥ 1 % of their maximum, over at
least 8 training steps, of which four in five grow. Without a backward pass nothing is reported,
because a decoder's cache grows by design.
"""

from __future__ import annotations

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.events import Floats, Memory
from torchstone.doctor.findings import Finding

_LEAST_GROWING = 0.8


def find(case: Case) -> Finding | None:
    """Return M003 if memory grows steadily."""
    limits = thresholds("M003")
    if not len(case.events.named("autograd::engine::")):
        return None
    measured = () if case.recording is None else case.recording.bytes_at_steps
    best: Finding | None = None
    if len(measured) >= limits["steps"]:
        # Measured over more steps than were recorded.
        in_use = np.array(measured, dtype=np.float64)
        best = _growth(in_use, float(in_use.max()))
    if case.num_steps < limits["steps"]:
        return best
    for memory in case.events.memory.values():
        for is_device in (True, False):
            found = _judge(case, memory, is_device=is_device)
            if found is not None and (best is None or found.margin > best.margin):
                best = found
    return best


def slope_of(values: Floats) -> float:
    """Return the median slope between all pairs of values at consecutive steps.

    >>> slope_of(np.array([0.0, 1.0, 2.0, 30.0, 4.0]))
    1.0
    """
    first, second = np.triu_indices(len(values), 1)
    return float(np.median((values[second] - values[first]) / (second - first)))


def _judge(case: Case, memory: Memory, *, is_device: bool) -> Finding | None:
    # Host memory, which some files include, has no reserved bytes.
    is_of = (memory.reserved > 0) == is_device
    at, allocated = memory.at[is_of], memory.allocated[is_of].astype(np.float64)
    # The first step allocates persistent memory: gradients and optimizer state.
    ends = case.window.steps[1:, 1]
    last = np.searchsorted(at, ends, side="right") - 1
    if not len(at) or last[0] < 0 or len(np.unique(last)) < len(last):
        return None
    in_use = allocated[last]
    most = float(allocated[(at >= case.window.begin) & (at < case.window.end)].max())
    return _growth(in_use, most)


def _growth(in_use: Floats, most: float) -> Finding | None:
    """Return M003 if the bytes at the ends of steps grow enough, relative to the maximum."""
    limits = thresholds("M003")
    slope = slope_of(in_use)
    growing = float((np.diff(in_use) > 0).mean())
    grown = in_use[-1] - in_use[0]
    if slope < limits["slope"] * most or growing < _LEAST_GROWING or grown < limits["least_bytes"]:
        return None
    return Finding(
        code="TS-M003",
        bottleneck="memory",
        share=0.0,
        recoverable=0.0,
        margin=slope / (limits["slope"] * most),
        evidence={
            "slope_kb": slope / 1e3,
            "of_most": slope / most,
            "first_mb": float(in_use[0]) / 1e6,
            "last_mb": float(in_use[-1]) / 1e6,
            "steps": float(len(in_use)),
        },
        fix="detach",
    )
