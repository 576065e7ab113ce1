"""TS-W001: the run is not warm, so its time is not representative.

cold = idle time in single driver calls of at least 5 ms, and in compilations in the first two steps
/ window: they load libraries and allocate memory once. Or: the first step takes more than twice the
median; without a device this may also be due to another process on the core.
"""

from __future__ import annotations

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.findings import Finding
from torchstone.doctor.rules.recompilation import first_compilations
from torchstone.doctor.window import step_times


def find(case: Case) -> Finding | None:
    """Return W001 if most of the time is spent on one-time work."""
    limits = thresholds("W001")
    once = case.cold | first_compilations(case)
    cold = case.share(case.waited(once))
    ratio, excess = _first_step(case) if case.accounting.has_device else (0.0, 0.0)
    if cold < limits["cold"] and ratio <= limits["first_step"]:
        return None
    share = max(cold, excess)
    return Finding(
        code="TS-W001",
        bottleneck="inconclusive",
        share=share,
        recoverable=share,
        margin=max(cold / limits["cold"], ratio / limits["first_step"]),
        evidence={"cold": cold, "first_step": ratio, "calls": float(len(once))},
        times=once,
    )


def _first_step(case: Case) -> tuple[float, float]:
    """Return the ratio of the first step to the median, and the share of the excess time."""
    times = step_times(case.window)
    usual = float(np.median(times[1:])) if len(times) >= 3 else 0.0
    ratio = float(times[0]) / usual if usual else 0.0
    is_slow = ratio > thresholds("W001")["first_step"]
    return ratio, case.share(float(times[0]) - usual) if is_slow else 0.0
