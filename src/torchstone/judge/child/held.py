"""Rows of a large answer: some are sent, of the others the distance from what they repeat.

A large answer takes longer to travel and to compare than to compute. Where rows of the input repeat
each other, a few rows say what all of them must be. Which ones are sent is known only after the
whole answer was computed.
"""

from __future__ import annotations

import builtins
from typing import Any

import torch

from .observe import Tensor, dtype_of, shape_of
from .records import Answer, HeldData, RowsData

# A submission may rebind what `builtins` holds; the functions of this module look names up here.
__builtins__ = dict(vars(builtins))  # type: ignore[assignment]

_stack, _equal, _zeros = torch.stack, torch.equal, torch.zeros
_unbind, _subtract = Tensor.unbind, Tensor.sub
_abs, _max = Tensor.abs_, Tensor.max


def held(submission: Any, data: HeldData, session: Any) -> Answer:
    """Send some rows of the answer that the session holds, and how far the others are from them."""
    answer, session.held = session.held, {}
    return _rows_of(answer, data["keys"])


def _rows_of(answer: Answer, keys: dict[str, RowsData]) -> Answer:
    """Return the rows of the named tensors, and under ``KEY.apart`` the distances of all rows.

    A distance is the largest absolute difference of two entries; NaN where an entry is NaN. What is
    no tensor with as many rows is returned as it is.
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
    # Mostly there is none, which is seen without writing a difference.
    if _equal(row, other):
        return _zeros((), dtype=dtype_of(row))
    return _max(_abs(_subtract(row, other)))


def _has_rows(item: Any, count: int) -> bool:
    return isinstance(item, Tensor) and len(shape_of(item)) > 0 and shape_of(item)[0] == count
