import json
from datetime import timedelta
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.listed import require_listed
from torchstone.app.home import find_home
from torchstone.app.problems.problem_state import local_now
from torchstone.app.review.after_verdict import settle
from torchstone.core.i18n import display_width
from torchstone.store import open_store

pytestmark = pytest.mark.pure


def test_what_comes_back_and_why_is_listed(run: Run, alone: Path) -> None:
    assert "There are no reviews yet" in run("review").out
    run("solution", "01", "--give-up")
    done = run("review")
    assert done.code == 0
    assert "Later" in done.out
    assert "Due today" not in done.out
    assert "01  Softmax from scratch" in done.out
    assert "You saw the solution first" in done.out
    assert "Next 14 days    0 1 0" in done.out
    assert "你先看了答案" in run("review", "--lang", "zh").out


def test_what_is_due_comes_first(run: Run, alone: Path) -> None:
    moment = local_now() - timedelta(days=9)
    with open_store(clock=lambda: moment) as store:
        store.see_solution("02")
        settle(store, find_home().problem("02"), moment + timedelta(minutes=1))
    run("solution", "01", "--give-up")
    out = run("review").out
    due, later = out.index("Due today"), out.index("Later")
    assert due < out.index("\n  02  ") < later < out.index("\n  01  ")
    assert "Next 14 days    1 1 0" in out


def test_the_log_of_a_problem_shows_what_was_undone(run: Run, alone: Path) -> None:
    assert "no reviews yet" in run("review", "01").out
    run("solution", "01", "--give-up")
    assert "Again" in run("review", "softmax").out
    assert "its next acceptance is its first review" in run("review", "01", "--undo").out
    assert "undone" in run("review", "01").out
    assert "There are no reviews yet" in run("review").out


def test_an_undo_without_a_review_or_a_problem_is_misuse(run: Run, alone: Path) -> None:
    for arguments, code in (
        (["01", "--undo"], "app.no_review"),
        (["--undo"], "cli.argument_missing"),
        (["99"], "bank.problem_unknown"),
    ):
        done = run("review", *arguments, "--json")
        assert (done.code, done.json["code"]) == (2, code)


def test_the_keys_of_each_answer_are_the_listed_ones(run: Run, alone: Path) -> None:
    run("solution", "01", "--give-up")
    answers = {
        "review": run("review", "--json"),
        "review PROBLEM": run("review", "01", "--json"),
        "review --undo": run("review", "01", "--undo", "--json"),
    }
    for name, done in answers.items():
        assert done.code == 0
        require_listed(name, done.json)
    assert answers["review"].json["later"][0]["problem_id"] == "01"
    assert answers["review --undo"].json["review"] is None
    assert json.dumps(answers["review PROBLEM"].json["reviews"][0]["evidence"])


@pytest.mark.parametrize("columns", [78, 40])
def test_reviews_fit_the_terminal(
    run: Run, alone: Path, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    run("solution", "01", "--give-up")
    monkeypatch.setenv("COLUMNS", str(columns))
    for lang in ("en", "zh"):
        for arguments in (["review"], ["review", "01"]):
            for line in run(*arguments, "--lang", lang).out.splitlines():
                assert display_width(line) <= columns


def test_questions_stand_beside_problems(run: Run, alone: Path, tmp_path: Path) -> None:
    run("solution", "01", "--give-up")
    ticks = tmp_path / "none"
    ticks.write_text(" ")
    run("ask", "2.1.2.1.1", "--aloud", "--answer", ticks)
    out = run("review").out
    assert "Questions: due and waiting for another day 0, later 1" in out
    assert "Next 14 days    0 2 0" in out
    assert "The answer had 0%" in run("review", "2.1.2.1.1").out
    assert "is undone" in run("review", "2.1.2.1.1", "--undo").out
    require_listed("review --undo", ["ok", "review"])
    assert "later 1" not in run("review").out
