import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

pytestmark = [pytest.mark.plain, pytest.mark.usefixtures("one_bank")]


def test_a_plan_is_printed_and_answered_as_json(run: Run, alone: Path) -> None:
    done = run("interview", "plan", "--level", "mid", "--minutes", "140", "--seed", "7", "--json")
    assert done.code == 0
    plan = done.json
    assert plan["format"] == "full"
    assert set(plan["items"][0]) == {"b", "id", "kind", "minutes", "rung", "section"}
    printed = run("interview", "plan", "--minutes", "30", "--lang", "zh")
    assert "第 1 部分" in printed.out


def test_an_interview_is_held_by_a_script(run: Run, alone: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    lines = [{"item": "next", "seconds": 60, "text": "It depends."}] * 3
    script.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    done = run("interview", "run", script, "--minutes", "30", "--json")
    assert done.code == 0
    report = done.json
    assert len(report["items"]) == 3
    assert set(report["total"]) == {"score", "se"}
    assert len(report["advice"]) == 5
    printed = run("interview", "run", script, "--minutes", "30", "--lang", "zh")
    assert "仅供参考" in printed.out


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_bad_arguments_are_explained(run: Run, alone: Path, lang: str) -> None:
    for words in (["--level", "principal"], ["--minutes", "500"], ["--seed", "-1"]):
        done = run("interview", "plan", *words, "--lang", lang)
        assert done.code == 2
        assert words[1] in done.err
