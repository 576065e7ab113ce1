"""Reader of Nsight Systems exports: the same columns as those of a PyTorch profiler trace.

``nsys export --type sqlite`` writes a table for each kind of event. One file may contain several
processes. Each process that keeps a device busy is a rank: correlation ids and thread activities
belong to a process.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from itertools import compress
from pathlib import Path

import numpy as np

from torchstone.doctor.events import NONE, Events, Lane, Shapes
from torchstone.doctor.read import nsys_activity as activity
from torchstone.doctor.read.kinds import ON_DEVICE, Kind
from torchstone.doctor.read.nsys_activity import PROCESS_SHIFT, Names, Piece
from torchstone.doctor.read.nsys_ranges import kind_of_range, parse
from torchstone.doctor.read.nsys_steps import with_steps
from torchstone.doctor.read.nsys_tables import MISSING, Tables, open_tables
from torchstone.doctor.refusal import Refusal
from torchstone.doctor.source import Device

# Ranges from push and pop, and from start and end; newer files store both.
_RANGE_TYPES = {59: "NvtxPushPopRange", 60: "NvtxStartEndRange"}
_RANGE_NAMES = {*_RANGE_TYPES.values(), "NvtxtPushPopRange", "NvtxtStartEndRange"}
_EVENT_TABLES = (
    *(f"CUPTI_ACTIVITY_KIND_{name}" for name in ("KERNEL", "MEMCPY", "MEMSET", "RUNTIME")),
    *("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "NVTX_EVENTS", "OSRT_API"),
)
# Thread names of PyTorch's loader workers, and of the thread that pins their batches.
_WORKER_THREADS = ("pt_data_worker", "pt_data_pin")
# Processes with a smaller share of the busiest process's work are not ranks.
_LEAST_SHARE = 0.1
_COLUMNS = ("correlation", "external", "sequence", "size", "shapes")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedRank:
    """Events of one process, with the keys of the notes about it."""

    events: Events
    device: Device
    notes: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """Ranks of a file; ``schema`` is the declared version, or ``2020``."""

    schema: str
    ranks: list[ExportedRank]


def read_export(path: Path) -> Export:
    """Read an export.

    Raises:
        Refusal: It is from another program, damaged, too large, or empty.
    """
    with open_tables(path) as tables:
        if not any({"start", "end"} <= tables.columns(name) for name in _EVENT_TABLES):
            if tables.is_cut:
                raise Refusal("nsys_damaged", file=str(path), reason="malformed")
            raise Refusal("nsys_foreign", file=str(path))
        reading = _Reading(tables)
        ranks = reading.ranks()
        if not ranks:
            raise Refusal("nsys_nothing", file=str(path))
        for each in ranks:
            _require_work(each.events, path)
        notes = _notes_of_file(path, tables, reading)
        schema = tables.values("META_DATA_EXPORT").get("EXPORT_SCHEMA_VERSION", "2020")
    return Export(
        schema=schema,
        ranks=[
            ExportedRank(events=each.events, device=each.device, notes=[*notes, *each.notes])
            for each in ranks
        ],
    )


def _require_work(events: Events, path: Path) -> None:
    """Refuse a rank with neither device work nor operators."""
    if len(events.on_device()):
        return
    launching = events.named("Launch")
    has_launched = bool(np.isin(events.name[events.of(Kind.LAUNCH)], launching).any())
    if has_launched or not len(events.of(Kind.OPERATOR)):
        raise Refusal("nsys_no_kernels", file=str(path))


def _notes_of_file(path: Path, tables: Tables, reading: _Reading) -> list[str]:
    noticed = {
        "cut": tables.is_cut,
        "dropped": reading.num_dropped > 0,
        "nsys_journal": any(_has_bytes(f"{path}-{name}") for name in ("wal", "journal")),
        "nsys_graphs": activity.has_graphs(tables),
        "nsys_processes": reading.has_left_out,
    }
    return [name for name, is_so in noticed.items() if is_so]


def _has_bytes(path: str) -> bool:
    try:
        return Path(path).stat().st_size > 0
    except OSError:
        return False


class _Reading:
    """Rows of all tables, and what was noticed while they were read."""

    def __init__(self, tables: Tables) -> None:
        self.num_dropped = 0
        self.has_left_out = False
        self._tables = tables
        self._names = Names()
        self._shapes: dict[str, int] = {}
        device = activity.device_pieces(tables, self._names)
        calls = activity.call_piece(tables, self._names)
        ranges = self._ranges()
        if not len(calls):
            calls = activity.wait_piece(tables, self._names)
        middle = activity.middle_of([*device, calls, ranges])
        device = [self._sane(piece, middle) for piece in device]
        calls, ranges = self._sane(calls, middle), self._sane(ranges, middle)
        files = self._sane(activity.io_piece(tables, self._names, calls), middle)
        self._device = _joined(device)
        self._host = _joined([calls, ranges, files])
        self._adopt()

    def ranks(self) -> list[ExportedRank]:
        """Return the events of each process that uses a device, or of the busiest on the host."""
        chosen = self._processes()
        texts = list(self._names)
        of_rank = []
        for process in chosen:
            piece = _joined(
                [
                    self._device.only(self._device.process == process),
                    self._host.only(self._host.process == process),
                ]
            )
            of_rank.append(with_steps(piece, self._names, texts, has_workers=self._has_workers()))
        rows = [piece.begin[piece.kind != Kind.OTHER] for piece in of_rank]
        rows = [each for each in rows if len(each)]
        # All ranks of a file share one clock.
        base = min((int(each.min()) for each in rows), default=0)
        signatures = [
            Shapes(dims=text.encode(), types=b"", strides=b"", values=b"") for text in self._shapes
        ]
        names = list(self._names)
        return [
            ExportedRank(
                events=_events(piece.only(piece.kind != Kind.OTHER), base, names, signatures),
                device=_device(self._tables, piece),
                notes=_notes_of_rank(piece),
            )
            for piece in of_rank
            if bool((piece.kind != Kind.OTHER).any())
        ]

    def _sane(self, piece: Piece, middle: int) -> Piece:
        found = activity.sane(piece, middle)
        self.num_dropped += len(piece) - len(found)
        return found

    def _ranges(self) -> Piece:
        """Return the NVTX ranges."""
        told = ("start", "end", "eventType", "globalTid", "endGlobalTid", "textId")
        found = self._tables.numbers("NVTX_EVENTS", *told)
        labels = self._tables.labels("ENUM_NSYS_EVENT_TYPE")
        types = [number for number, name in labels.items() if name in _RANGE_NAMES]
        is_range = np.isin(found["eventType"], types or list(_RANGE_TYPES))
        strings = self._tables.strings(found["textId"][is_range])
        parsed = _Parsed(self._names, self._shapes)
        texts = compress(self._tables.texts("NVTX_EVENTS", "text"), is_range.tolist())
        for text, number in zip(texts, found["textId"][is_range].tolist(), strict=False):
            parsed.add(text or strings.get(number, ""))
        rows = np.flatnonzero(is_range)[: len(parsed)]
        thread = found["globalTid"][rows]
        piece = Piece(
            begin=found["start"][rows],
            end=found["end"][rows],
            kind=np.array(parsed.kind, dtype=np.int8),
            name=np.array(parsed.name, dtype=np.int64),
            process=np.where(thread <= 0, NONE, thread >> PROCESS_SHIFT),
            lane=np.where(thread == MISSING, NONE, thread),
            device=np.full(len(rows), NONE),
            columns={
                "external": np.array(parsed.operator, dtype=np.int64),
                "sequence": np.array(parsed.sequence, dtype=np.int64),
                "shapes": np.array(parsed.shapes, dtype=np.int64),
            },
        )
        ended = found["endGlobalTid"][rows]
        # A range that ends on another thread describes neither thread.
        return piece.only((ended == MISSING) | (ended <= 0) | (ended == thread))

    def _adopt(self) -> None:
        """Assign work without a process to the process with the most calls."""
        is_lost = self._device.process == NONE
        of_host = self._host.process[self._host.process != NONE]
        if bool(is_lost.any()) and len(of_host):
            found, counts = np.unique(of_host, return_counts=True)
            self._device.process = np.where(is_lost, found[counts.argmax()], self._device.process)

    def _processes(self) -> list[int]:
        """Return the processes that are ranks, in the order of their devices."""
        if not len(self._device):
            of_host = self._host.process
            found, counts = np.unique(of_host, return_counts=True)
            return [int(found[counts.argmax()])] if len(found) else []
        found, at = np.unique(self._device.process, return_inverse=True)
        busy = np.zeros(len(found))
        np.add.at(busy, at.reshape(-1), (self._device.end - self._device.begin).astype(np.float64))
        is_rank = busy >= _LEAST_SHARE * busy.max()
        self.has_left_out = not bool(is_rank.all())
        first = [
            int(self._device.device[at.reshape(-1) == each].min()) for each in range(len(found))
        ]
        listed = sorted(zip(first, found.tolist(), is_rank.tolist(), strict=True))
        return [process for _, process, is_one in listed if is_one]

    def _has_workers(self) -> bool:
        """Return whether PyTorch loaders have worker processes."""
        named = self._tables.numbers("ThreadNames", "nameId")["nameId"]
        return any(
            text.startswith(_WORKER_THREADS) for text in self._tables.strings(named).values()
        )


class _Parsed:
    """Cache of parsed range texts."""

    def __init__(self, names: Names, shapes: dict[str, int]) -> None:
        self._names = names
        self._shapes = shapes
        self._kinds: dict[tuple[str, bool], int] = {}
        self.name, self.kind = array("q"), array("b")
        self.sequence, self.operator, self.shapes = array("q"), array("q"), array("q")

    def __len__(self) -> int:
        return len(self.name)

    def add(self, text: str) -> None:
        found = parse(text)
        key = found.name, found.sequence != NONE
        kind = self._kinds.get(key)
        if kind is None:
            kind = self._kinds[key] = kind_of_range(found.name, has_sequence=key[1])
        shapes = self._shapes
        is_whole = found.sizes[:1] == "[" and found.sizes.count("[") == found.sizes.count("]")
        self.name.append(self._names[found.name])
        self.kind.append(kind)
        self.sequence.append(found.sequence)
        self.operator.append(found.operator)
        self.shapes.append(shapes.setdefault(found.sizes, len(shapes)) if is_whole else NONE)


def _joined(pieces: list[Piece]) -> Piece:
    return Piece(
        begin=np.concatenate([each.begin for each in pieces]),
        end=np.concatenate([each.end for each in pieces]),
        kind=np.concatenate([each.kind for each in pieces]),
        name=np.concatenate([each.name for each in pieces]),
        process=np.concatenate([each.process for each in pieces]),
        lane=np.concatenate([each.lane for each in pieces]),
        device=np.concatenate([each.device for each in pieces]),
        columns={
            name: np.concatenate(
                [each.columns.get(name, np.full(len(each), NONE)) for each in pieces]
            )
            for name in _COLUMNS
        },
    )


def _events(piece: Piece, base: int, names: list[str], signatures: list[Shapes]) -> Events:
    """Return the events of a rank, sorted by time."""
    t0, t1 = (piece.begin - base) / 1e3, (piece.end - base) / 1e3
    order = np.lexsort((-t1, t0))
    nothing = np.full(len(order), NONE)
    on_device = np.isin(piece.kind, ON_DEVICE)
    keys = np.stack([np.where(on_device, piece.device, NONE), piece.lane], axis=1)
    unique, lane = np.unique(keys, axis=0, return_inverse=True)
    lanes = [
        _host_lane(thread) if device == NONE else Lane(pid=device, tid=thread)
        for device, thread in unique.tolist()
    ]
    return Events(
        t0=t0[order],
        t1=t1[order],
        kind=piece.kind[order],
        name=piece.name[order],
        lane=lane.reshape(-1)[order],
        device=piece.device[order],
        names=names,
        lanes=lanes,
        signatures=signatures,
        correlation=piece.columns["correlation"][order],
        external=piece.columns["external"][order],
        sequence=piece.columns["sequence"][order],
        size=piece.columns["size"][order],
        shapes=piece.columns["shapes"][order],
        python=nothing,
        parent=nothing,
        stack=nothing,
    )


def _host_lane(thread: int) -> Lane:
    return Lane(pid=(thread >> PROCESS_SHIFT) & 0xFFFFFF, tid=thread & 0xFFFFFF)


def _device(tables: Tables, piece: Piece) -> Device:
    """Return the device that a process keeps busy, or the only one in the file."""
    # The first table is that of 2021 and later.
    for table, number in (("TARGET_INFO_GPU", "id"), ("TARGET_INFO_CUDA_GPU", "deviceId")):
        found = tables.pairs(table, number, "name")
        used = piece.device[piece.device != NONE]
        numbers, counts = np.unique(used, return_counts=True)
        wanted = int(numbers[counts.argmax()]) if len(used) else NONE
        # A process may see a subset of the devices, with its own numbering.
        at = wanted if wanted in found else min(found, default=NONE)
        if at not in found:
            continue
        told = tables.numbers(
            *(table, number, "computeMajor", "computeMinor", "computeCapabilityMajor"),
            *("computeCapabilityMinor", "totalMemory", "globalMemorySize"),
        )
        row = int(np.flatnonzero(told[number] == at)[0])
        major, minor, *others = (max(0, int(column[row])) for column in list(told.values())[1:])
        return Device(
            name=found[at],
            capability=(major or others[0]) + (minor or others[1]) / 10,
            memory=others[2] or others[3],
        )
    return Device()


def _notes_of_rank(piece: Piece) -> list[str]:
    def has(*kinds: Kind) -> bool:
        return bool(np.isin(piece.kind, kinds).any())

    noticed = {
        "nsys_no_calls": has(*ON_DEVICE) and not has(Kind.LAUNCH, Kind.ALLOC),
        "nsys_no_operators": not has(Kind.OPERATOR),
    }
    return [name for name, is_so in noticed.items() if is_so]
