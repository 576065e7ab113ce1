"""Write events as an Nsight Systems export, in three of its layouts.

A run written as a profiler trace and as an export must have the same report, so that the reader of
exports is verified without a GPU. Python frames are omitted, because exports have none.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from torchstone.doctor.correlate import find_launches
from torchstone.doctor.events import NONE, Events, Ints
from torchstone.doctor.read.kinds import COPIES, ON_DEVICE, Kind
from torchstone.doctor.source import Device

# 2020 has neither versions nor enumerations; the others are schema versions.
LAYOUTS = ("2020", "3.11", "3.25")
# Time from boot to the start of the report.
_BASE_NS = 28_254_349_605
# Machine id, the bits above the process id.
_MACHINE = 1 << 48
_MOST_ID = (1 << 24) - 1
_WAYS = {"HtoD": 1, "DtoH": 2, "DtoD": 8, "HtoH": 9, "PtoP": 10}
_PLACES = ("Pageable", "Pinned", "Device", "Array", "Managed")
_COPY = re.compile(r"^Memcpy (?P<way>\wto\w) \((?P<source>\w+) -> (?P<target>\w+)\)")
_ENUMS = {
    "ENUM_CUDA_MEMCPY_OPER": [
        *((1, "CUDA_MEMCPY_KIND_HTOD"), (2, "CUDA_MEMCPY_KIND_DTOH")),
        *((8, "CUDA_MEMCPY_KIND_DTOD"), (9, "CUDA_MEMCPY_KIND_HTOH")),
        (10, "CUDA_MEMCPY_KIND_PTOP"),
    ],
    "ENUM_CUDA_MEM_KIND": [
        (number, f"CUDA_MEMOPR_MEMORY_KIND_{name.upper()}") for number, name in enumerate(_PLACES)
    ],
    "ENUM_NSYS_EVENT_TYPE": [(59, "NvtxPushPopRange"), (60, "NvtxStartEndRange")],
}
_RANGES = (
    *(Kind.OPERATOR, Kind.STEP, Kind.OPTIMIZER, Kind.LOADER, Kind.ANNOTATION, Kind.GC),
    Kind.IO,
)
_CALLS = (Kind.LAUNCH, Kind.SYNC, Kind.ALLOC)
Row = dict[str, Any]


def write_export(events: Events, path: Path, layout: str, *, device: Device | None = None) -> None:
    """Write events to a new SQLite file.

    Args:
        events: A run, without Python frames.
        path: The file; it must not exist.
        layout: One of ``LAYOUTS``.
        device: Device named in the export.
    """
    if layout not in LAYOUTS:
        raise ValueError(f"write_export: layout {layout!r} is none of {', '.join(LAYOUTS)}.")
    if path.exists():
        raise ValueError(f"write_export: {path} exists; give the name of a new file.")
    rows = _Export(events, layout)
    tables: dict[str, list[Row]] = {
        "CUPTI_ACTIVITY_KIND_KERNEL": rows.kernels(),
        "CUPTI_ACTIVITY_KIND_MEMCPY": rows.copies(),
        "CUPTI_ACTIVITY_KIND_MEMSET": rows.memsets(),
        "CUPTI_ACTIVITY_KIND_RUNTIME": rows.calls(),
        "NVTX_EVENTS": rows.ranges(),
        "OSRT_API": rows.files(),
    }
    tables["StringIds"] = [{"id": at, "value": text} for text, at in rows.strings.items()]
    tables |= _head(layout, device or Device())
    file = sqlite3.connect(path)
    try:
        for table, of_table in tables.items():
            # Tables are created with their first row.
            if of_table:
                _write(file, table, of_table, is_strict=layout == "2020")
        file.commit()
    finally:
        file.close()


class _Export:
    """Rows of the event tables."""

    def __init__(self, events: Events, layout: str) -> None:
        self._events = events
        self._layout = layout
        self.strings: dict[str, int] = {}
        self._begin = _BASE_NS + np.rint(events.t0 * 1e3).astype(np.int64)
        self._end = _BASE_NS + np.rint(events.t1 * 1e3).astype(np.int64)
        self._threads = _threads(events)
        self._process = self._processes()

    def kernels(self) -> list[Row]:
        found = []
        for row in self._rows(Kind.KERNEL, Kind.COMMUNICATION):
            number = self._number(self._name(row))
            found.append(
                self._on_device(row)
                | {"demangledName": number, "shortName": number, "registersPerThread": 32}
                | {"gridX": 1, "gridY": 1, "gridZ": 1, "blockX": 128, "blockY": 1, "blockZ": 1}
            )
        return found

    def copies(self) -> list[Row]:
        found = []
        for row in self._rows(*COPIES):
            if (told := _COPY.match(self._name(row))) is not None:
                found.append(
                    self._on_device(row)
                    | {"bytes": max(0, int(self._events.size[row]))}
                    | {"copyKind": _WAYS.get(told["way"], 0)}
                    | {"srcKind": _place(told["source"]), "dstKind": _place(told["target"])}
                )
        return found

    def memsets(self) -> list[Row]:
        return [
            self._on_device(row) | {"value": 0, "bytes": max(0, int(self._events.size[row]))}
            for row in self._rows(*COPIES)
            if self._name(row).startswith("Memset")
        ]

    def calls(self) -> list[Row]:
        found = []
        for row in self._rows(*_CALLS):
            name = self._name(row)
            is_driver = re.match(r"cu[A-Z]", name) is not None
            number = self._number(name if is_driver else f"{name}_v3020")
            found.append(
                self._times(row)
                | {"eventClass": int(is_driver), "globalTid": self._thread(row)}
                | {"correlationId": max(0, int(self._events.correlation[row])), "nameId": number}
                | {"returnValue": 0}
            )
        return found

    def ranges(self) -> list[Row]:
        found = []
        for row in self._rows(*_RANGES):
            kind = self._events.kind[row]
            if self._events.python[row] != NONE or kind == Kind.IO:
                continue
            text = self._emitted(row) if kind == Kind.OPERATOR else self._name(row)
            # Programs register frequently used names.
            is_registered = kind == Kind.STEP and self._layout != "2020"
            missing = 0 if self._layout == "2020" else None
            found.append(
                self._times(row)
                | {"eventType": 59, "text": None if is_registered else text}
                | {"globalTid": self._thread(row), "endGlobalTid": missing}
                | {"textId": self._number(text) if is_registered else missing, "domainId": 0}
            )
        return found

    def files(self) -> list[Row]:
        return [
            self._times(row)
            | {"globalTid": self._thread(row), "nameId": self._number(self._name(row))}
            for row in self._rows(Kind.IO)
            if self._events.python[row] == NONE
        ]

    def _rows(self, *kinds: Kind) -> list[int]:
        return list(map(int, self._events.of(*kinds)))

    def _name(self, row: int) -> str:
        return self._events.names[int(self._events.name[row])]

    def _number(self, text: str) -> int:
        return self.strings.setdefault(text, len(self.strings))

    def _times(self, row: int) -> Row:
        return {"start": int(self._begin[row]), "end": int(self._end[row])}

    def _thread(self, row: int) -> int:
        return self._threads[int(self._events.lane[row])]

    def _on_device(self, row: int) -> Row:
        events = self._events
        newer = {} if self._layout != "3.25" else {"greenContextId": None}
        stream = events.lanes[int(events.lane[row])].tid
        return (
            self._times(row)
            | {"deviceId": max(0, int(events.device[row])), "contextId": 1, **newer}
            | {"streamId": stream if isinstance(stream, int) else 7}
            | {"correlationId": max(0, int(events.correlation[row]))}
            | {"globalPid": int(self._process[row])}
        )

    def _emitted(self, row: int) -> str:
        """Return the text that ``emit_nvtx`` uses for an operator."""
        events = self._events
        sequence, shapes = int(events.sequence[row]), int(events.shapes[row])
        parts = [self._name(row)]
        parts += [f"seq = {sequence}"] if sequence >= 0 else []
        parts += [f"op_id = {row + 1}"]
        parts += [] if shapes == NONE else [f"sizes = {events.signatures[shapes].dims.decode()}"]
        return ", ".join(parts)

    def _processes(self) -> Ints:
        """Return the process of each row; for device work, the launching process."""
        events, call_of = self._events, find_launches(self._events).call_of
        thread = np.array([self._threads[at] for at in range(len(events.lanes))], dtype=np.int64)
        process = (thread & ~_MOST_ID)[events.lane]
        host = process[~np.isin(events.kind, ON_DEVICE)]
        numbers, counts = np.unique(host, return_counts=True)
        usual = int(numbers[counts.argmax()]) if len(numbers) else _MACHINE | 1 << 24
        launched = np.where(call_of == NONE, usual, process[call_of])
        return np.where(np.isin(events.kind, ON_DEVICE), launched, process)


def _threads(events: Events) -> dict[int, int]:
    """Return the global thread id of each lane."""
    pids = _small([lane.pid for lane in events.lanes])
    tids = _small([lane.tid for lane in events.lanes])
    return {
        at: _MACHINE | pids[lane.pid] << 24 | tids[lane.tid] for at, lane in enumerate(events.lanes)
    }


def _small(labels: Iterable[int | str]) -> dict[int | str, int]:
    """Number labels: by their own value if it fits into a global id."""
    found: dict[int | str, int] = {}
    for label in labels:
        is_small = isinstance(label, int) and 0 < label < _MOST_ID // 2
        found[label] = int(label) if is_small else _MOST_ID // 2 + len(found)
    return found


def _place(name: str) -> int:
    return _PLACES.index(name) if name in _PLACES else 7


def _head(layout: str, device: Device) -> dict[str, list[Row]]:
    """Return the tables with metadata of the file and its device."""
    major, minor = divmod(round(device.capability * 10), 10)
    if layout == "2020":
        card = {"deviceId": 0, "name": device.name, "globalMemorySize": device.memory}
        card |= {"computeCapabilityMajor": major, "computeCapabilityMinor": minor}
        return {"TARGET_INFO_CUDA_GPU": [card] if device.name else []}
    card = {"vmId": _MACHINE, "id": 0, "name": device.name, "totalMemory": device.memory}
    card |= {"computeMajor": major, "computeMinor": minor}
    enums = {
        table: [{"id": number, "name": name, "label": name} for number, name in listed]
        for table, listed in _ENUMS.items()
    }
    told = [
        {"name": "EXPORT_PRODUCT_NAME", "value": "NVIDIA Nsight Systems"},
        {"name": "EXPORT_SCHEMA_VERSION", "value": f"{layout}.0"},
    ]
    return {"TARGET_INFO_GPU": [card] if device.name else [], "META_DATA_EXPORT": told, **enums}


def _write(file: sqlite3.Connection, table: str, rows: list[Row], *, is_strict: bool) -> None:
    """Write a table; old layouts require a value in every field."""
    names = list(rows[0])
    none = " NOT NULL" if is_strict else ""
    made = ", ".join(f'"{name}" {_type(name)}{none}' for name in names)
    file.execute(f'CREATE TABLE "{table}" ({made})')
    marks = ", ".join("?" * len(names))
    file.executemany(
        f'INSERT INTO "{table}" VALUES ({marks})', ([row[name] for name in names] for row in rows)
    )


def _type(name: str) -> str:
    return "TEXT" if name in ("value", "name", "text", "label") else "INTEGER"
