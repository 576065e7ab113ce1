"""TS-L002: the optimizer updates each parameter with several small operators.

per_parameter = operators called in ``Optimizer.step`` / parameters, if most operator names are
called as often as there are parameters; share = time in it by which the window is delayed / window.
"""

from __future__ import annotations

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.events import NONE, Ints
from torchstone.doctor.findings import Finding
from torchstone.doctor.intervals import Intervals


def find(case: Case) -> Finding | None:
    """Return L002 if small updates take enough of the window."""
    limits = thresholds("L002")
    times = small_updates(case)
    share = case.share(case.waited(times))
    if not times.length or share < limits["share"]:
        return None
    parameters, per_parameter = _counted(case)
    return Finding(
        code="TS-L002",
        bottleneck="launch" if case.accounting.has_device else "host",
        share=share,
        # A lower bound: a fused update launches at most one operator per parameter.
        recoverable=share * (1 - 1 / per_parameter),
        margin=min(share / limits["share"], per_parameter / limits["per_parameter"]),
        evidence={
            "parameters": parameters,
            "per_parameter": per_parameter,
            "update_ms": times.length / max(1, len(_updates(case))) / 1e3,
        },
        times=times,
        fix="fused_optimizer",
    )


def small_updates(case: Case) -> Intervals:
    """Return the intervals in which an optimizer updates its parameters one by one."""
    limits = thresholds("L002")
    parameters, per_parameter = _counted(case)
    if parameters < limits["parameters"] or per_parameter < limits["per_parameter"]:
        return Intervals.nothing()
    return case.facts.times_of(_updates(case))


def _updates(case: Case) -> Ints:
    return case.on_main(case.inside(case.facts.named(r"^Optimizer\.step#")))


def _counted(case: Case) -> tuple[float, float]:
    """Return the number of parameters in an update, and of operators per parameter."""
    events, operators, updates = case.events, case.facts.operators, _updates(case)
    if not len(updates):
        return 0.0, 0.0
    rows = operators.rows[(operators.parents == NONE)]
    rows = rows[events.lane[rows] == case.main]
    at = np.searchsorted(events.t0[updates], events.t0[rows], side="right") - 1
    rows = rows[(at >= 0) & (events.t1[rows] <= events.t1[updates][np.maximum(at, 0)])]
    counts = np.unique(events.name[rows], return_counts=True)[1] / len(updates)
    if not len(counts):
        return 0.0, 0.0
    often = counts[counts >= counts.max() / 4]
    parameters = float(np.median(often))
    return parameters, float(often.sum()) / max(1.0, parameters)
