"""The program: writes simulated traces and diagnoses them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from torchstone.doctor.__main__ import main

pytestmark = pytest.mark.pure


def answered(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict]:
    code = main(words)
    return code, json.loads(capsys.readouterr().out.splitlines()[-1])


def test_a_simulated_trace_has_the_verdict_it_was_made_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "trace.json.gz"
    code, made = answered(capsys, "simulate", "--disease", "communication", "--out", str(out))
    assert (code, len(made["files"])) == (0, 2)
    code, report = answered(capsys, "diagnose", *made["files"])
    assert (code, report["verdict"]) == (0, made["code"])


def test_a_refusal_is_an_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, answer = answered(capsys, "diagnose", str(tmp_path / "none"), "--lang", "en")
    assert (code, answer["event"], answer["code"]) == (2, "error", "no_file")
