"""Verification: an untouched report holds, and each tampered value is named with its line."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from torchstone.app.home import Home
from torchstone.app.interview.material import Material
from torchstone.app.interview.planning import read_setting
from torchstone.app.interview.reporting import write_report
from torchstone.app.interview.scripted import read_script, run_script
from torchstone.app.interview.verifying import verify_report
from torchstone.bank import Problem
from torchstone.core.errors import BadInput
from torchstone.interview.report import report_hash

pytestmark = pytest.mark.plain

Report = dict[str, Any]


def refuses(problem: Problem, source: str) -> tuple[str, dict[str, bool]]:
    return "WA", {"sample": True, "small": False}


@pytest.fixture(scope="module")
def report(material: Material, tmp_path_factory: pytest.TempPathFactory) -> Report:
    script = tmp_path_factory.mktemp("script") / "script.jsonl"
    lines = [
        {"item": "next", "seconds": 50, "text": "It shares the memory, and never copies it."},
        {"item": "next", "seconds": 50, "text": "I do not know."},
        {"item": "next", "seconds": 50, "anchor": 2, "evidence": "spoke of strides"},
        {"event": "pause", "seconds": 9},
        {"item": "c-linear-1", "seconds": 300, "text": "def f(): ..."},
    ]
    script.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    setting = read_setting(level="mid", minutes=60, seed=7)
    return run_script(material, setting, read_script(script), refuses).report


def set_at(*path: str | int, value: Any) -> Callable[[Report], None]:
    def change(report: Report) -> None:
        place: Any = report
        for each in path[:-1]:
            place = place[each]
        place[path[-1]] = value

    return change


TAMPERED = [
    (set_at("total", "score", value=99.0), "total.score"),
    (set_at("dimensions", "practice", "se", value=1.0), "dimensions.practice.se"),
    (set_at("verdict", "word", value="strong_hire"), "verdict.word"),
    (set_at("levels", "expert", value=0.99), "levels.expert"),
    (set_at("level", value="junior"), "level"),
    (set_at("seed", value=8), "seed"),
    (set_at("items", 0, "score", value=1.0), "items[0].score"),
    (set_at("items", 1, "used_s", value=5.0), "items[1].used_s"),
    (set_at("items", 3, "verdict", value="AC"), "items[3].verdict"),
    (set_at("interruptions", value=[]), "interruptions[0]"),
    (set_at("replay", "events", 2, "body", "text", value="better"), "replay.events[2]"),
    (set_at("hash", value="0" * 64), "hash"),
]


def verified(home: Home, report: Report, path: Path) -> dict[str, Any]:
    write_report(report, path)
    return verify_report(home, path, refuses)


def test_an_untouched_report_holds(material: Material, report: Report, tmp_path: Path) -> None:
    found = verified(material.home, report, tmp_path / "report.json")
    assert found["conclusion"] == "holds", found["differences"]
    assert found["hash_holds"]
    assert {found[k] for k in ("chain", "plan", "marks", "scores", "code")} == {"holds"}


@pytest.mark.gate("total.score", "items?3?.verdict", "replay*")
@pytest.mark.parametrize(("change", "where"), TAMPERED, ids=[where for _, where in TAMPERED])
def test_a_tampered_value_is_named_with_its_line(
    material: Material, report: Report, tmp_path: Path, change: Callable[[Report], None], where: str
) -> None:
    tampered = json.loads(json.dumps(report))
    change(tampered)
    if where != "hash":
        tampered["hash"] = report_hash(tampered)
    path = tmp_path / "report.json"
    found = verified(material.home, tampered, path)
    assert found["conclusion"] == "differs"
    named = {each["where"]: each["line"] for each in found["differences"]}
    assert where in named
    if where != "interruptions[0]":
        key = where.rpartition(".")[2].partition("[")[0]
        line = path.read_text(encoding="utf-8").splitlines()[named[where] - 1]
        assert key in line or line.strip() == "{"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", "report_unreadable"),
        ("[]", "report_foreign"),
        ('{"schema": 9, "replay": {}}', "report_schema"),
        ('{"schema": 1, "replay": {"events": []}}', "report_events"),
    ],
)
def test_a_damaged_report_is_refused(home: Home, tmp_path: Path, text: str, code: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        verify_report(home, path)
    assert caught.value.code == f"interview.{code}"
    for lang in ("en", "zh"):
        assert str(path) in caught.value.message(lang)
