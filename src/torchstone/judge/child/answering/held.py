"""Rows of a large answer: send some, and for the others the distance to the row they repeat.

A large answer takes longer to send and to compare than to compute. Where rows of the input repeat
each other, a few rows determine all of them. The host selects the rows only after the whole answer
was computed.
"""

from __future__ import annotations

import builtins
from typing import Any

import torch

from ..protocol.records import Answer, HeldData, RowsData
from .observe import Tensor, dtype_of, shape_of

# A submission may rebind names in `builtins`; this module looks names up in a copy.
__builtins__ = dict(vars(builtins))  # type: ignore[assignment]

_stack, _equal, _zeros = torch.stack, torch.equal, torch.zeros
_unbind, _subtract = Tensor.unbind, Tensor.sub
_abs, _max = Tensor.abs_, Tensor.max


def held(submission: Any, data: HeldData, session: Any) -> Answer:
    """Send selected rows of the session's held answer, and the distance of every row from them."""
    answer, session.held = session.held, {}
    return _rows_of(answer, data["keys"])


def _rows_of(answer: Answer, keys: dict[str, RowsData]) -> Answer:
    """Return selected rows of the named tensors, and under ``KEY.apart`` all rows' distances.

    A distance is the largest absolute difference of two entries; NaN where an entry is NaN. An item
    that is no tensor with as many rows is returned unchanged.
    """
    found: Answer = {}
    for key, item in answer.items():
        wanted = keys.get(key)
        if wanted is None or not _has_rows(item, len(wanted["repeats"])):
            found[key] = item
            continue
        rows = _unbind(item)
        picked = [rows[number] for number in wanted["rows"]]
        found[key] = _stack(picked)
        pairs = zip(rows, wanted["repeats"], strict=True)
        found[f"{key}.apart"] = _stack([_distance(row, picked[place]) for row, place in pairs])
    return found


def _distance(row: Tensor, other: Tensor) -> Tensor:
    # Most rows are equal; this test allocates no difference.
    if _equal(row, other):
        return _zeros((), dtype=dtype_of(row))
    return _max(_abs(_subtract(row, other)))


def _has_rows(item: Any, count: int) -> bool:
    return isinstance(item, Tensor) and len(shape_of(item)) > 0 and shape_of(item)[0] == count
