"""TS-K009: tensors are copied only to change their layout, or to append to them.

share = time of copies within ``contiguous``, ``clone`` and ``reshape`` that change neither dtype
nor device, and of ``cat`` onto the result of an earlier ``cat`` / window ≥ 0.1. Names and sizes
suffice, so that a trace with few modelled operators is diagnosed as well.
"""

from __future__ import annotations

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.correlate import enclosing
from torchstone.doctor.events import NONE, Ints
from torchstone.doctor.findings import Finding
from torchstone.doctor.roofline.origins import moments
from torchstone.doctor.roofline.tensors import Inputs, Unknown
from torchstone.doctor.roofline.work import Family

_COPYING = ("aten::contiguous", "aten::clone", "aten::reshape")


def find(case: Case) -> Finding | None:
    """Return K009 if such copies take enough of the window."""
    limits = thresholds("K009")
    roofline = case.roofline
    if roofline.time <= 0:
        return None
    charges = roofline.charges
    growing = _growing(case, int(limits["growths"]))
    rows = np.concatenate((copies(case), growing))
    owners = _launching(case)
    is_in = np.isin(owners, rows)
    time = float(charges.time[roofline.units[is_in]].sum())
    # Relative to attributed time; without a device, to the time of operators.
    share = time / roofline.time * case.accounting.shares["compute"]
    if not len(rows) or share < limits["share"]:
        return None
    return Finding(
        code="TS-K009",
        bottleneck="bandwidth",
        share=share,
        recoverable=share * limits["won"],
        margin=share / limits["share"],
        evidence={
            "copies_per_step": len(rows) / max(1, case.num_steps),
            "growing": len(growing) / max(1, case.num_steps),
            "copy_ms": time / max(1, case.num_steps) / 1e3,
        },
        times=moments(case.events, np.sort(rows)),
    )


def _launching(case: Case) -> Ints:
    """Return for each unit of the window its innermost operator, modelled or not."""
    units = case.roofline.charges.units[case.roofline.units]
    if not case.accounting.has_device:
        return units
    if not len(case.kernels):
        return np.full(len(units), NONE, dtype=np.int64)
    at = np.searchsorted(case.kernels, units)
    found: Ints = case.operator_of[np.minimum(at, len(case.kernels) - 1)]
    return found


def copies(case: Case) -> Ints:
    """Return the copies whose only purpose is another memory layout."""
    roofline, events = case.roofline, case.events
    works = roofline.charges.works
    is_same = np.array(
        [each.family == Family.COPY and each.read == each.written > 0 for each in works],
        dtype=np.bool_,
    )
    rows = roofline.rows[is_same[roofline.works]] if len(roofline.rows) else roofline.rows
    operators = case.operators
    names = [n for n, name in enumerate(events.names) if name in _COPYING]
    around = operators[np.isin(events.name[operators], names)]
    found: Ints = rows[enclosing(events, rows, around) != NONE]
    return found


def _growing(case: Case, least: int) -> Ints:
    """Return the calls of ``cat`` that append to the result of an earlier call, if many do."""
    events = case.events
    names = [n for n, name in enumerate(events.names) if name == "aten::cat"]
    rows = case.operators[np.isin(events.name[case.operators], names)]
    rows = rows[events.shapes[rows] != NONE]
    made: set[tuple[int, ...]] = set()
    found = []
    for row in rows.tolist():
        inputs = Inputs(events.signatures[int(events.shapes[row])])
        sizes = inputs.sizes_of_list(0)
        if not sizes:
            continue
        largest = max(sizes, key=lambda size: int(np.prod(size, dtype=np.float64)))
        joined = _joined(sizes, inputs)
        if joined is None:
            continue
        if largest in made and joined not in made:
            found.append(row)
        made.add(joined)
    return np.array(found if len(found) >= least else [], dtype=np.int64)


def _joined(sizes: list[tuple[int, ...]], inputs: Inputs) -> tuple[int, ...] | None:
    """Return the sizes of the result, if the trace determines the dimension of concatenation."""
    first = sizes[0]
    if len(sizes) < 2 or not first or any(len(size) != len(first) for size in sizes):
        return None
    try:
        dim = inputs.number(1) % len(first)
    except Unknown:
        # Old traces lack the dimension: it is where the sizes differ.
        differing = [at for at in range(len(first)) if len({size[at] for size in sizes}) > 1]
        dim = differing[0] if differing else 0
    return (*first[:dim], sum(size[dim] for size in sizes), *first[dim + 1 :])
