"""Roofline quantities for rules about kernels: shares of the window, and the largest example."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.events import Bools, Floats, Ints
from torchstone.doctor.intervals import Intervals
from torchstone.doctor.roofline.bound import Operator, Roofline, side
from torchstone.doctor.roofline.origins import moments


@dataclass(frozen=True, kw_only=True)
class Judged:
    """Roofline of a window, with quantities per operator call.

    Attributes:
        case: The case.
        roofline: The roofline of its window.
        compute: Share of the window that computes.
    """

    case: Case
    roofline: Roofline
    compute: float

    def share(self, microseconds: float) -> float:
        """Convert kernel time to a share of the window in which overlapping kernels count once."""
        return microseconds / self.roofline.time * self.compute

    def of_modelled(self, microseconds: float) -> float:
        """Return a duration as a share of the time whose work is known."""
        whole = float(self.roofline.row_time.sum())
        return microseconds / whole if whole else 0.0

    def of_works(self, values: list[float]) -> Floats:
        """Expand a quantity per work to one per call."""
        listed = np.array(values, dtype=np.float64)
        return listed[self.roofline.works] if len(self.roofline.rows) else np.zeros(0)

    def in_families(self, *families: int) -> Bools:
        """Return which calls belong to given families."""
        return np.isin(self.roofline.families, families)

    def times(self, rows: Ints) -> Intervals:
        """Return the host intervals of given operators, for the attribution to source lines."""
        return moments(self.case.events, rows)


def judged(case: Case) -> Judged | None:
    """Return the quantities for the rules; None if too little of the work is known."""
    roofline = case.roofline
    modelled = roofline.modelled
    if modelled is None or modelled < thresholds("U001")["modelled"]:
        return None
    return Judged(case=case, roofline=roofline, compute=case.accounting.shares["compute"])


def on_side(roofline: Roofline, which: str) -> list[Operator]:
    """Return the operators whose intensity is on a side of the ridge, longest first."""
    return [
        each
        for each in roofline.operators
        if each.ridge is not None
        and each.roof is not None
        and each.work.num_bytes
        and side(each.intensity, each.ridge) == which
    ]


def rows_of(operators: list[Operator]) -> Ints:
    """Return the calls of given operators."""
    rows = [each.rows for each in operators]
    return np.sort(np.concatenate(rows)) if rows else np.zeros(0, dtype=np.int64)


def example(operator: Operator, roofline: Roofline) -> dict[str, float]:
    """Return the numbers that explain on which side of the ridge an operator is."""
    assert roofline.peaks is not None, "an operator with a ridge has peaks"
    assert operator.ridge is not None, "an operator with a ridge has one"
    calls = len(operator.rows)
    return {
        "gflop": operator.work.flops / 1e9,
        "mb": operator.work.num_bytes / 1e6,
        "intensity": operator.intensity,
        "ridge": operator.ridge,
        "peak_tflops": operator.ridge * roofline.peaks.bandwidth / 1e12,
        "bandwidth_gbps": roofline.peaks.bandwidth / 1e9,
        "call_us": operator.time / calls,
    }
