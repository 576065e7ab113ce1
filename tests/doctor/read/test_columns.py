"""Columns: what an event says in its fields, in one order, whatever the file looks like."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.doctor.simulated import load, saved, simulated
from torchstone.doctor.events import NONE, Events
from torchstone.doctor.read import limits
from torchstone.doctor.read.kinds import Kind
from torchstone.doctor.read.run import read_run
from torchstone.doctor.refusal import Refusal

pytestmark = pytest.mark.pure


def op(begin: Any, duration: Any = 5, **fields: Any) -> dict[str, Any]:
    plain = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1}
    return plain | {"ts": begin, "dur": duration} | fields


def memory(at: float, changed: int, **args: Any) -> dict[str, Any]:
    args = {"Bytes": changed, "Device Id": 0, "Device Type": 1} | args
    return {"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": at, "args": args}


def events_of(folder: Path, *listed: dict[str, Any]) -> Events:
    path = saved(folder / "trace.json", {"traceEvents": listed})
    return read_run([path]).ranks[0].events


def test_times_count_from_the_first_event_and_are_in_order(tmp_path: Path) -> None:
    found = events_of(tmp_path, op(1e15 + 40), op(1e15 + 10, 50), op(1e15 + 10, 2))
    assert found.t0.tolist() == [0, 0, 30]
    # What contains comes first.
    assert found.t1.tolist() == [50, 2, 35]


def test_times_may_be_texts_and_before_zero(tmp_path: Path) -> None:
    found = events_of(tmp_path, op("-7.5", "2"), op("10"))
    assert found.t0.tolist() == [0, 17.5]


@pytest.mark.parametrize(
    "wrong",
    [op(None), op(1, -1), op(2**70), op(-1e300), op(1, 1e300), op(1e308, 1e308), op("nan")],
)
def test_an_event_at_no_time_is_left_out_and_noticed(tmp_path: Path, wrong: dict[str, Any]) -> None:
    path = saved(tmp_path / "trace.json", {"traceEvents": [op(5), wrong]})
    (rank,) = read_run([path]).ranks
    assert len(rank.events) == 1
    assert rank.notes == ["dropped"]


def test_numbers_that_fit_no_column_are_none(tmp_path: Path) -> None:
    for value in (2**63, -(2**63) - 1, 10**30, "x", "9" * 5000, None, 1e300):
        found = events_of(tmp_path, op(1, args={"External id": value}), op(2, args={"bytes": 3}))
        assert found.external.tolist() == [NONE, NONE]
        assert found.size.tolist() == [NONE, 3]


def test_both_schemas_name_the_operator_of_a_kernel(tmp_path: Path) -> None:
    for key in ("External id", "external id"):
        assert events_of(tmp_path, op(1, args={key: 9})).external.tolist() == [9]


def test_a_thread_is_one_whether_a_number_or_a_text_names_it(tmp_path: Path) -> None:
    found = events_of(tmp_path, op(1, tid=5), op(2, tid="5"), op(3, tid="stream 7"), op(4, tid=5.0))
    assert found.lane.tolist() == [0, 0, 1, 0]
    assert [(lane.pid, lane.tid) for lane in found.lanes] == [(1, 5), (1, "stream 7")]


def test_signatures_and_stacks_are_shared(tmp_path: Path) -> None:
    shaped = {"Input Dims": [[2, 3]], "Input type": ["float"], "Call stack": "a.py(3): f"}
    found = events_of(tmp_path, op(1, args=shaped), op(2), op(3, args=shaped))
    assert found.shapes.tolist() == found.stack.tolist() == [0, NONE, 0]
    assert json.loads(found.signatures[0].dims) == [[2, 3]]
    assert found.stacks == ["a.py(3): f"]


def test_the_allocator_of_the_host_is_not_that_of_a_device(tmp_path: Path) -> None:
    totals = {"Total Allocated": 70, "Total Reserved": 90}
    host = {"Device Type": 0, "Device Id": -1}
    found = events_of(
        tmp_path,
        op(10),
        memory(30, 20, **totals),
        memory(12, 8, **host),
        # An AMD card has another type.
        memory(14, 50, **totals | {"Device Type": 6, "Device Id": 2}),
        memory(float("nan"), 1),
    ).memory
    assert set(found) == {0, 2, NONE}
    assert (found[0].at.tolist(), found[0].allocated.tolist()) == ([20.0], [70])
    assert found[0].reserved.tolist() == [90]


def test_without_totals_memory_is_summed_from_the_first_event_on(tmp_path: Path) -> None:
    found = events_of(tmp_path, op(1), memory(2, 5), memory(2, -3), memory(2, 4)).memory[0]
    assert found.changed.tolist() == [5, -3, 4]
    assert found.allocated.tolist() == [5, 2, 6]
    assert found.reserved.tolist() == [NONE] * 3


def test_the_order_in_the_file_says_nothing(tmp_path: Path) -> None:
    path = simulated(tmp_path, "allocation")
    trace = load(path)
    draw = random.Random(3)
    whole = read_run([path]).ranks[0].events
    for _ in range(3):
        draw.shuffle(trace["traceEvents"])
        again = read_run([saved(tmp_path / "b.json", trace)]).ranks[0].events
        assert [again.names[name] for name in again.name] == [whole.names[n] for n in whole.name]
        for column in ("t0", "t1", "kind", "lane", "correlation", "external", "python", "parent"):
            assert (getattr(again, column) == getattr(whole, column)).all(), column
        assert again.lanes == whole.lanes


def test_pieces_of_any_size_give_the_same_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = simulated(tmp_path, "pageable")
    whole = read_run([path]).ranks[0].events
    for size in (300, 5_000, 70_000):
        monkeypatch.setattr(limits, "PIECE_BYTES", size)
        again = read_run([path]).ranks[0].events
        assert (again.t0 == whole.t0).all()
        assert (again.shapes == whole.shapes).all()
        assert again.signatures == whole.signatures


def test_a_memset_and_marks_are_no_host_work(tmp_path: Path) -> None:
    found = events_of(
        tmp_path,
        op(1, cat="gpu_memset", name="Memset (Device)", args={"device": 0, "bytes": 4}),
        op(1, cat="gpu_user_annotation", name="ProfilerStep#1"),
        op(1, ph="s", cat="ac2g"),
        op(1, cat="Trace", pid="Spans", name="PyTorch Profiler (0)"),
        op(1, cat="overhead", name="Buffer Flush"),
    )
    assert found.kind.tolist() == [Kind.COPY_D2D]


def test_too_many_events_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_EVENTS", 3)
    with pytest.raises(Refusal) as caught:
        events_of(tmp_path, *(op(at) for at in range(4)))
    assert caught.value.code == "too_many_events"
