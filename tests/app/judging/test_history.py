import json
from collections.abc import Callable
from typing import Any

import pytest

from torchstone.app.home import Home
from torchstone.app.judging.history import (
    count_submissions,
    list_history,
    read_submission,
    recall,
    recent_submissions,
)
from torchstone.core.errors import BadInput, NotFound

pytestmark = pytest.mark.pure


def wait(home: Home, problem: str, key: str, kind: Any = "submit") -> str:
    """Hand in what is not judged yet."""
    with home.open_store() as store:
        return store.add_submission(problem, "pass", kind=kind, client_key=key)


def test_history_recalls_what_the_judge_said(home: Home, record: Callable[..., str]) -> None:
    submission = record(verdict="RTE")
    (line,) = list_history(home, "01")
    assert (line.id, line.verdict) == (submission, "RTE")
    assert recall(home, "01", submission[:8]).verdict == "RTE"
    for problem, prefix in (("02", submission), ("01", "ffffffffffff"), ("01", "not hex")):
        with pytest.raises(NotFound):
            recall(home, problem, prefix)


def test_a_submission_without_a_verdict_says_its_state(home: Home) -> None:
    with pytest.raises(BadInput, match="queued"):
        recall(home, "01", wait(home, "01", "k"))


def test_history_comes_page_by_page(home: Home, record: Callable[..., str]) -> None:
    ids = [record() for _ in range(5)]
    record("02")
    ids.append(wait(home, "01", "waiting", "run"))
    seen: list[str] = []
    before = None
    while page := list_history(home, "01", limit=2, before=before):
        assert len(page) <= 2
        seen += [line.id for line in page]
        before = seen[-1]
    assert seen == ids[::-1]
    # A run of the samples is listed, but it is no submission.
    assert count_submissions(home, "01") == len(ids) - 1
    assert count_submissions(home, "01", kind="run") == 1
    assert [line.id for line in list_history(home, "01", kind="run")] == ids[-1:]
    assert [line.id for line in list_history(home, "01", kind="submit")] == ids[-2::-1]
    with pytest.raises(NotFound):
        list_history(home, "01", before="ffffffffffff")


def test_the_last_of_all_problems_have_their_titles_and_no_runs(
    home: Home, record: Callable[..., str]
) -> None:
    assert recent_submissions(home) == ()
    ids = [record("01"), record("02", "WA"), wait(home, "03", "waiting")]
    wait(home, "04", "run", "run")
    # A problem of a pack that is not installed has no page to lead to.
    wait(home, "99", "elsewhere")
    found = recent_submissions(home)
    assert [line.id for line in found] == ids[::-1]
    assert [line.state for line in found] == ["queued", "done", "done"]
    assert found[1].title == {"en": home.problem("02").title.en, "zh": home.problem("02").title.zh}
    assert [line.id for line in recent_submissions(home, limit=1)] == ids[-1:]
    assert count_submissions(home) == 3


def test_a_record_has_all_that_a_fresh_verdict_has(home: Home, record: Callable[..., str]) -> None:
    named = {"name": "no_shift", "cases": 7}
    submission = record(verdict="WA", misconception=named)
    found = read_submission(home, submission[:6])
    assert (found.id, found.kind, found.state, found.verdict) == (
        submission,
        "submit",
        "done",
        "WA",
    )
    assert found.source == "pass\n"
    assert found.title["en"] == "Softmax from scratch"
    assert found.judged == recall(home, "01", submission)
    assert found.judged is not None
    assert found.judged.misconception is not None
    assert "exp" in found.judged.misconception.words.en
    shown = found.judged.as_json()
    assert (shown["misconception"], shown["misconception_cases"]) == ("no_shift", 7)
    named_words = found.judged.misconception.words
    assert shown["misconception_text"] == {"en": named_words.en, "zh": named_words.zh}
    assert json.dumps(shown)


def test_a_record_may_be_without_a_verdict(home: Home) -> None:
    waiting = wait(home, "01", "waiting", "run")
    found = read_submission(home, waiting)
    assert (found.kind, found.state, found.judged, found.finished_at) == (
        "run",
        "queued",
        None,
        None,
    )
    with home.open_store() as store:
        store.cancel(waiting)
    assert read_submission(home, waiting).state == "cancelled"


@pytest.mark.parametrize("prefix", ["ffffffffffff", "", "not hex", "é", "0" * 1000, "%", "01_"])
def test_a_name_that_is_no_submission_is_not_found(
    home: Home, record: Callable[..., str], prefix: str
) -> None:
    record()
    with pytest.raises(NotFound):
        read_submission(home, prefix)


def test_the_record_of_a_problem_that_is_gone_names_it(home: Home) -> None:
    with pytest.raises(NotFound, match="99"):
        read_submission(home, wait(home, "99", "elsewhere"))


@pytest.mark.parametrize(
    "change",
    [
        {"misconception": "no_shift"},
        {"misconception": {"cases": 7}},
        {"cases": [3]},
        {"cases": None},
    ],
)
def test_a_report_that_no_judge_has_written_is_refused(
    home: Home, record: Callable[..., str], change: dict[str, Any]
) -> None:
    submission = record(verdict="WA", **change)
    for read in (read_submission, lambda home, prefix: recall(home, "01", prefix)):
        with pytest.raises(BadInput) as caught:
            read(home, submission)
        assert caught.value.code == "app.report_unreadable"
    assert [line.id for line in list_history(home, "01")] == [submission]
