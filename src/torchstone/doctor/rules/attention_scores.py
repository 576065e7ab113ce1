"""TS-K006: attention writes its scores to memory.

share = time of softmax over scores of L × L, of the product that computes them, of the product that
consumes them, and of elementwise operators in between / window; forward and backward. Recoverable:
all but the products, because a fused kernel (``scaled_dot_product_attention``) keeps scores on
chip. On a CPU that operator has no fused kernel for dropout; if it is called already, the rule
reports nothing there.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.events import Bools
from torchstone.doctor.findings import Finding
from torchstone.doctor.roofline.judged import Judged, judged
from torchstone.doctor.roofline.work import Family, Work

_SOFTMAX = ("aten::_softmax", "aten::_softmax_backward_data")
# Maximum number of operators between a product and its softmax: scale, mask, casts, dropout.
_NEAR = 8


def find(case: Case) -> Finding | None:
    """Return K006 if stored scores take enough of the window."""
    limits = thresholds("K006")
    found = judged(case)
    if found is None:
        return None
    roofline = found.roofline
    works = [roofline.charges.works[int(each)] for each in roofline.works]
    names = [case.events.names[int(name)] for name in case.events.name[roofline.rows]]
    is_in = np.zeros(len(works), dtype=np.bool_)
    centres = []
    for at, (name, work) in enumerate(zip(names, works, strict=True)):
        if name in _SOFTMAX and _is_square(work, limits["length"]):
            chain = _chain(works, at)
            if chain:
                is_in[chain] = True
                centres.append(at)
    if not case.accounting.has_device and _is_called(case):
        return None
    share = found.share(float(roofline.row_time[is_in].sum()))
    if not centres or share < limits["share"]:
        return None
    spared = is_in & ~found.in_families(Family.PRODUCT)
    return _finding(found, centres, works, is_in, spared, share / limits["share"])


def _finding(
    found: Judged,
    centres: list[int],
    works: list[Work],
    is_in: Bools,
    spared: Bools,
    margin: float,
) -> Finding:
    roofline = found.roofline
    largest = max((works[at] for at in centres), key=lambda work: math.prod(work.output))
    return Finding(
        code="TS-K006",
        bottleneck="bandwidth",
        share=found.share(float(roofline.row_time[is_in].sum())),
        recoverable=found.share(float(roofline.row_time[spared].sum())),
        margin=margin,
        evidence={
            "per_step": len(centres) / max(1, found.case.num_steps),
            "queries": float(largest.output[-2]),
            "keys": float(largest.output[-1]),
            "scores_mb": largest.written / 1e6,
            "of_softmax": found.share(float(roofline.row_time[spared].sum())),
        },
        times=found.times(roofline.rows[is_in]),
        fix="sdpa",
    )


def _is_called(case: Case) -> bool:
    """Return whether the fused operator is called and has fallen back to products."""
    names = case.events.named("_scaled_dot_product_attention_math")
    return bool(np.isin(case.events.name[case.operators], names).any())


def _is_square(work: Work, least: float) -> bool:
    return len(work.output) >= 3 and min(work.output[-2:]) >= least


def _chain(works: list[Work], at: int) -> list[int]:
    """Return the operators from the product before a softmax to the product after it."""
    scores = works[at].output
    size = math.prod(scores)
    before = _nearest(works, at, -1, lambda work: _are_scores(work.output, scores))
    behind = _nearest(works, at, 1, lambda work: any(_are_scores(x, scores) for x in work.shape))
    if before is None or behind is None:
        return []
    between = [
        place
        for place in range(before + 1, behind)
        if works[place].family != Family.PRODUCT and math.prod(works[place].output) == size
    ]
    return [before, *between, behind]


def _are_scores(shape: tuple[int, ...], scores: tuple[int, ...]) -> bool:
    """Return whether a product's matrix has the sizes of scores, possibly transposed."""
    same = sorted(shape[-2:]) == sorted(scores[-2:])
    return same and math.prod(shape) == math.prod(scores)


def _nearest(
    works: list[Work], at: int, step: int, is_wanted: Callable[[Work], bool]
) -> int | None:
    for place in range(at + step, at + step * (_NEAR + 1), step):
        if not 0 <= place < len(works):
            return None
        if works[place].family == Family.PRODUCT and is_wanted(works[place]):
            return place
    return None
