"""TS-N002: tensors are repeatedly cast between floating-point types.

share = time of copies from one floating-point type to another / window; kernel time if there is a
device.
"""

from __future__ import annotations

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.events import NONE, Events, Ints
from torchstone.doctor.findings import Finding
from torchstone.doctor.operators import FLOATS, with_sizes


def find(case: Case) -> Finding | None:
    """Return N002 if casts take enough of the window."""
    limits = thresholds("N002")
    copies = _casts(case)
    rows = case.inside(case.facts.operators.rows[copies])
    if not len(rows):
        return None
    whole = case.facts.times_of(case.inside(_around(case, copies)))
    has_device = case.accounting.has_device
    spent = float(case.spent[copies].sum()) if has_device else whole.length
    share = case.share(spent)
    if share < limits["share"]:
        return None
    return Finding(
        code="TS-N002",
        bottleneck="bandwidth",
        share=share,
        recoverable=share,
        margin=share / limits["share"],
        evidence={
            "casts": len(rows) / max(1, case.num_steps),
            "cast_ms": spent / max(1, case.num_steps) / 1e3,
        },
        times=whole,
        fix="hoist_cast",
    )


def _casts(case: Case) -> Ints:
    """Return the positions of the copies between floating-point types."""
    events, rows = case.events, case.facts.operators.rows
    found = np.flatnonzero(np.isin(events.name[rows], events.matching(r"^aten::copy_$")))
    is_cast = {
        at: _is_cast(events, at)
        for at in np.unique(events.shapes[rows[found]]).tolist()
        if at != NONE
    }
    return found[[is_cast.get(at, False) for at in events.shapes[rows[found]].tolist()]]


def _is_cast(events: Events, signature: int) -> bool:
    # A Python number is also float64, and has no sizes.
    types = with_sizes(events, signature)[:2]
    return len(types) == 2 and types[0] != types[1] and set(types) <= FLOATS


def _around(case: Case, copies: Ints) -> Ints:
    """Return the rows of the casts: of the operator that calls the copy, if there is one."""
    events, operators = case.events, case.facts.operators
    parents = operators.parents[copies]
    names = events.name[operators.rows[np.maximum(parents, 0)]]
    is_cast = (parents != NONE) & np.isin(names, events.matching(r"^aten::_to_copy$"))
    return np.sort(operators.rows[np.where(is_cast, parents, copies)])
