"""The roofline of a report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doctor.kernels import addition, case_of, product
from torchstone.doctor.report import diagnose
from torchstone.doctor.roofline.listing import roofline_of
from torchstone.doctor.simulate import PATIENTS, Form, write_trace

pytestmark = pytest.mark.pure


def test_operators_are_listed_with_what_decides_their_side() -> None:
    told = roofline_of(case_of([product(4096, 0.5), addition(1 << 20, 0.7)]))
    assert json.loads(json.dumps(told)) == told
    assert told["device"] == "NVIDIA H100 80GB HBM3"
    assert told["ridge"] == pytest.approx(989 / 3.35)
    first, second = told["ops"]
    assert (first["name"], first["shape"]) == ("aten::mm", [[4096, 4096], [4096, 4096]])
    assert (first["bound"], second["bound"]) == ("compute", "memory")
    assert first["intensity"] == pytest.approx(first["flops"] / first["bytes"])
    assert first["time_us"] > second["time_us"]
    assert first["calls"] == 4


def test_no_more_than_two_hundred_are_listed() -> None:
    told = roofline_of(case_of([addition(100 + at, 1.0) for at in range(210)], steps=1))
    assert len(told["ops"]) == 200


def test_frames_with_numbers_below_zero_are_frames(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    write_trace(PATIENTS["loader"].record()[0], path, Form())
    trace = json.loads(path.read_text(encoding="utf-8"))
    for event in trace["traceEvents"]:
        if "Python id" in event.get("args", {}):
            event["args"]["Python id"] = -5
    path.write_text(json.dumps(trace), encoding="utf-8")
    report = diagnose([path], "en")
    assert report["roofline"]["ops"]
    assert report["verdict"].startswith("TS-")
