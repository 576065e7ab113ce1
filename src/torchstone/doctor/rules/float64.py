"""TS-N001: operators compute in float64, probably by accident.

of_operators = time of operators with a float64 input tensor / time of all operators; kernel time if
there is a device. If nearly all of it is float64, it may be intended.
"""

from __future__ import annotations

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.events import Bools, Events
from torchstone.doctor.findings import Finding
from torchstone.doctor.operators import FLOATS, with_sizes

_ALL, _UNSURE = 0.95, 1.3


def find(case: Case) -> Finding | None:
    """Return N001 if float64 takes enough of the operators' time."""
    limits = thresholds("N001")
    signatures = case.events.shapes[case.facts.operators.rows]
    is_double = np.append(_of_type(case.events, {"double"}), False)[signatures]
    is_float = np.append(_of_type(case.events, FLOATS), False)[signatures]
    whole = float(case.spent.sum())
    spent = float(case.spent[is_double].sum())
    if not whole or spent / whole < limits["share"] or case.share(spent) < limits["least"]:
        return None
    of_floats = spent / float(case.spent[is_float].sum())
    rows = case.facts.operators.rows[is_double & (case.spent > 0)]
    share = min(1.0, case.share(spent))
    margin = spent / whole / limits["share"]
    return Finding(
        code="TS-N001",
        bottleneck="compute",
        share=share,
        recoverable=share * (1 - 1 / limits["gain"]),
        margin=margin if of_floats < _ALL else min(margin, _UNSURE),
        evidence={
            "of_operators": spent / whole,
            "double_ms": spent / max(1, case.num_steps) / 1e3,
            "operators": len(rows) / max(1, case.num_steps),
        },
        times=case.facts.times_of(rows),
        fix="float32",
    )


def _of_type(events: Events, types: set[str]) -> Bools:
    """Return for each signature whether it has a tensor, not a number, of given types."""
    # A Python number is also float64, and has no sizes.
    return np.array(
        [
            any(kind in types for kind in with_sizes(events, at))
            for at in range(len(events.signatures))
        ],
        dtype=bool,
    )
