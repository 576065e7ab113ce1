"""A report reaches the page as the judge wrote it, and no word of the bank reaches it as markup."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.reports import given_up, make_case, make_report, stored_report
from torchstone.app.home import Home, find_home
from torchstone.app.judging.history import read_submission, recall
from torchstone.app.judging.submission import plan_of
from torchstone.app.problems.problem_state import local_now
from torchstone.app.review.after_verdict import conclude
from torchstone.core.verdict import Verdict
from torchstone.web.reports import (
    aftermath_model,
    as_json,
    inline_html,
    model_of,
    next_model,
    report_model,
)
from torchstone.web.schemas import Words as Sentence

pytestmark = pytest.mark.pure

SAID = {"en": "`x` < 1 & <script>alert(1)</script>", "zh": "用 $x^2$，不是 <img onerror=f()>"}


@pytest.fixture
def home(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Home:
    for name in ("data", "workspace"):
        monkeypatch.setenv(f"TORCHSTONE_{name.upper()}", str(tmp_path / name))
    return find_home()


@pytest.fixture
def record(home: Home) -> Callable[..., str]:
    """Record a verdict as the host does; give the id of the submission."""

    def run(**report: Any) -> str:
        with home.open_store() as store:
            added = store.add_submission("01", "pass\n", client_key="drawn once")
            assert store.claim(added, "host")
            assert store.record_verdict(added, stored_report(**report), {"id": "c41e08d752ba"})
        return added

    return run


def test_what_the_judge_wrote_is_what_the_page_reads(
    home: Home, record: Callable[..., str]
) -> None:
    found = read_submission(home, record(verdict="RTE", detail={"en": "why", "zh": "为什么"}))
    assert found.judged is not None
    shown = as_json(report_model(found.judged))
    written = stored_report(verdict="RTE", detail={"en": "why", "zh": "为什么"})
    assert shown == json.loads(json.dumps(written))


def test_a_submission_that_was_given_up_has_a_report_to_read(home: Home) -> None:
    with home.open_store() as store:
        added = store.add_submission("01", "pass\n", client_key="drawn once")
        for _ in range(2):
            assert store.claim(added, "host")
            store.mark_interrupted(added, given_up)
    found = read_submission(home, added)
    assert found.judged is not None
    shown = as_json(report_model(found.judged))
    assert shown is not None
    assert (shown["verdict"], shown["planned"], shown["cases"]) == (Verdict.IE, 0, [])
    assert found.judged.plan == ()


def test_a_report_says_nothing_that_is_not_in_the_contract(
    home: Home, record: Callable[..., str]
) -> None:
    found = read_submission(home, record(seed="4711", source="def secret(): ..."))
    assert found.judged is not None
    assert not {"seed", "source", "submission"} & report_model(found.judged).model_dump().keys()


def test_the_page_gets_a_misconception_in_the_words_of_the_bank(
    home: Home, record: Callable[..., str]
) -> None:
    submission = record(verdict="WA", misconception={"name": "no_shift", "cases": 7})
    shown = as_json(report_model(recall(home, "01", submission)))
    assert shown is not None
    found = shown["misconception"]
    assert (found["name"], found["cases"]) == ("no_shift", 7)
    assert found["html"]["en"]
    assert found["html"]["zh"]


def test_the_page_gets_no_misconception_that_the_bank_lacks(
    home: Home, record: Callable[..., str]
) -> None:
    submission = record(verdict="WA", misconception={"name": "gone", "cases": 7})
    judged = recall(home, "01", submission)
    shown = as_json(report_model(judged))
    assert shown is not None
    assert shown["misconception"] is None
    keys = ("misconception", "misconception_cases", "misconception_text")
    assert [judged.as_json()[key] for key in keys] == ["gone", 7, None]


def test_words_become_markup_that_does_nothing() -> None:
    html = inline_html(SAID)
    assert "<code>" in html.en
    for text in (html.en, html.zh):
        assert "<script" not in text
        assert "<img" not in text


def test_the_plan_is_the_groups_in_the_order_in_which_they_ran() -> None:
    groups = ["sample", "sample", "small", "edge", "small"]
    cases = tuple(make_case(index, group) for index, group in enumerate(groups))
    assert plan_of(make_report(cases=cases)) == (("sample", 2), ("small", 2), ("edge", 1))
    assert plan_of(make_report(cases=())) == ()


def test_what_a_verdict_leads_to_names_the_next_problem(
    home: Home, record: Callable[..., str]
) -> None:
    after = conclude(home, recall(home, "01", record()))
    shown = aftermath_model(home, after)
    assert shown.attempt == 1
    assert shown.review is not None
    assert shown.review.due > local_now()
    assert after.next is not None
    assert shown.next == next_model(home, after.next)
    assert shown.next is not None
    problem = home.problem(shown.next.problem_id)
    assert shown.next.title.zh == problem.title.zh
    assert shown.next.minutes == problem.spec.minutes.practice
    assert json.dumps(as_json(shown))


def test_nothing_is_written_as_null() -> None:
    assert as_json(None) is None


def test_a_shape_is_read_from_the_record_of_a_problem(home: Home) -> None:
    title = model_of(Sentence, home.problem("01").title)
    assert title.model_dump() == {"en": "Softmax from scratch", "zh": "手写 Softmax"}
