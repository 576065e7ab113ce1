"""Interviews at the terminal: alone, led by a person, and by single commands."""

import io
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from torchstone.app.home import find_home

pytestmark = [pytest.mark.plain, pytest.mark.usefixtures("one_bank")]

SHORT = ("--minutes", "30", "--seed", "5")


class Terminal(io.StringIO):
    """Somebody who types these lines."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Type lines at a terminal."""

    def given(*lines: str) -> None:
        monkeypatch.setattr("sys.stdin", Terminal("".join(f"{line}\n" for line in lines)))
        monkeypatch.setattr(
            "torchstone.cli.screen.Screen.is_interactive", property(lambda screen: True)
        )

    return given


def test_an_interview_is_left_and_goes_on_where_it_was(run: Run, alone: Path, typing: Any) -> None:
    typing("It shares the memory.", ".", ":time", "half a sentence", ":quit")
    left = run("interview", "start", *SHORT)
    assert left.code == 1
    (listed,) = run("interview", "list", "--json").json["interviews"]
    assert listed["num_answers"] == 1
    shown = run("interview", "show", listed["id"], "--json").json
    assert shown["state"] == "answering"
    typing(":quit")
    again = run("interview", "resume", listed["id"], "--lang", "zh")
    assert "half a sentence" in again.out
    assert shown["item"]["words"]["zh"][:8] in again.out.replace("\n", "")


def test_nothing_of_the_answer_is_shown_to_the_one_who_answers(
    run: Run, alone: Path, typing: Any
) -> None:
    typing(":quit")
    asked = run("interview", "start", *SHORT)
    (listed,) = run("interview", "list", "--json").json["interviews"]
    shown = run("interview", "show", listed["id"], "--json").json["item"]
    home = find_home()
    if shown["kind"] == "concept":
        question = home.questions.question(shown["id"].partition(":")[2])
        for point in question.key_points:
            assert point.en not in asked.out
            assert point.en not in str(shown)


def test_a_person_leads_and_the_candidate_sees_the_item_alone(
    run: Run, alone: Path, typing: Any
) -> None:
    typing("note calm", "score 3", "score 2 named the strides", "rescore 1 only by heart", "quit")
    led = run("interview", "conduct", *SHORT)
    assert "Anchors" in led.out
    # The highest anchor needs evidence, and a changed score a reason.
    assert "has no evidence" in led.err
    assert "without a reason" in led.err
    (listed,) = run("interview", "list", "--json").json["interviews"]
    assert listed["mode"] == "conduct"
    report = run("interview", "report", listed["id"], "--json").json
    (item, *_) = report["items"]
    assert (item["by"], item["anchor"], item["quote"]) == ("human", 2, "named the strides")
    assert report["notes"][0]["text"] == "calm"
    typing("next", "quit")
    run("interview", "conduct", "--resume", listed["id"])
    typing("my line", ":quit")
    seen = run("interview", "seat", listed["id"])
    assert seen.code == 0
    assert "Anchors" not in seen.out
    assert "calm" not in seen.out


@pytest.mark.full
def test_an_interview_is_held_by_single_commands(run: Run, alone: Path, tmp_path: Path) -> None:
    begun = run("interview", "start", *SHORT, "--mode", "conduct", "--json").json
    text = tmp_path / "answer.txt"
    text.write_text("It depends on the strides.", encoding="utf-8")
    done = run("interview", "answer", begun["id"], "--text", text, "--json").json
    assert done["handed_in"] == begun["item"]["id"]
    assert done["num_items"] == 2
    wrong = run("interview", "answer", begun["id"], "--item", "open:dqn", "--json")
    assert wrong.code == 2
    scored = run(
        "interview", "score", begun["id"], begun["item"]["id"], "1", "--evidence", "vague", "--json"
    ).json
    assert set(scored["proposed"]) == {"anchor", "found", "missed", "mistakes", "score"}
    assert run("interview", "pause", begun["id"], "--json").json["state"] == "paused"
    assert run("interview", "resume", begun["id"], "--json").json["state"] == "answering"
    page = tmp_path / "report.html"
    assert run("interview", "report", begun["id"], "--out", page, "--lang", "zh").code == 0
    drawn = page.read_text(encoding="utf-8")
    assert "http" not in drawn.replace("http-equiv", "")
    assert "四个维度" in drawn
    kept = tmp_path / "report.json"
    run("interview", "report", begun["id"], "--out", kept)
    assert run("interview", "verify", kept, "--json").json["conclusion"] == "holds"
    assert run("interview", "delete", begun["id"], "--json").json == {"ok": True, "id": begun["id"]}
    assert run("interview", "show", begun["id"]).code == 2


def test_without_a_terminal_nothing_is_begun(run: Run, alone: Path) -> None:
    for lang in ("en", "zh"):
        done = run("interview", "start", *SHORT, "--lang", lang)
        assert done.code == 2
        assert "interview run" in done.err
    assert run("interview", "list", "--json").json["interviews"] == []


def test_the_outline_is_covered(run: Run, alone: Path) -> None:
    found = run("interview", "coverage", "--json").json
    assert (found["num_topics"], found["num_points"]) == (39, 156)
    assert found["absent"] == []
    assert len(found["open"]) > 40
