"""Flame graphs: calls of the same path are one node, and no time is lost on the way."""

from __future__ import annotations

import numpy as np
import pytest

from tests.doctor.charts.seen import view_of
from tests.doctor.made import Made
from torchstone.doctor.case import Case
from torchstone.doctor.charts.flame import Flame, calls_of, flame_of, threads_of
from torchstone.doctor.events import NONE
from torchstone.doctor.intervals import Intervals

pytestmark = pytest.mark.pure


def flame(case: Case, evidence: Intervals | None = None) -> Flame:
    calls = calls_of(case.events, case.main)
    begin, end = case.window.begin, case.window.end
    return flame_of(case, calls, case.main, begin=begin, end=end, evidence=evidence)


def calling() -> Case:
    made = Made(num_steps=1)
    outer = made.frame("train.py(1): main", 0, 9000)
    for begin in (0, 3000):
        inner = made.frame("train.py(9): step", begin, begin + 2000, parent=outer)
        made.operator("aten::mm", begin + 500, begin + 1500)
        made.frame("train.py(20): log", begin + 1600, begin + 1900, parent=inner)
    return made.case()


def test_calls_of_the_same_path_are_one_node_with_their_sums() -> None:
    nodes = {node.name: node for node in flame(calling()).nodes}
    assert nodes["train.py(1): main"].time == 9000
    assert nodes["train.py(1): main"].own == 5000
    step = nodes["train.py(9): step"]
    assert (step.time, step.own, step.calls) == (4000, 1400, 2)
    assert (nodes["aten::mm"].time, nodes["aten::mm"].calls) == (2000, 2)


def test_the_evidence_is_the_part_of_each_call_in_its_times() -> None:
    times = Intervals(np.array([1000.0]), np.array([3500.0]))
    nodes = {node.name: node for node in flame(calling(), times).nodes}
    assert nodes["train.py(1): main"].evidence == 2500
    assert nodes["aten::mm"].evidence == 500
    assert nodes["train.py(20): log"].evidence == 300


def test_callers_come_before_what_they_call_and_the_longest_first() -> None:
    for patient in ("loader", "launch"):
        nodes = flame(view_of(patient).case).nodes
        assert nodes
        assert all(node.parent < at for at, node in enumerate(nodes))
        last: dict[int, float] = {}
        for node in nodes:
            assert node.time <= last.get(node.parent, np.inf)
            last[node.parent] = node.time


def test_what_is_called_takes_no_longer_than_its_caller() -> None:
    found = flame(view_of("launch").case)
    inside = [0.0] * len(found.nodes)
    for node in found.nodes:
        if node.parent != NONE:
            inside[node.parent] += node.time
    for node, time in zip(found.nodes, inside, strict=True):
        assert node.own == pytest.approx(max(0.0, node.time - time), abs=1e-6)
        assert time <= node.time * (1 + 1e-9)


def test_a_range_that_begins_in_a_short_call_hides_nothing() -> None:
    made = Made(num_steps=1)
    main = made.frame("train.py(1): main", 0, 9000)
    made.frame("profiler.py(5): step", 10, 12, parent=main)
    # It begins in that frame, and ends long behind it.
    made.span("## forward ##", "user_annotation", 11, 8000)
    made.frame("train.py(9): step", 100, 7000, parent=main)
    nodes = {node.name: node for node in flame(made.case()).nodes}
    assert "profiler.py(5): step" not in nodes
    assert nodes["train.py(9): step"].time == 6900


def test_steps_are_no_calls_and_numbers_at_the_end_of_a_name_tell_nothing_apart() -> None:
    made = Made(num_steps=2)
    for number in range(2):
        made.operator(f"nccl:all_reduce#{number}", 100 + 1000 * number, 600 + 1000 * number)
    found = flame(made.case())
    assert [(node.name, node.calls) for node in found.nodes] == [("nccl:all_reduce", 2)]


def test_the_main_thread_comes_first_and_streams_are_no_threads() -> None:
    case = view_of("loader").case
    threads = threads_of(case)
    assert threads[0] == case.main
    assert len(threads) == 2
