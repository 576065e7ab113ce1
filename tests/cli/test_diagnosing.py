"""A program is run from the command line, and its report is drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.listed import require_listed
from tests.doctor.capture.programs import TRAINING, written

pytest.importorskip("torch")

pytestmark = [pytest.mark.torch, pytest.mark.full]


def test_a_program_is_run_and_its_report_is_an_answer(run: Run, tmp_path: Path) -> None:
    path = written(tmp_path, f"print('not ours')\n{TRAINING}")
    kept = tmp_path / "kept"
    answer = run("doctor", "run", "--steps", "3", "--out", kept, path, "--lr", "--json")
    require_listed("doctor run", answer.json)
    assert answer.code == 0
    assert answer.json["window"]["steps"] == 3
    assert answer.json["run"]["arguments"] == ["--lr"]
    assert "timing the program" in answer.err
    report = str(kept / "report.json")
    assert run("doctor", "compare", report, report, "--json").json["ratio"] == 1.0


def test_lines_tell_how_much_longer_a_watched_step_takes(run: Run, tmp_path: Path) -> None:
    out = run("doctor", "run", written(tmp_path, TRAINING)).out
    assert "recorded" in out
    assert "(×" in out
    assert "A step is what lies between two calls of `Optimizer.step`." in out.replace("\n  ", " ")
