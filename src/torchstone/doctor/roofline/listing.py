"""Roofline section of a report: operators with shape, quantities, bound and source line."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchstone.doctor.case import Case
from torchstone.doctor.events import NONE, Ints
from torchstone.doctor.intervals import Intervals
from torchstone.doctor.roofline.bound import Operator
from torchstone.doctor.roofline.origins import origins
from torchstone.doctor.roofline.peaks import Peaks

MOST_OPERATORS = 200
# A search for a line visits all frames; for traces with many, fewer lines are reported.
_MOST_LOOKS = 2_000_000
_LEAST_LINES = 5


def roofline_of(case: Case) -> dict[str, Any]:
    """Return the roofline section of a report, longest operators first.

    Quantities are sums over all calls; ``shape`` is that of the inputs. The overall ``ridge`` is
    that of the device's fastest dtype, while each operator has the ridge of its own dtype.
    """
    roofline = case.roofline
    peaks = roofline.peaks
    operators = roofline.operators[:MOST_OPERATORS]
    lines = _lines(case, operators)
    return {
        "device": peaks.name if peaks is not None else case.device.name,
        "ridge": peaks.ridge if peaks is not None else None,
        "peaks": _told_peaks(peaks),
        "modelled": roofline.modelled,
        "ops": [_told(each, line) for each, line in zip(operators, lines, strict=True)],
    }


def _told_peaks(peaks: Peaks | None) -> str | None:
    """Return the origin of the peaks."""
    return None if peaks is None else "measured" if peaks.is_measured else "card"


def _told(operator: Operator, line: str | None) -> dict[str, Any]:
    return {
        "name": operator.name,
        "shape": [list(each) for each in operator.work.shape[:8]],
        "dtype": operator.dtype,
        "calls": len(operator.rows),
        "flops": operator.flops,
        "bytes": operator.num_bytes,
        "intensity": operator.intensity,
        "ridge": operator.ridge,
        "time_us": operator.time,
        "efficiency": operator.efficiency,
        "bound": operator.bound,
        "line": line,
    }


def _lines(case: Case, operators: list[Operator]) -> list[str | None]:
    """Return the source line of each operator's first call, for the operators that are searched."""
    found: list[str | None] = [None] * len(operators)
    if not case.frames or not operators:
        return found
    # Damaged files may have negative line numbers.
    num_frames = int((case.events.python != NONE).sum())
    most = max(_LEAST_LINES, _MOST_LOOKS // num_frames)
    rows = np.array([each.rows[0] for each in operators[:most]], dtype=np.int64)
    for at, row in enumerate(origins(case.events, rows).tolist()):
        found[at] = _line(case, row)
    return found


def _line(case: Case, row: int) -> str | None:
    events = case.events
    rows: Ints = np.array([row])
    places = case.places(Intervals(events.t0[rows], events.t1[rows]), int(events.lane[row]))
    nearest = (*places.own[:1], *places.deepest[:1])
    return f"{nearest[0].file}:{nearest[0].line}" if nearest else None
