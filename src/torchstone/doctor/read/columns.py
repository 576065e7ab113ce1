"""Collection of events into columns, in batches."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import Any, TypeGuard

import numpy as np

from torchstone.doctor.events import NONE, Events, Floats, Ints, Lane, Memory, Shapes
from torchstone.doctor.read import limits
from torchstone.doctor.read.chrome import Args, Event, Reading, Scalar
from torchstone.doctor.read.kinds import Kind, kind_of
from torchstone.doctor.refusal import Refusal

_NO_ARGS = Args()


class _Numbers(dict[Any, int]):
    """Dictionary that numbers keys in order of first use."""

    def __missing__(self, key: Any) -> int:
        self[key] = number = len(self)
        return number


class Columns:
    """Collector of the events of one rank.

    Args:
        reading: Receives what is noticed.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._names = _Numbers()
        self._lanes = _Numbers()
        self._shapes = _Numbers()
        self._stacks = _Numbers()
        self._kinds: list[int] = []
        self._pieces: list[dict[str, Any]] = []
        self._memory: list[tuple[float, int, int, int, int]] = []
        self._num_events = 0

    @property
    def is_old(self) -> bool:
        """Return whether the categories are those of torch 1.8."""
        return any(category == "Operator" for category, _ in self._names)

    def add(self, events: list[Event]) -> None:
        """Add the events of a batch that have a duration, and those of the allocator."""
        names, kinds = self._names, self._kinds
        numbers = [names[event.cat, event.name] for event in events]
        for category, name in list(names)[len(kinds) :]:
            kinds.append(kind_of(category, str(name)))
        spans = [
            (event, number)
            for event, number in zip(events, numbers, strict=True)
            if event.ph == "X" and kinds[number] != Kind.OTHER
        ]
        self._memory += [
            (event.ts, *_memory_of(event.args))
            for event in events
            if event.ph == "i" and event.name == "[memory]" and event.args and _is_time(event.ts)
        ]
        if spans:
            self._add_spans([event for event, _ in spans], [number for _, number in spans])

    def _add_spans(self, events: list[Event], numbers: list[int]) -> None:
        args = [event.args or _NO_ARGS for event in events]
        lanes, shapes, stacks = self._lanes, self._shapes, self._stacks
        t0 = np.array([_nan(event.ts) for event in events])
        duration = np.array([_nan(event.dur, 0.0) for event in events])
        # NaN < 0 is false, so that the conditions are stated positively.
        whole = (np.abs(t0) <= limits.MAX_TIME_US) & (duration >= 0)
        whole &= duration <= limits.MAX_TIME_US
        piece: dict[str, Any] = {
            "t0": t0,
            "t1": t0 + np.where(whole, duration, 0.0),
            "name": np.array(numbers, dtype=np.int32),
            "lane": np.array([lanes[each.pid, each.tid] for each in events], dtype=np.int32),
            "device": _ints([_device_of(each) for each in events]),
            "correlation": _ints([each.correlation for each in args]),
            "external": _ints(
                [each.external if each.external_old is None else each.external_old for each in args]
            ),
            "sequence": _ints([each.sequence for each in args]),
            "python": _ints([each.python for each in args]),
            "parent": _ints([each.python_parent for each in args]),
            "size": _ints([each.size for each in args]),
            "shapes": np.array(
                [shapes[_shapes_of(each)] if each.dims else NONE for each in args], dtype=np.int32
            ),
            "stack": np.array(
                [stacks[each.stack] if each.stack else NONE for each in args], dtype=np.int32
            ),
        }
        self._reading.num_dropped += int((~whole).sum())
        self._num_events += len(events)
        if self._num_events > limits.MAX_EVENTS:
            raise Refusal("too_many_events", most=limits.MAX_EVENTS)
        self._pieces.append({name: column[whole] for name, column in piece.items()})

    def events(self) -> Events:
        """Return the collected events, sorted by time."""
        joined = {name: self._joined(name) for name in _COLUMNS}
        base = float(joined["t0"].min()) if len(joined["t0"]) else 0.0
        joined["t0"] -= base
        joined["t1"] -= base
        names = [str(name) for _, name in self._names]
        lanes = [Lane(pid=_label(pid), tid=_label(tid)) for pid, tid in self._lanes]
        # A thread id may be a number in one event and a string in another.
        of_lane = {lane: at for at, lane in enumerate(sorted(set(lanes), key=_order_of_lane))}
        same = np.array([of_lane[lane] for lane in lanes], dtype=np.int32)
        joined["lane"] = same[joined["lane"]] if len(same) else joined["lane"]
        order = _order(joined, names)
        columns = {name: column[order] for name, column in joined.items()}
        kind = np.array(self._kinds, dtype=np.int8)[columns["name"]]
        return Events(
            **columns,
            kind=kind,
            names=names,
            lanes=list(of_lane),
            signatures=[
                Shapes(dims=d, types=t, strides=s, values=v) for d, t, s, v in self._shapes
            ],
            stacks=list(self._stacks),
            memory=_memories(self._memory, base),
        )

    def _joined(self, name: str) -> Any:
        pieces = [piece.pop(name) for piece in self._pieces]
        return np.concatenate(pieces) if pieces else np.zeros(0, dtype=_COLUMNS[name])


