"""Ranking: by what can be won; sure only as far as the recording and the steps agree."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.doctor.simulated import WHOLE, load, saved
from torchstone.doctor.case import Case, make_case
from torchstone.doctor.findings import BOTTLENECKS
from torchstone.doctor.rank import quality_of, rank
from torchstone.doctor.read.run import read_run
from torchstone.doctor.simulate import PATIENTS, run, write_trace
from torchstone.doctor.simulate.actions import Step

pytestmark = pytest.mark.pure


def read(path: Path) -> Case:
    (read,) = read_run([path]).ranks
    case = make_case(read.events, read.device)
    assert case is not None
    return case


def case_of(folder: Path, steps: list[Step]) -> Case:
    path = folder / "trace.json"
    write_trace(run([steps], quantum_ns=WHOLE)[0], path)
    return read(path)


def steps_of(name: str, number: int = 6) -> list[Step]:
    return [PATIENTS[name].ranks[0][-1]] * number


def test_what_wins_more_comes_first(tmp_path: Path) -> None:
    found = rank(case_of(tmp_path, [*steps_of("loader", 3), *steps_of("allocation", 3)]))
    assert [each.recoverable for each in found] == sorted(
        (each.recoverable for each in found), reverse=True
    )
    assert {"TS-D001", "TS-M001"} <= {each.code for each in found}
    assert all(each.bottleneck in BOTTLENECKS for each in found)


def test_a_verdict_of_some_steps_is_not_sure(tmp_path: Path) -> None:
    steady = rank(case_of(tmp_path, steps_of("preparation")))[0]
    mixed = rank(case_of(tmp_path, [*steps_of("preparation", 3), *steps_of("healthy-logs", 3)]))[0]
    assert (steady.code, mixed.code) == ("TS-D004", "TS-D004")
    assert steady.confidence > 0.9
    assert 0.3 < mixed.confidence <= 0.5


def test_few_steps_and_lost_launches_are_worth_less(tmp_path: Path) -> None:
    assert quality_of(case_of(tmp_path, steps_of("healthy"))) == 1.0
    assert quality_of(case_of(tmp_path, steps_of("healthy", 2))) == 0.75
    trace = load(tmp_path / "trace.json")
    calls = [each for each in trace["traceEvents"] if each["cat"] == "cuda_runtime"]
    for each in calls[::2]:
        trace["traceEvents"].remove(each)
    assert 0.3 < quality_of(read(saved(tmp_path / "b.json", trace))) < 0.5


def test_a_slow_profiler_makes_what_the_host_did_unsure(tmp_path: Path) -> None:
    case = case_of(tmp_path, steps_of("launch"))
    sure, unsure = rank(case)[0], rank(replace(case, dilation=3.0))[0]
    assert unsure.confidence == pytest.approx(sure.confidence / 2, rel=0.1)


def test_a_device_that_idles_for_no_known_reason_is_not_surely_healthy(tmp_path: Path) -> None:
    assert rank(case_of(tmp_path, steps_of("healthy")))[0].confidence == pytest.approx(0.8)


def test_what_compares_steps_is_not_judged_by_each(tmp_path: Path) -> None:
    for name in ("allocation", "cold"):
        path = tmp_path / f"{name}.json"
        write_trace(PATIENTS[name].record()[0], path)
        assert rank(read(path))[0].confidence > 0.8
