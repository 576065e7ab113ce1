"""TS-C003: one rank enters the collectives late, and the others wait for it.

Collectives are matched across ranks by their order, and the time that each rank spends in them is
summed per step; the median over steps counts. The straggler spends less than half of the median of
the others, and the least of all ranks in four of five steps; share = additional time of the others,
by their median / step.
"""

from __future__ import annotations

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.events import Floats, Ints
from torchstone.doctor.findings import Finding

_TOGETHER = r"(?i)all_?reduce|all_?gather|reduce_?scatter|broadcast|barrier|all_?to_?all"
# Ranks with a larger difference in the number of collectives run different programs.
_MOST_DIFFERENT = 0.05
_LEAST_STEADY = 0.8


def find(case: Case) -> Finding | None:
    """Return C003 if a rank makes the others wait long enough."""
    limits = thresholds("C003")
    ranks = (case, *case.others)
    took = [_durations(each) for each in ranks]
    least, most = min(map(len, took)), max(map(len, took))
    if len(ranks) < 2 or not least or most - least > _MOST_DIFFERENT * most:
        return None
    of_steps = np.stack([_by_step(case, each[:least]) for each in took])
    spent = np.median(of_steps, axis=1)
    late = int(spent.argmin())
    # A rank that is last by chance is not so repeatedly.
    if float((of_steps.argmin(axis=0) == late).mean()) < _LEAST_STEADY:
        return None
    others = np.delete(spent, late)
    usual = float(np.median(others))
    if usual <= 0:
        return None
    ratio = spent[late] / usual
    shares = [
        min((time - spent[late]) / case.window.step_us, each.accounting.shares["communication"])
        for at, (each, time) in enumerate(zip(ranks, spent.tolist(), strict=True))
        if at != late
    ]
    share = float(np.median(shares))
    if ratio >= limits["ratio"] or share < limits["share"]:
        return None
    return Finding(
        code="TS-C003",
        bottleneck="communication",
        share=share,
        recoverable=share,
        margin=min(share / limits["share"], limits["ratio"] / max(ratio, 1e-9)),
        evidence={
            "rank": float(ranks[late].rank),
            "ranks": float(len(ranks)),
            "late_ms": float(spent[late]) / 1e3,
            "wait_ms": usual / 1e3,
            "ratio": float(ratio),
        },
    )


def _by_step(case: Case, took: Floats) -> Floats:
    """Return a rank's time in the collectives of each step, with the steps of this rank."""
    rows = _exchanges(case)[: len(took)]
    steps = case.window.steps[:, 0]
    at = np.searchsorted(steps, case.events.t0[rows], side="right") - 1
    found = np.zeros(len(steps))
    np.add.at(found, np.maximum(at, 0), took)
    return found


def _exchanges(case: Case) -> Ints:
    """Return the rows of the collectives in which all ranks take part."""
    rows = case.collectives
    found: Ints = rows[np.isin(case.events.name[rows], case.events.matching(_TOGETHER))]
    return found


def _durations(case: Case) -> Floats:
    rows = _exchanges(case)
    return case.events.t1[rows] - case.events.t0[rows]
