import io
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from torchstone.app.home import find_home
from torchstone.core.i18n import LANGS

pytestmark = pytest.mark.plain

VIEW = "2.1.2.1.1"


@pytest.fixture
def answer(tmp_path: Path) -> Path:
    section = find_home().questions.topic("2.1.2.1").section(VIEW, "en")
    assert section is not None
    path = tmp_path / "answer.md"
    path.write_text(section.short, encoding="utf-8")
    return path


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


def test_an_answer_is_marked_as_json(run: Run, alone: Path, answer: Path) -> None:
    done = run("ask", VIEW, "--answer", answer, "--json")
    assert done.code == 0
    found = done.json
    assert found["question"] == VIEW
    assert found["coverage"] == 1
    assert found["missed"] == []
    assert found["rating"] == 3
    assert set(found["reason"]["date"]) == set(LANGS)
    again = run("ask", VIEW, "--answer", answer, "--json").json
    assert again["rating"] is None
    assert again["due"] == found["due"]


def test_the_lines_of_the_library_follow_the_answer(run: Run, alone: Path, tmp_path: Path) -> None:
    path = tmp_path / "answer.md"
    path.write_text("Hooks fill buckets, and each bucket is reduced at once.", encoding="utf-8")
    printed = run("ask", "8.1.2.2.4", "--answer", path).out
    place = re.compile(r"DataParallel  torchstone/distributed/data_parallel\.py:\d+")
    assert place.search(printed)
    assert printed.index("data_parallel.py") > printed.index("In the library")


def test_nothing_of_the_answer_is_printed_before_there_is_one(
    run: Run, alone: Path, tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.write_text("")
    done = run("ask", VIEW, "--answer", empty)
    assert done.code == 2
    assert "The answer is empty" in done.err
    assert "How do view() and reshape() differ?" in done.out
    question = find_home().questions.question(VIEW)
    assert not any(point.en[:20] in done.out + done.err for point in question.key_points)


@pytest.mark.parametrize(
    ("text", "said"),
    [("x" * 1_000_000, "longer than"), ("How do view() and reshape() differ?", "repeats")],
)
def test_what_cannot_be_marked_says_why(
    run: Run, alone: Path, tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "text"
    path.write_text(text)
    done = run("ask", VIEW, "--answer", path, "--json")
    assert done.code == 2
    assert said in done.json["message"]


def test_an_unknown_id_offers_near_ones_and_an_id_excludes_a_choice(run: Run, alone: Path) -> None:
    done = run("ask", "2.1.2.1.8", "--json")
    assert done.code == 2
    assert "2.1.2.1.4" in done.json["hint"]
    assert run("ask", VIEW, "--due").code == 2


def test_without_anything_due_no_question_is_asked(run: Run, alone: Path) -> None:
    assert "No question is due" in run("ask", "--due").err
    assert run("ask", "--due", "--json").json["question"] is None


def test_a_learner_types_an_answer_and_credits_what_was_not_found(
    run: Run, alone: Path, typing: Any
) -> None:
    typing("view never copies: it shares the storage of its input.", ".", "7", "1 2, 3")
    out = run("ask", VIEW).out
    assert "“it shares the storage of its input”" in out
    assert "Not found in your words" in out
    assert "Rated Good." in out


def test_a_question_mark_shows_the_answer_and_brings_it_back(
    run: Run, alone: Path, typing: Any
) -> None:
    typing("?")
    out = run("ask", VIEW, "--lang", "zh").out
    assert find_home().questions.question(VIEW).key_points[0].zh[:12] in out
    assert "你先看了答案" in out


def test_an_answer_aloud_is_ticked(run: Run, alone: Path, typing: Any, tmp_path: Path) -> None:
    typing("", "1 2 3 4")
    assert "by your own ticks" in run("ask", VIEW, "--aloud").out
    ticks = tmp_path / "ticks"
    ticks.write_text("1，2")
    assert len(run("ask", "2.1.2.1.2", "--aloud", "--answer", ticks, "--json").json["found"]) == 2
    ticks.write_text("9")
    assert run("ask", "2.1.2.1.2", "--aloud", "--answer", ticks, "--json").code == 2
