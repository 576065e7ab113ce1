"""The operators of a rank as calls: which one called which, and how long each took by itself."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np

from torchstone.doctor.correlate import nesting
from torchstone.doctor.events import NONE, Events, Floats, Ints
from torchstone.doctor.read.kinds import Kind

# What the profiler writes for a floating-point tensor.
FLOATS = {"float", "double", "c10::Half", "c10::BFloat16"}
_SIZES = {"double": 8, "float": 4, "c10::Half": 2, "c10::BFloat16": 2, "int": 4}
_OTHER_SIZE = 8
_types = msgspec.json.Decoder(list[str | list[str]])


@dataclass(frozen=True, slots=True, kw_only=True)
class Operators:
    """Hold the operators of all threads, in order of time.

    Attributes:
        rows: Their rows among the events.
        parents: The position of the operator that called it, or ``NONE``.
        tops: The position of the outermost operator around it; its own where none is.
        selves: The microseconds in which it ran and none that it called did.
        inner: How many operators ran in it, itself among them.
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
    """Return the types of the inputs of an operator; a list of tensors has that of its first."""
    return _decoded(events.signatures[signature].types)


def with_sizes(events: Events, signature: int) -> list[str]:
    """Return the types of those inputs of an operator that are tensors with one size or more."""
    try:
        dims = msgspec.json.decode(events.signatures[signature].dims)
    except (ValueError, RecursionError):
        return []
    types = types_of(events, signature)
    listed = dims if isinstance(dims, list) else []
    return [kind for each, kind in zip(listed, types, strict=False) if each]


def num_bytes(events: Events, signature: int) -> int:
    """Return the bytes of all inputs of an operator, or 0 where the trace has no shapes."""
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
    # The type of a list of tensors is not told; gradients are float32 more often than not.
    size = 4 if kind == "TensorList" else _SIZES.get(kind, _OTHER_SIZE)
    return int(np.prod(np.array(dims, dtype=np.float64))) * size


def _decoded(text: bytes) -> list[str]:
    try:
        found = _types.decode(text)
    except (ValueError, RecursionError):
        return []
    return [each if isinstance(each, str) else (each or [""])[0] for each in found]


def _outermost(parents: Ints) -> Ints:
    """Return the last of the chain of parents of each."""
    tops = np.arange(len(parents))
    while True:
        above = parents[tops]
        is_inside = above != NONE
        if not is_inside.any():
            return tops
        tops[is_inside] = above[is_inside]


def _counted(parents: Ints) -> Ints:
    """Return how many each contains, itself among them."""
    inner = np.ones(len(parents), dtype=np.int64)
    around = parents.copy()
    while True:
        is_inside = around != NONE
        if not is_inside.any():
            return inner
        inner += np.bincount(around[is_inside], minlength=len(parents))
        around[is_inside] = parents[around[is_inside]]