_COLUMNS: dict[str, Any] = {
    "t0": np.float64,
    "t1": np.float64,
    "name": np.int32,
    "lane": np.int32,
    "device": np.int64,
    "correlation": np.int64,
    "external": np.int64,
    "sequence": np.int64,
    "python": np.int64,
    "parent": np.int64,
    "size": np.int64,
    "shapes": np.int32,
    "stack": np.int32,
}


def _order(columns: dict[str, Any], names: list[str]) -> Ints:
    """Return the order of events: by start, parents before children.

    Events with equal times are ordered by call number, so that the order in the file is irrelevant.
    """
    t0, t1 = columns["t0"], columns["t1"]
    order = np.lexsort((-t1, t0))
    same = (np.diff(t0[order]) == 0) & (np.diff(t1[order]) == 0)
    at = np.flatnonzero(np.append(False, same) | np.append(same, False)) if len(t0) else order
    if len(at):
        ranks = np.argsort(np.argsort(np.array(names)))
        tied = order[at]
        keys = [columns[key][tied] for key in ("correlation", "python", "external")]
        order[at] = tied[np.lexsort((ranks[columns["name"][tied]], *keys, -t1[tied], t0[tied]))]
    return order


def _ints(values: list[Scalar]) -> Ints:
    """Convert to integers; other or too large values become ``NONE``."""
    plain = [NONE if value is None else value for value in values]
    try:
        return np.array(plain, dtype=np.int64)
    except (ValueError, OverflowError, TypeError):
        return np.array([_int(value) for value in plain], dtype=np.int64)


def _int(value: Scalar) -> int:
    try:
        number = int(value or 0)
    except (ValueError, OverflowError):
        return NONE
    return number if -(1 << 63) <= number < 1 << 63 else NONE


def _nan(value: float | None, missing: float = float("nan")) -> float:
    return missing if value is None else value


def _device_of(event: Event) -> Scalar:
    if event.args is not None and event.args.device is not None:
        return event.args.device
    return event.pid if isinstance(event.pid, int) else NONE


def _shapes_of(args: Args) -> tuple[bytes, bytes, bytes, bytes]:
    return bytes(args.dims), bytes(args.types), bytes(args.strides), bytes(args.values)


def _label(value: Scalar) -> int | str:
    if isinstance(value, int):
        return value
    text = str(value)
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else text


def _order_of_lane(lane: Lane) -> list[tuple[bool, int, str]]:
    return [
        (True, 0, each) if isinstance(each, str) else (False, each, "")
        for each in (lane.pid, lane.tid)
    ]


def _is_time(value: float | None) -> TypeGuard[float]:
    return value is not None and abs(value) <= limits.MAX_TIME_US


def _memory_of(args: Args) -> tuple[int, int, int, int]:
    # The host has type 0; other vendors use other numbers.
    is_host = args.device_type is None or _int(args.device_type) == 0
    device = NONE if is_host else _int(args.device_id)
    return device, _int(args.changed), _total(args.allocated), _total(args.reserved)


def _total(value: Scalar) -> int:
    return NONE if value is None else _int(value)


def _memories(found: Iterable[tuple[float, int, int, int, int]], base: float) -> dict[int, Memory]:
    of_device: dict[int, list[tuple[float, int, int, int, int]]] = {}
    # Simultaneous allocator events keep their order in the file.
    for each in sorted(found, key=itemgetter(0)):
        of_device.setdefault(each[1], []).append(each)
    return {device: _memory(rows, base) for device, rows in of_device.items()}


def _memory(rows: list[tuple[float, int, int, int, int]], base: float) -> Memory:
    changed, allocated = _numbers(rows, 2), _numbers(rows, 3)
    if bool((allocated == NONE).all()):
        # Files of torch 1.8 have no totals: the memory before the first event is unknown.
        allocated = np.cumsum(changed)
    at = _floats(rows, 0) - base
    return Memory(at=at, changed=changed, allocated=allocated, reserved=_numbers(rows, 4))


def _floats(rows: list[tuple[float, int, int, int, int]], column: int) -> Floats:
    return np.array([row[column] for row in rows], dtype=np.float64)


def _numbers(rows: list[tuple[float, int, int, int, int]], column: int) -> Ints:
    return np.array([row[column] for row in rows], dtype=np.int64)
