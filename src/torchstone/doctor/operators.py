"""Call tree of a rank's operators: parents and self times."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np

from torchstone.doctor.correlate import nesting
from torchstone.doctor.events import NONE, Events, Floats, Ints
from torchstone.doctor.read.kinds import Kind

# Name of floating-point tensors in the profiler.
FLOATS = {"float", "double", "c10::Half", "c10::BFloat16"}
_SIZES = {"double": 8, "float": 4, "c10::Half": 2, "c10::BFloat16": 2, "int": 4}
_OTHER_SIZE = 8
_types = msgspec.json.Decoder(list[str | list[str]])


@dataclass(frozen=True, slots=True, kw_only=True)
class Operators:
    """Operators of all threads, sorted by time.

    Attributes:
        rows: Rows of the operators among the events.
        parents: Position of the calling operator, or ``NONE``.
        tops: Position of the outermost enclosing operator; its own if there is none.
        selves: Self time in microseconds.
        inner: Number of operators within it, including itself.
    """

    rows: Ints
    parents: Ints
    tops: Ints
    selves: Floats
    inner: Ints


def find_operators(events: Events) -> Operators:
    """Return the operators of a rank."""
    rows = events.of(Kind.OPERATOR)
    parents = np.full(len(rows), NONE, dtype=np.int64)
    for lane in np.unique(events.lane[rows]):
        on = np.flatnonzero(events.lane[rows] == lane)
        found = nesting(events.t0[rows[on]], events.t1[rows[on]])
        parents[on] = np.where(found == NONE, NONE, on[found])
    took = events.t1[rows] - events.t0[rows]
    has_parent = parents != NONE
    inside = np.bincount(parents[has_parent], took[has_parent], minlength=len(rows))
    return Operators(
        rows=rows,
        parents=parents,
        tops=_outermost(parents),
        selves=np.maximum(took - inside, 0.0),
        inner=_counted(parents),
    )


def types_of(events: Events, signature: int) -> list[str]:
    """Return the dtypes of an operator's inputs; a tensor list has that of its first tensor."""
    return _decoded(events.signatures[signature].types)


def with_sizes(events: Events, signature: int) -> list[str]:
    """Return the dtypes of the inputs that are tensors of at least one dimension."""
    try:
        dims = msgspec.json.decode(events.signatures[signature].dims)
    except (ValueError, RecursionError):
        return []
    types = types_of(events, signature)
    listed = dims if isinstance(dims, list) else []
    return [kind for each, kind in zip(listed, types, strict=False) if each]


def num_bytes(events: Events, signature: int) -> int:
    """Return the bytes of all inputs of an operator; 0 if the trace has no shapes."""
    if signature == NONE:
        return 0
    shapes = events.signatures[signature]
    try:
        dims = msgspec.json.decode(shapes.dims)
    except (ValueError, RecursionError):
        return 0
    types = _decoded(shapes.types)
    if not isinstance(dims, list):
        return 0
    return sum(_num_bytes(each, kind) for each, kind in zip(dims, types, strict=False))


def _num_bytes(dims: object, kind: str) -> int:
    if not isinstance(dims, list) or not dims:
        return 0
    if isinstance(dims[0], list):
        return sum(_num_bytes(each, kind) for each in dims)
    if not all(isinstance(size, int) for size in dims):
        return 0
    # The dtype of a tensor list is not recorded; gradients are mostly float32.
    size = 4 if kind == "TensorList" else _SIZES.get(kind, _OTHER_SIZE)
    return int(np.prod(np.array(dims, dtype=np.float64))) * size


def _decoded(text: bytes) -> list[str]:
    try:
        found = _types.decode(text)
    except (ValueError, RecursionError):
        return []
    return [each if isinstance(each, str) else (each or [""])[0] for each in found]


def _outermost(parents: Ints) -> Ints:
    """Return the root of each chain of parents."""
    tops = np.arange(len(parents))
    while True:
        above = parents[tops]
        is_inside = above != NONE
        if not is_inside.any():
            return tops
        tops[is_inside] = above[is_inside]


def _counted(parents: Ints) -> Ints:
    """Return the number of descendants of each, including itself."""
    inner = np.ones(len(parents), dtype=np.int64)
    around = parents.copy()
    while True:
        is_inside = around != NONE
        if not is_inside.any():
            return inner
        inner += np.bincount(around[is_inside], minlength=len(parents))
        around[is_inside] = parents[around[is_inside]]
