"""TS-K004: kernels reach only a small share of the memory bandwidth.

share = time of operators that each move at least 10 MB, with intensity ≤ 0.8 × ridge and efficiency
< 0.4 / window. The rule covers operators whose kernels can reach most of the bandwidth with
contiguous access: elementwise arithmetic, copies, reductions, concatenation and indexing. Norms and
softmax read their input several times, and are excluded; on a CPU, so are exponentials.
"""

from __future__ import annotations

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.findings import Finding
from torchstone.doctor.roofline.bound import Operator
from torchstone.doctor.roofline.judged import example, judged, on_side, rows_of
from torchstone.doctor.roofline.work import Family
from torchstone.doctor.rules.copies_for_nothing import copies

_SIMPLE = (Family.POINTWISE, Family.COPY, Family.REDUCTION, Family.JOIN, Family.INDEX)


def find(case: Case) -> Finding | None:
    """Return K004 if large operators with a low bandwidth take enough time."""
    limits = thresholds("K004")
    found = judged(case)
    if found is None:
        return None
    # Avoidable copies are better removed than made faster: they belong to TS-K009.
    needless = copies(case)
    operators = [
        each
        for each in on_side(found.roofline, "memory")
        if each.work.family in _SIMPLE
        and each.work.num_bytes >= limits["bytes"]
        and (each.efficiency or 0.0) < limits["efficiency"]
        and not (each.work.family == Family.COPY and np.isin(each.rows, needless).any())
        and (case.accounting.has_device or _is_light(each, limits["light"]))
    ]
    time = sum(each.time for each in operators)
    share = found.share(time)
    if not operators or share < limits["share"]:
        return None
    above = sum(max(0.0, each.time - (each.roof or 0.0) / limits["reached"]) for each in operators)
    return Finding(
        code="TS-K004",
        bottleneck="bandwidth",
        share=share,
        recoverable=found.share(above),
        margin=share / limits["share"],
        evidence={
            "efficiency": sum(each.roof or 0.0 for each in operators) / time,
            "reached_gbps": sum(each.num_bytes for each in operators) / time / 1e3,
            **example(operators[0], found.roofline),
        },
        times=found.times(rows_of(operators)),
    )


def _is_light(operator: Operator, most: float) -> bool:
    return operator.intensity <= most
