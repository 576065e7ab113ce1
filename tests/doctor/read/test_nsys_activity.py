"""The work of devices and the calls of the host, in the words of the profiler."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.doctor.read.exports import MS, Row, call, kernel, process, strings, thread, write
from torchstone.doctor.events import NONE
from torchstone.doctor.read import nsys_activity as activity
from torchstone.doctor.read.kinds import Kind
from torchstone.doctor.read.nsys_activity import Names, Piece
from torchstone.doctor.read.nsys_tables import open_tables

pytestmark = pytest.mark.pure

Tables = dict[str, list[Row]]


def device_of(path: Path, tables: Tables) -> list[tuple[str, Kind]]:
    names = Names()
    with open_tables(write(path, tables)) as read:
        pieces = activity.device_pieces(read, names)
    return [each for piece in pieces for each in told(piece, names)]


def told(piece: Piece, names: Names) -> list[tuple[str, Kind]]:
    texts = list(names)
    return [
        (texts[name], Kind(kind))
        for name, kind in zip(piece.name.tolist(), piece.kind.tolist(), strict=True)
    ]


def copy(kind: Any, source: Any = None, target: Any = None) -> Row:
    row = kernel(0, 5, 1) | {"bytes": 64, "copyKind": kind, "srcKind": source, "dstKind": target}
    return {name: value for name, value in row.items() if not name.endswith("Name")}


@pytest.mark.parametrize(
    ("row", "name", "kind"),
    [
        (copy(1, 0, 2), "Memcpy HtoD (Pageable -> Device)", Kind.COPY_H2D),
        (copy(1, 1, 2), "Memcpy HtoD (Pinned -> Device)", Kind.COPY_H2D),
        (copy(2, 2, 0), "Memcpy DtoH (Device -> Pageable)", Kind.COPY_D2H),
        (copy(8, 2, 2), "Memcpy DtoD (Device -> Device)", Kind.COPY_D2D),
        (copy(10, 2, 2), "Memcpy PtoP (Device -> Device)", Kind.COPY_D2D),
        (copy(3, 0, 3), "Memcpy HtoD (Pageable -> Array)", Kind.COPY_H2D),
        (copy(11, 4, 2), "Memcpy HtoD (Managed -> Device)", Kind.COPY_H2D),
        # Not said: never pageable.
        (copy(1), "Memcpy HtoD (Unknown -> Device)", Kind.COPY_H2D),
        (copy(2), "Memcpy DtoH (Device -> Unknown)", Kind.COPY_D2H),
        (copy(None, 0, 2), "Memcpy HtoD (Pageable -> Device)", Kind.COPY_H2D),
        (copy(99, 2, 1), "Memcpy DtoH (Device -> Pinned)", Kind.COPY_D2H),
        (copy(None), "Memcpy DtoD (Device -> Device)", Kind.COPY_D2D),
    ],
)
def test_copies_have_the_names_of_the_profiler(
    tmp_path: Path, row: Row, name: str, kind: Kind
) -> None:
    assert device_of(tmp_path / "a", {"CUPTI_ACTIVITY_KIND_MEMCPY": [row]}) == [(name, kind)]


def test_a_copy_within_the_host_keeps_no_device_busy(tmp_path: Path) -> None:
    assert device_of(tmp_path / "a", {"CUPTI_ACTIVITY_KIND_MEMCPY": [copy(9, 0, 0)]}) == []


def test_enumerations_of_the_file_come_before_what_is_usual(tmp_path: Path) -> None:
    tables = {
        "CUPTI_ACTIVITY_KIND_MEMCPY": [copy(41, 51, 52)],
        "ENUM_CUDA_MEMCPY_OPER": [{"id": 41, "name": "CUDA_MEMCPY_KIND_DTOH"}],
        "ENUM_CUDA_MEM_KIND": [
            {"id": 51, "name": "CUDA_MEMOPR_MEMORY_KIND_DEVICE_STATIC"},
            {"id": 52, "name": "CUDA_MEMOPR_MEMORY_KIND_PINNED"},
        ],
    }
    assert device_of(tmp_path / "a", tables) == [("Memcpy DtoH (Device -> Pinned)", Kind.COPY_D2H)]


def test_kernels_collectives_memsets_and_graphs(tmp_path: Path) -> None:
    nameless = {"demangledName": None, "shortName": 3}
    listed = strings("ncclDevKernel_AllReduce_Sum_bf16_RING_LL")
    memset = {name: value for name, value in kernel(0, 5, 1).items() if not name.endswith("Name")}
    tables = {
        "StringIds": listed,
        "CUPTI_ACTIVITY_KIND_KERNEL": [kernel(0, 5, 1), kernel(0, 5, 1) | nameless],
        "CUPTI_ACTIVITY_KIND_MEMSET": [memset | {"bytes": 4}],
        "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": [memset | {"graphId": 3}],
    }
    assert device_of(tmp_path / "a", tables) == [
        *(("gemm", Kind.KERNEL), ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", Kind.COMMUNICATION)),
        *(("Memset (Device)", Kind.COPY_D2D), ("CUDA graph", Kind.KERNEL)),
    ]


def test_versions_of_calls_are_left_out(tmp_path: Path) -> None:
    texts = {
        "cudaLaunchKernel_v7000": ("cudaLaunchKernel", Kind.LAUNCH),
        "cudaLaunchKernel_ptsz_v7000": ("cudaLaunchKernel", Kind.LAUNCH),
        "cudaStreamSynchronize_v3020": ("cudaStreamSynchronize", Kind.SYNC),
        "cudaMalloc_v3020": ("cudaMalloc", Kind.ALLOC),
        "cuMemcpyDtoH_v2": ("cuMemcpyDtoH_v2", Kind.SYNC),
        "cudaStreamGetCaptureInfo_v2_v11030": ("cudaStreamGetCaptureInfo_v2", Kind.LAUNCH),
        "cuLaunchKernelEx": ("cuLaunchKernelEx", Kind.LAUNCH),
    }
    rows = [call(at, at + 1, at, name=at + 3) for at in range(len(texts))]
    tables = {"StringIds": strings(*texts), "CUPTI_ACTIVITY_KIND_RUNTIME": rows}
    names = Names()
    with open_tables(write(tmp_path / "a", tables)) as read:
        piece = activity.call_piece(read, names)
    assert told(piece, names) == list(texts.values())
    assert set(piece.lane.tolist()) == {thread(10, 10)}
    assert set(piece.process.tolist()) == {process(10) >> 24}


def test_reading_writing_and_waiting_is_io_unless_the_driver_does_it(tmp_path: Path) -> None:
    texts = ("fsync", "read", "poll", "pthread_cond_timedwait", "mmap", "pthread_mutex_lock")
    rows = [call(at * 10, at * 10 + 5, 0, name=at + 3) for at in range(len(texts))]
    tables = {
        "StringIds": strings(*texts),
        "OSRT_API": rows,
        "CUPTI_ACTIVITY_KIND_RUNTIME": [call(9, 16, 1), call(20, 24, 2)],
    }
    names = Names()
    with open_tables(write(tmp_path / "a", tables)) as read:
        calls = activity.call_piece(read, names)
        piece = activity.io_piece(read, names, calls)
    assert [name for name, _ in told(piece, names)] == ["fsync", "poll", "pthread_cond_timedwait"]
    assert [activity.is_wait(text) for text in texts] == [False, False, True, True, False, False]


def test_waits_without_calls_are_those_of_the_main_thread(tmp_path: Path) -> None:
    rows = [
        {"start": at, "end": at + 5, "globalPid": process(10), "syncType": way}
        for at, way in enumerate((1, 2, 3, 4, 0, None))
    ]
    names = Names()
    with open_tables(write(tmp_path / "a", {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION": rows})) as read:
        piece = activity.wait_piece(read, names)
    assert piece.begin.tolist() == [0, 2, 3]
    assert set(piece.lane.tolist()) == {thread(10, 10)}


def test_times_that_are_far_from_the_others_are_dropped(tmp_path: Path) -> None:
    wrong: list[tuple[Any, Any]] = [
        *((None, 5), (5, None), ("x", 5), (b"x", 5), (9, 8), (2**63 - 1, 2**63 - 1)),
        *((-(2**63), 5), (-(2**61), 5), (5, 2**62)),
    ]
    rows = [kernel(at * MS, at * MS + 5, at) for at in range(20)]
    rows += [kernel(1, 1, 1) | {"start": begin, "end": end} for begin, end in wrong]
    names = Names()
    with open_tables(write(tmp_path / "a", {"CUPTI_ACTIVITY_KIND_KERNEL": rows})) as read:
        pieces = activity.device_pieces(read, names)
    piece = activity.sane(pieces[0], activity.middle_of(pieces))
    assert piece.begin.tolist() == [at * MS for at in range(20)]


def test_negative_times_are_times(tmp_path: Path) -> None:
    rows = [kernel(-at * MS, -at * MS + 5, at) for at in range(5)]
    names = Names()
    with open_tables(write(tmp_path / "a", {"CUPTI_ACTIVITY_KIND_KERNEL": rows})) as read:
        (piece, *_) = activity.device_pieces(read, names)
    assert len(activity.sane(piece, activity.middle_of([piece]))) == 5


def test_a_piece_keeps_its_columns_together() -> None:
    ints = np.arange(3)
    piece = Piece(
        begin=ints,
        end=ints,
        kind=ints.astype(np.int8),
        name=ints,
        process=ints,
        lane=ints,
        device=np.full(3, NONE),
        columns={"size": ints},
    )
    only = piece.only(ints != 1)
    assert len(only) == 2
    assert only.columns["size"].tolist() == [0, 2]
