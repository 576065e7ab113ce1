"""TS-K007: an embedding has a dense gradient, of which a step uses few rows.

ratio = bytes of the gradient / upper bound of the bytes of indexed rows ≥ 20; share = time of the
gradient, and of the operators on tensors of the table's sizes (fill, add, weight update) / window ≥
0.1. If a product uses a matrix of these sizes, as in the output layer of a language model, the
gradient may be dense anyway, and the rule reports nothing.
"""

from __future__ import annotations

import math

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.findings import Finding
from torchstone.doctor.roofline.judged import judged
from torchstone.doctor.roofline.work import Family, Work

_ON_TABLES = (
    *(Family.TABLE_GRADIENT, Family.POINTWISE, Family.FILL, Family.COPY, Family.OPTIMIZER),
    Family.REDUCTION,
)


def find(case: Case) -> Finding | None:
    """Return K007 if dense gradients of few rows take enough of the window."""
    limits = thresholds("K007")
    found = judged(case)
    if found is None:
        return None
    roofline = found.roofline
    works = roofline.charges.works
    used = {int(each) for each in np.unique(roofline.works)}
    gradients = [works[each] for each in sorted(used) if _is_thin(works[each], limits["ratio"])]
    multiplied = {shape for each in used for shape in _multiplied(works[each])}
    tables = {each.output for each in gradients if each.output not in multiplied}
    if not tables:
        return None
    of_tables = found.of_works([_of_tables(each, tables) for each in works])
    time = float((roofline.row_time * of_tables).sum())
    share = found.share(time)
    if share < limits["share"]:
        return None
    widest = max(
        (each for each in gradients if each.output in tables), key=lambda each: each.written
    )
    ratio = widest.written / max(1, widest.touched)
    return Finding(
        code="TS-K007",
        bottleneck="bandwidth",
        share=share,
        recoverable=share * (1 - 1 / ratio),
        margin=min(share / limits["share"], ratio / limits["ratio"]),
        evidence={
            "ratio": ratio,
            "rows": float(widest.output[0]),
            "table_mb": widest.written / 1e6,
            "touched_mb": widest.touched / 1e6,
        },
        times=found.times(roofline.rows[found.in_families(Family.TABLE_GRADIENT)]),
        fix="sparse",
    )


def _is_thin(work: Work, ratio: float) -> bool:
    return work.family == Family.TABLE_GRADIENT and work.written >= ratio * max(1, work.touched)


def _multiplied(work: Work) -> list[tuple[int, ...]]:
    """Return the sizes of a product's matrices, also transposed."""
    if work.family != Family.PRODUCT:
        return []
    shapes = [*work.shape, work.output]
    return [*shapes, *(shape[::-1] for shape in shapes)]


def _of_tables(work: Work, tables: set[tuple[int, ...]]) -> float:
    """Return the share of an operator's work on tables."""
    if work.family not in _ON_TABLES:
        return 0.0
    if work.output in tables:
        return 1.0
    sizes = [(math.prod(shape), shape in tables) for shape in work.shape]
    whole = sum(size for size, _ in sizes)
    return sum(size for size, is_table in sizes if is_table) / whole if whole else 0.0
