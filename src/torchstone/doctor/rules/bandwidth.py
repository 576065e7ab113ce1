"""TS-K003: kernels are memory-bound, and close to the memory bandwidth.

Of the time of operators with known work, at least half belongs to those with intensity ≤ 0.8 ×
ridge and an efficiency of at least 0.4; and they take at least 0.1 of the window.

The rule describes where the time goes. Recoverable is the traffic that fusion avoids: if an
elementwise operator, norm or reduction reads what the previous one has just written, a fused kernel
does not read it. A chain of one operator recovers nothing: then the confidence of K003 is low, and
it ranks below TS-H001, the verdict if nothing else is found.
"""

from __future__ import annotations

import math

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.events import Ints
from torchstone.doctor.findings import Finding
from torchstone.doctor.roofline.judged import Judged, example, judged, on_side, rows_of
from torchstone.doctor.roofline.work import Family

_FUSIBLE = (Family.POINTWISE, Family.NORM, Family.SOFTMAX, Family.REDUCTION, Family.RANDOM)


def find(case: Case) -> Finding | None:
    """Return K003 if memory-bound operators take enough of the computation."""
    limits = thresholds("K003")
    found = judged(case)
    if found is None:
        return None
    operators = [
        each
        for each in on_side(found.roofline, "memory")
        if (each.efficiency or 0.0) >= limits["efficiency"]
    ]
    time = sum(each.time for each in operators)
    of_modelled, share = found.of_modelled(time), found.share(time)
    if not operators or of_modelled < limits["of_modelled"] or share < limits["share"]:
        return None
    rows = rows_of(operators)
    recoverable = found.share(_read_again(found, rows))
    return Finding(
        code="TS-K003",
        bottleneck="bandwidth",
        share=share,
        recoverable=recoverable,
        margin=min(
            of_modelled / limits["of_modelled"],
            share / limits["share"],
            recoverable / limits["least"],
        ),
        evidence={
            "of_modelled": of_modelled,
            "efficiency": sum(each.roof or 0.0 for each in operators) / time,
            **example(operators[0], found.roofline),
        },
        times=found.times(rows),
        fix="compile",
    )


def _read_again(found: Judged, rows: Ints) -> float:
    """Return the microseconds in which operators read the output of the previous operator."""
    roofline = found.roofline
    if len(roofline.rows) < 2:
        return 0.0
    works = roofline.charges.works
    made = found.of_works([math.prod(each.output) for each in works])
    taken = found.of_works([math.prod(each.shape[0]) if each.shape else 0 for each in works])
    moved = found.of_works([max(1, each.num_bytes) for each in works])
    written = found.of_works([each.written for each in works])
    is_fusible = found.in_families(*_FUSIBLE) & np.isin(roofline.rows, rows)
    lanes = found.case.events.lane[roofline.rows]
    follows = (
        is_fusible[1:] & is_fusible[:-1] & (made[:-1] == taken[1:]) & (lanes[1:] == lanes[:-1])
    )
    # Operators of different steps are rarely fused.
    steps = np.searchsorted(
        found.case.window.steps[:, 0], found.case.events.t0[roofline.rows], "right"
    )
    follows &= steps[1:] == steps[:-1]
    # A fused kernel still writes what the backward pass needs, so only reads count.
    spared = np.minimum(1.0, written[:-1] / moved[1:])
    return float((roofline.row_time[1:] * spared)[follows].sum())
