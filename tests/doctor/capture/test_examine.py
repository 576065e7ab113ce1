"""A program is examined: its report has its steps, its lines and what the passes took."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")

from tests.doctor.capture.programs import MODEL, TRAINING, written
from torchstone.doctor.capture.examine import examine
from torchstone.doctor.capture.plan import Plan
from torchstone.doctor.refusal import Refusal

pytestmark = [pytest.mark.torch, pytest.mark.full]

WAITING = f"""{MODEL}
import time
while True:
    time.sleep(0.03)
    learn()
"""
# A model whose graph grows: the sum of the losses keeps each of them.
GROWING = """
import torch
model = torch.nn.Linear(2048, 2048)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-9)
total = 0
while True:
    loss = model(torch.randn(1024, 2048)).relu().square().sum()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
    total = total + loss
"""


def test_the_line_that_waits_is_named_and_the_step_is_an_unwatched_one(tmp_path: Path) -> None:
    phases: list[str] = []
    path = written(tmp_path, WAITING)
    report = examine(
        Plan(script=path, words=("-x",)),
        "en",
        lambda phase, steps, seconds: phases.append(phase),
        out=tmp_path / "kept",
    )
    assert report["verdict"] == "TS-D004"
    place = report["findings"][0]["places"][0]
    line = WAITING.splitlines().index("    time.sleep(0.03)") + 1
    assert (place["file"], place["line"]) == (path, line)
    assert report["window"]["how"] == "optimizer"
    assert report["window"]["steps"] == 5
    run = report["run"]
    assert report["window"]["step_ms"] == run["unwatched_step_ms"] >= 30.0
    dilation = report["quality"]["dilation"]
    assert run["watched_step_ms"] == pytest.approx(dilation * run["unwatched_step_ms"])
    assert (run["script"], run["arguments"], run["ranks"]) == (path, ["-x"], 1)
    assert {"timing", "reading"} <= set(phases) <= {"timing", "recording", "reading"}
    assert json.loads((tmp_path / "kept" / "report.json").read_text()) == report
    assert all(Path(file).is_file() for file in report["source"]["files"])


def test_memory_that_grows_is_seen_in_more_steps_than_are_recorded(tmp_path: Path) -> None:
    plan = Plan(script=written(tmp_path, GROWING))
    report = examine(plan, "en", lambda *told: None)
    assert "TS-M003" in [report["verdict"], *report["also"]]
    assert report["source"]["files"] == [plan.script]


def test_a_folder_that_cannot_be_written_to_is_refused_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    plan = Plan(script=written(tmp_path, TRAINING))
    with pytest.raises(Refusal) as caught:
        examine(plan, "en", lambda *told: pytest.fail("it runs"), out=tmp_path / "file" / "out")
    assert caught.value.code == "out_unwritable"
