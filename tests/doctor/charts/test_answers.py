"""Questions of a page: each line has an answer that the application can decode."""

from __future__ import annotations

import io
import json
import threading
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.doctor.simulated import simulated
from torchstone.app.programs.doctor_views import Answer
from torchstone.core.i18n import Lang
from torchstone.doctor.charts.answers import answer_questions
from torchstone.doctor.read.arriving import WHOLE
from torchstone.doctor.refusal import Refusal

pytestmark = pytest.mark.pure


def refuse(refusal: Refusal, lang: Lang) -> dict[str, Any]:
    return {"event": "error", "code": refusal.code, "message": refusal.message(lang)}


def ask(*questions: dict[str, Any]) -> list[dict[str, Any]]:
    lines = io.StringIO("".join(json.dumps(each) + "\n" for each in questions))
    return list(answer_questions(lines, refuse))


def opening(path: Path, *, is_arriving: bool = False) -> dict[str, Any]:
    files = {"files": [str(path)], "columns": 300}
    return {"ask": "open", "lang": "en", "is_arriving": is_arriving} | files


def test_each_answer_is_one_that_the_application_knows(tmp_path: Path) -> None:
    path = simulated(tmp_path, "loader")
    span = {"begin": 0.0, "end": 30_000.0, "finding": 0}
    answers = ask(
        opening(path),
        {"ask": "report", "lang": "zh"},
        {"ask": "picture", "columns": 200, **span},
        {"ask": "flame", "thread": 0, **span},
        {"ask": "gaps", "account": 0},
        {"ask": "gap", "account": 0, "number": 0},
        {"ask": "event", "track": 0, "moment": 100.0},
    )
    kinds = ["overview", "report", "picture", "flame", "gaps", "gap", "found"]
    assert [each["event"] for each in answers] == kinds
    for each in answers:
        # As it comes over the pipe, where a tuple is a list.
        msgspec.convert(json.loads(json.dumps(each, allow_nan=False)), Answer)
    assert "等数据" in answers[1]["report"]["summary"]["manager"]


def test_a_refusal_ends_nothing(tmp_path: Path) -> None:
    path = simulated(tmp_path, "loader")
    (tmp_path / "empty.json").touch()
    first, second, third, fourth = ask(
        {"ask": "gaps", "account": 0},
        opening(tmp_path / "empty.json"),
        opening(path),
        {"ask": "gap", "account": 0, "number": 10**6, "lang": "zh"},
    )
    assert (first["event"], second["code"]) == ("error", "empty")
    assert third["event"] == "overview"
    assert "没有编号" in fourth["message"]


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_is_read_while_it_comes(tmp_path: Path, packed: bool) -> None:
    whole = simulated(tmp_path, "loader", packed=packed)
    text = whole.read_bytes()
    coming = tmp_path / "coming" / whole.name
    coming.parent.mkdir()
    coming.write_bytes(text[:100])

    def write() -> None:
        with coming.open("ab") as file:
            for begin in range(100, len(text), 20_000):
                file.write(text[begin : begin + 20_000])
                file.flush()
                time.sleep(0.002)
        coming.with_name(WHOLE).touch()

    writer = threading.Thread(target=write)
    writer.start()
    (found,) = ask(opening(coming, is_arriving=True))
    writer.join()
    (wanted,) = ask(opening(whole))
    assert found["event"] == "overview"
    assert found["accounting"] == wanted["accounting"]
    assert found["num_events"] == wanted["num_events"]
