"""Read files of any format into the ranks of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from torchstone.doctor.events import Events
from torchstone.doctor.read import limits
from torchstone.doctor.read.chrome import Reading, read_pieces
from torchstone.doctor.read.columns import Columns
from torchstone.doctor.read.nsys import read_export
from torchstone.doctor.read.nsys_tables import MAGIC
from torchstone.doctor.refusal import Refusal
from torchstone.doctor.source import Device, Source, device_of

# The file format of Nsight Systems before export.
_REPORTS = {".nsys-rep", ".qdrep", ".qdstrm"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RankEvents:
    """Events of a rank, and what was noticed while they were read."""

    rank: int
    file: str
    events: Events
    device: Device
    notes: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Contents of all files."""

    source: Source
    ranks: list[RankEvents]


def read_run(paths: Sequence[Path]) -> Run:
    """Read ranks from files: PyTorch profiler traces with one rank each, or Nsight exports.

    Raises:
        Refusal: A file is missing, not a trace, or too large.
    """
    if not paths or len(paths) > limits.MAX_FILES:
        raise Refusal("num_files", came=len(paths), most=limits.MAX_FILES)
    files = [_read(path, at) for at, path in enumerate(paths)]
    ranks = sorted((each for file in files for each in file.ranks), key=lambda each: each.rank)
    if any(file.format == "nsys" for file in files):
        # Nsight exports do not number the ranks of their processes.
        ranks = [replace(each, rank=rank) for rank, each in enumerate(ranks)]
    source = Source(
        files=[str(path) for path in paths],
        format=files[0].format,
        schema=next((file.schema for file in files if file.schema == "old"), files[0].schema),
        device=ranks[0].device,
        ranks=len(ranks),
    )
    return Run(source=source, ranks=ranks)


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    """Ranks of one file; mostly one."""

    format: str
    schema: str
    ranks: list[RankEvents]


def _read(path: Path, at: int) -> _File:
    begin = _first_bytes(path)
    if begin.startswith(MAGIC):
        return _read_nsys(path, at)
    # A profiler trace is text, compressed or not; an Nsight report has a binary format.
    if path.suffix in _REPORTS and begin.lstrip()[:1] not in (b"", b"{", b"["):
        raise Refusal("nsys_report", file=str(path))
    return _read_pytorch(path, at)


def _first_bytes(path: Path) -> bytes:
    """Return the first bytes of a file; empty if unreadable, which its reader then reports."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(64)
    except OSError:
        return b""


def _read_nsys(path: Path, at: int) -> _File:
    export = read_export(path)
    ranks = [
        RankEvents(
            rank=at, file=str(path), events=each.events, device=each.device, notes=each.notes
        )
        for each in export.ranks
    ]
    return _File(format="nsys", schema=export.schema, ranks=ranks)


def _read_pytorch(path: Path, at: int) -> _File:
    reading = Reading()
    columns = Columns(reading)
    for events in read_pieces(path, reading):
        columns.add(events)
    found = columns.events()
    if not len(found):
        raise Refusal("nothing_happens", file=str(path))
    told = reading.head.distributedInfo
    rank = at if told is None or told.rank is None else told.rank
    of_rank = RankEvents(
        rank=rank,
        file=str(path),
        events=found,
        device=device_of(reading.head),
        notes=_notes(reading, columns),
    )
    return _File(format="pytorch", schema="old" if columns.is_old else "new", ranks=[of_rank])


def _notes(reading: Reading, columns: Columns) -> list[str]:
    """Return the keys of the notes on a file's quality."""
    noticed = {
        "cut": reading.is_cut,
        "dropped": reading.num_dropped > 0,
        "old_schema": columns.is_old,
    }
    return [name for name, is_so in noticed.items() if is_so]
