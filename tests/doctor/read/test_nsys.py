"""Exports as they are met: several processes, missing tables, wrong values, damage."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import numpy as np
import pytest

from tests.doctor.read.exports import (
    MS,
    Row,
    call,
    kernel,
    nvtx,
    process,
    run_of,
    strings,
    thread,
    write,
)
from torchstone.doctor.case import Case, make_case
from torchstone.doctor.events import Lane
from torchstone.doctor.read.kinds import Kind
from torchstone.doctor.read.nsys import Export, ExportedRank, read_export
from torchstone.doctor.refusal import Refusal
from torchstone.doctor.report import diagnose

pytestmark = pytest.mark.pure

KERNEL, RUNTIME = "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME"


def read(path: Path, tables: dict[str, list[Row]], *statements: str) -> Export:
    return read_export(write(path, tables, *statements))


def case_of(rank: ExportedRank) -> Case:
    case = make_case(rank.events, rank.device)
    assert case is not None
    return case


def joined(*runs: dict[str, list[Row]]) -> dict[str, list[Row]]:
    tables = {name: [row for run in runs for row in run[name]] for name in runs[0]}
    return tables | {"StringIds": runs[0]["StringIds"]}


def test_a_run_becomes_the_columns_of_a_trace(tmp_path: Path) -> None:
    export = read(tmp_path / "a", run_of())
    (rank,) = export.ranks
    case, events = case_of(rank), rank.events
    assert export.schema == "2020"
    assert rank.notes == ["nsys_no_operators"]
    assert (case.window.how, case.num_steps) == ("steps", 5)
    assert case.launches.found == 1.0
    assert case.accounting.shares["compute"] == pytest.approx(0.8)
    assert events.t0[0] == 0.0
    assert set(events.lanes) == {Lane(pid=0, tid=7), Lane(pid=10, tid=10)}
    assert bool((np.diff(events.t0) >= 0).all())


def test_each_process_that_keeps_a_device_busy_is_a_rank_and_all_have_one_clock(
    tmp_path: Path,
) -> None:
    # Both processes number their launches from 1.
    tables = joined(run_of(pid=20, device=0), run_of(pid=10, device=1))
    first, second = read(tmp_path / "a", tables).ranks
    for rank, pid, device in ((first, 20, 0), (second, 10, 1)):
        assert set(rank.events.lanes) == {Lane(pid=device, tid=7), Lane(pid=pid, tid=pid)}
        assert case_of(rank).accounting.shares["compute"] == pytest.approx(0.8)
    assert first.events.t0.tolist() == second.events.t0.tolist()


def test_a_process_that_hardly_uses_a_device_is_left_out_with_a_note(tmp_path: Path) -> None:
    tables = joined(run_of(pid=10), run_of(pid=20))
    for row in tables[KERNEL][5:]:
        row["end"] = row["start"] + MS // 2
    export = read(tmp_path / "a", tables)
    assert len(export.ranks) == 1
    assert "nsys_processes" in export.ranks[0].notes


def test_work_without_a_process_belongs_to_the_one_that_calls(tmp_path: Path) -> None:
    tables = run_of()
    for row in tables[KERNEL]:
        row["globalPid"] = None
    (rank,) = read(tmp_path / "a", tables).ranks
    assert case_of(rank).launches.found == 1.0


@pytest.mark.parametrize(
    ("gone", "note"),
    [
        (RUNTIME, "nsys_no_calls"),
        ("NVTX_EVENTS", "nsys_no_operators"),
        ("StringIds", "nsys_no_operators"),
    ],
)
def test_what_is_missing_is_noted_and_the_rest_is_said(
    tmp_path: Path, gone: str, note: str
) -> None:
    tables = run_of()
    del tables[gone]
    path = write(tmp_path / "a", tables)
    assert note in read_export(path).ranks[0].notes
    for lang in ("en", "zh"):
        report = diagnose([path], lang)
        assert report["findings"][0]["confidence"] < 0.8
        assert len(report["quality"]["notes"]) >= 2


def test_launches_without_kernels_are_refused_and_operators_without_launches_are_not(
    tmp_path: Path,
) -> None:
    tables = run_of()
    del tables[KERNEL]
    operators = [nvtx(row["start"], row["end"], "aten::mm") for row in tables["NVTX_EVENTS"]]
    with_operators = tables | {"NVTX_EVENTS": operators}
    for at, each in enumerate((tables, with_operators)):
        with pytest.raises(Refusal) as refused:
            read(tmp_path / f"{at}", each)
        assert refused.value.code == "nsys_no_kernels"
    (rank,) = read(tmp_path / "cpu", {"NVTX_EVENTS": operators}).ranks
    assert len(rank.events.of(Kind.OPERATOR)) == 5


def test_half_of_the_launches_are_missing(tmp_path: Path) -> None:
    tables = run_of(8)
    del tables[RUNTIME][::2]
    (rank,) = read(tmp_path / "a", tables).ranks
    case = case_of(rank)
    assert case.launches.found == pytest.approx(0.5)
    assert case.accounting.shares["compute"] == pytest.approx(0.8)


def test_graphs_that_are_recorded_as_a_whole_compute(tmp_path: Path) -> None:
    tables = run_of()
    tables["CUPTI_ACTIVITY_KIND_GRAPH_TRACE"] = [
        {name: value for name, value in row.items() if not name.endswith("Name")} | {"graphId": 1}
        for row in tables.pop(KERNEL)
    ]
    (rank,) = read(tmp_path / "a", tables).ranks
    assert "nsys_graphs" in rank.notes
    assert case_of(rank).accounting.shares["compute"] == pytest.approx(0.8)


def test_waits_of_a_device_stand_in_for_calls(tmp_path: Path) -> None:
    tables = run_of()
    del tables[RUNTIME]
    tables["CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"] = [
        {"start": t, "end": t + MS, "globalPid": process(10), "syncType": 3}
        for t in range(1000 * MS, 1050 * MS, 10 * MS)
    ]
    (rank,) = read(tmp_path / "a", tables).ranks
    assert case_of(rank).accounting.shares["idle.sync"] == pytest.approx(0.1)


def test_the_busiest_process_of_the_host_is_read_where_no_device_is(tmp_path: Path) -> None:
    ranges = [nvtx(t, t + 5, "aten::mm, op_id = 1", pid=20) for t in range(0, 60, 10)]
    ranges += [nvtx(0, 5, "aten::mm, op_id = 1", pid=10)]
    (rank,) = read(tmp_path / "a", {"NVTX_EVENTS": ranges}).ranks
    assert set(rank.events.lanes) == {Lane(pid=20, tid=20)}
    assert len(rank.events) == 6


def ranges_of(path: Path, *rows: Row, **tables: list[Row]) -> list[tuple[str, Kind]]:
    run = run_of() | tables
    run["NVTX_EVENTS"] = [*run["NVTX_EVENTS"], *rows]
    (rank,) = read(path, run).ranks
    events = rank.events
    on_host = [row for row in range(len(events)) if events.kind[row] >= Kind.LOADER]
    found = [(events.names[int(events.name[row])], Kind(events.kind[row])) for row in on_host]
    return [each for each in found if each[1] not in (Kind.LAUNCH, Kind.STEP)]


def test_operators_have_shapes_and_sequence_numbers(tmp_path: Path) -> None:
    text = "aten::mm, seq = 3, op_id = 17, sizes = [[2, 3], [3, 4]]"
    cut = "aten::mm, op_id = 18, sizes = [[2, 3], [3"
    tables = run_of()
    tables["NVTX_EVENTS"] += [nvtx(1001 * MS, 1002 * MS, text), nvtx(1003 * MS, 1004 * MS, cut)]
    (rank,) = read(tmp_path / "a", tables).ranks
    events = rank.events
    first, second = events.of(Kind.OPERATOR).tolist()
    assert (events.sequence[first], events.external[first]) == (3, 17)
    assert events.signatures[events.shapes[first]].dims == b"[[2, 3], [3, 4]]"
    assert (events.sequence[second], events.external[second], events.shapes[second]) == (-1, 18, -1)


def test_names_may_be_registered_and_ranges_of_other_types_are_left_out(tmp_path: Path) -> None:
    t = 1001 * MS
    found = ranges_of(
        tmp_path / "a",
        nvtx(t, t + 1, None, textId=3),
        # Old layouts have a value in every field.
        nvtx(t + 2, t + 3, "", textId=3, endGlobalTid=0),
        nvtx(t + 4, t + 5, "marker", eventType=34),
        nvtx(t + 6, None, "open"),
        nvtx(t + 8, t + 9, "elsewhere", eventType=60, endGlobalTid=thread(10, 11)),
        nvtx(t + 10, t + 11, "here", eventType=60, endGlobalTid=thread(10, 10)),
        StringIds=strings("registered"),
    )
    names = ["registered", "registered", "here"]
    assert found == [(name, Kind.ANNOTATION) for name in names]


def test_the_file_says_which_types_are_ranges(tmp_path: Path) -> None:
    t = 1001 * MS
    enum = [{"id": 77, "name": "NvtxPushPopRange"}]
    found = ranges_of(
        *(tmp_path / "a", nvtx(t, t + 1, "new", eventType=77), nvtx(t, t + 1, "old")),
        ENUM_NSYS_EVENT_TYPE=enum,
    )
    assert found == [("new", Kind.ANNOTATION)]


def test_steps_of_one_name_are_several_steps(tmp_path: Path) -> None:
    tables = run_of()
    for row in tables["NVTX_EVENTS"]:
        row["text"] = "train step"
    (rank,) = read(tmp_path / "a", tables).ranks
    assert case_of(rank).num_steps == 5


def test_updates_of_a_program_are_those_of_pytorch_unless_it_has_its_own(tmp_path: Path) -> None:
    t = 1001 * MS
    own = nvtx(t, t + 9, "optimizer")
    torch = nvtx(t + 1, t + 8, "Optimizer.step#SGD.step, op_id = 3")
    assert ranges_of(tmp_path / "a", own) == [("Optimizer.step#optimizer", Kind.OPTIMIZER)]
    assert ranges_of(tmp_path / "b", own, torch) == [
        *(("optimizer", Kind.ANNOTATION), ("Optimizer.step#SGD.step", Kind.OPTIMIZER))
    ]


def test_loads_wait_for_workers_or_work(tmp_path: Path) -> None:
    t = 1001 * MS
    load = nvtx(t, t + 100, "data")
    waited = call(t + 1, t + 90, 0, name=3)
    names = strings("poll", "pt_data_worker")
    (name, kind), *_ = ranges_of(tmp_path / "a", load, StringIds=names, OSRT_API=[waited])
    assert (kind, "_MultiProcessing" in name) == (Kind.LOADER, True)
    short = [waited | {"end": t + 40}]
    assert ranges_of(tmp_path / "b", load, StringIds=names, OSRT_API=short)[0][0] == "data"
    workers = [{"nameId": 4, "globalTid": thread(30, 30)}]
    ((name, _),) = ranges_of(tmp_path / "c", load, StringIds=names, ThreadNames=workers)
    assert "_MultiProcessing" in name


@pytest.mark.parametrize(
    ("table", "row"),
    [
        (
            "TARGET_INFO_GPU",
            {
                **{"id": 1, "name": "Card", "totalMemory": 80 << 30},
                **{"computeMajor": 9, "computeMinor": 0},
            },
        ),
        (
            "TARGET_INFO_CUDA_GPU",
            {
                **{"deviceId": 1, "name": "Card", "globalMemorySize": 80 << 30},
                **{"computeCapabilityMajor": 9, "computeCapabilityMinor": 0},
            },
        ),
    ],
)
def test_the_card_is_that_of_the_work(tmp_path: Path, table: str, row: Row) -> None:
    number = next(iter(row))
    others = [row | {number: 0, "name": "Other"}, row]
    (rank,) = read(tmp_path / "a", run_of(device=1) | {table: others}).ranks
    device = rank.device
    assert (device.name, device.capability, device.memory) == ("Card", 9.0, 80 << 30)
    # A process that counts its cards in its own way.
    (rank,) = read(tmp_path / "b", run_of(device=5) | {table: [row]}).ranks
    assert rank.device.name == "Card"
    (rank,) = read(tmp_path / "c", run_of() | {table: [row | {"name": None}]}).ranks
    assert rank.device.name == ""


def test_the_version_of_the_schema_is_said(tmp_path: Path) -> None:
    told = [{"name": "EXPORT_SCHEMA_VERSION", "value": "3.25.0"}]
    assert read(tmp_path / "a", run_of() | {"META_DATA_EXPORT": told}).schema == "3.25.0"


def test_views_of_the_names_of_tables_are_no_tables(tmp_path: Path) -> None:
    tables = run_of()
    kernels = tables.pop(KERNEL)
    with pytest.raises(Refusal) as refused:
        read(
            *(tmp_path / "a", tables | {"REAL": kernels}),
            f"CREATE VIEW {KERNEL} AS SELECT * FROM REAL",
        )
    assert refused.value.code == "nsys_no_kernels"


def test_dropped_rows_are_noted(tmp_path: Path) -> None:
    tables = run_of()
    tables[KERNEL].append(kernel(9 * MS, 8 * MS, 9))
    assert "dropped" in read(tmp_path / "a", tables).ranks[0].notes
    assert "dropped" not in read(tmp_path / "b", run_of()).ranks[0].notes


@pytest.mark.parametrize(
    ("tables", "code"),
    [
        ({"users": [{"name": "Ada", "age": 36}]}, "nsys_foreign"),
        ({"StringTable": [{"_id_": 1, "value": "a"}]}, "nsys_foreign"),
        ({"NVTX_EVENTS": [{"text": "a"}]}, "nsys_foreign"),
        ({KERNEL: [{"start": None, "end": None}]}, "nsys_nothing"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, tables: dict[str, list[Row]], code: str) -> None:
    with pytest.raises(Refusal) as refused:
        read(tmp_path / "a", tables)
    assert refused.value.code == code
    assert str(tmp_path) in refused.value.message("zh")


def test_empty_tables_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a", run_of(), *(f"DELETE FROM {name}" for name in run_of()))
    with pytest.raises(Refusal) as refused:
        read_export(path)
    assert refused.value.code == "nsys_nothing"


def test_a_journal_beside_the_file_is_noted_and_a_lock_is_not_waited_for(tmp_path: Path) -> None:
    path = write(tmp_path / "a", run_of())
    assert "nsys_journal" not in read_export(path).ranks[0].notes
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.execute("BEGIN EXCLUSIVE")
    writer.execute(f"DELETE FROM {KERNEL}")
    writer.execute("COMMIT")
    writer.execute("BEGIN EXCLUSIVE")
    began = time.monotonic()
    (rank,) = read_export(path).ranks
    assert time.monotonic() - began < 5
    assert "nsys_journal" in rank.notes
    assert len(rank.events.on_device()) == 5
    writer.execute("ROLLBACK")
    writer.close()
