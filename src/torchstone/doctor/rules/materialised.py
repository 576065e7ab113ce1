"""TS-K008: all pairs, or a one-hot matrix, are written to memory only to be reduced.

An operator writes at least 16 times as many bytes as it reads, from two tensors that are both
smaller than the result, or sets one element in each row of at least 16; and a reduction or a
product reads the result, with only elementwise arithmetic in between. share = time of operators on
tensors of that size / window ≥ 0.1.
"""

from __future__ import annotations

import math
import re

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.events import Ints
from torchstone.doctor.findings import Finding
from torchstone.doctor.roofline.judged import judged
from torchstone.doctor.roofline.work import Family, Work

_OF_SIZE = (Family.POINTWISE, Family.REDUCTION, Family.COPY, Family.FILL, Family.INDEX)
# After a function such as tanh, no identity replaces the sum over pairs.
_PLAIN = re.compile(
    r"^aten::(sub|add|mul|div|rsub|pow|square|abs|neg|sqrt|copy_|fill_|zero_|scatter_|eq|where"
    r"|masked_fill|clamp_min|clamp)_?$"
)
_ENDS = (Family.REDUCTION, Family.PRODUCT)
_NEAR = 8


def find(case: Case) -> Finding | None:
    """Return K008 if tensors written only to be reduced take enough of the window."""
    limits = thresholds("K008")
    found = judged(case)
    if found is None:
        return None
    roofline = found.roofline
    works = [roofline.charges.works[int(each)] for each in roofline.works]
    names = [case.events.names[int(name)] for name in case.events.name[roofline.rows]]
    starts = [
        at
        for at, (name, work) in enumerate(zip(names, works, strict=True))
        if _is_blown_up(name, work, limits) and _is_reduced(names, works, at)
    ]
    if not starts:
        return None
    sizes = {math.prod(works[at].output) for at in starts}
    rows = _on_sizes(works, sizes)
    share = found.share(float(roofline.row_time[rows].sum()))
    if share < limits["share"]:
        return None
    largest = max((works[at] for at in starts), key=lambda work: work.num_bytes)
    made = math.prod(largest.output)
    given = max(1, sum(math.prod(shape) for shape in largest.shape if math.prod(shape) < made))
    return Finding(
        code="TS-K008",
        bottleneck="bandwidth",
        share=share,
        recoverable=share * limits["won"],
        margin=share / limits["share"],
        evidence={
            "elements": float(made),
            "inputs": float(given),
            "ratio": made / given,
            "per_step": len(starts) / max(1, case.num_steps),
        },
        times=found.times(roofline.rows[starts]),
    )


def _is_blown_up(name: str, work: Work, limits: dict[str, float]) -> bool:
    """Return whether an operator's output is much larger than its inputs."""
    size = math.prod(work.output)
    if size < limits["elements"]:
        return False
    if name == "aten::scatter_":
        return len(work.shape) > 1 and size >= limits["ratio"] * max(1, math.prod(work.shape[1]))
    if work.family != Family.POINTWISE or _PLAIN.match(name) is None:
        return False
    # Broadcasting a scalar or a single row forms no pairs.
    inputs = [math.prod(shape) for shape in work.shape if math.prod(shape) > 1]
    return len(inputs) >= 2 and work.written >= limits["ratio"] * work.read


def _is_reduced(names: list[str], works: list[Work], at: int) -> bool:
    """Return whether an operator's output is soon reduced or multiplied, and not used otherwise."""
    size = math.prod(works[at].output)
    for place in range(at + 1, min(at + 1 + _NEAR, len(works))):
        work = works[place]
        takes = size in [math.prod(shape) for shape in work.shape]
        if work.family in _ENDS and takes:
            return work.family == Family.PRODUCT or math.prod(work.output) < size
        if takes and _PLAIN.match(names[place]) is None:
            return False
    return False


def _on_sizes(works: list[Work], sizes: set[int]) -> Ints:
    """Return the positions of operators with inputs or outputs of given sizes."""
    found = [
        at
        for at, work in enumerate(works)
        if work.family in (*_OF_SIZE, Family.PRODUCT)
        and not sizes.isdisjoint([math.prod(work.output), *map(math.prod, work.shape)])
    ]
    return np.array(found, dtype=np.int64)
