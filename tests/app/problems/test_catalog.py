import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from torchstone.app.home import Home, find_home
from torchstone.app.problems.catalog import list_problems, show_problem
from torchstone.app.problems.drafts import ABSENT, DraftKind, save_draft
from torchstone.app.review.overview import look_over

pytestmark = pytest.mark.pure


def test_the_list_shows_what_is_proven_tried_and_untouched(
    home: Home, record: Callable[..., str]
) -> None:
    record("01")
    record("02", "WA")
    look_over(home)
    rows = {row.id: row for row in list_problems(home).problems}
    assert [rows[each].status for each in ("01", "02", "03")] == ["proven", "tried", "untouched"]
    assert rows["01"].strength == pytest.approx(1.0, abs=0.01)
    assert rows["01"].due is not None
    assert rows["02"].attempts == 1
    assert list_problems(home, part=5).problems == tuple(
        row for row in rows.values() if row.part == 5
    )


def test_a_page_holds_the_statement_in_both_languages(home: Home) -> None:
    page = show_problem(home, "softmax")
    assert page.statement["en"].startswith("# Softmax")
    assert page.signature.startswith("softmax(x")


def test_the_statement_says_what_the_bans_include(home: Home) -> None:
    said, heading = [], {"en": "## What the bans include", "zh": "## 禁用还包括"}
    for problem in home.bank:
        page = show_problem(home, problem.id)
        for lang, own in (("en", problem.statement.en), ("zh", problem.statement.zh)):
            added = page.statement[lang].removeprefix(own.rstrip()).strip()
            if added:
                assert added.startswith(heading[lang])
                assert "`import " in added
                assert "`TorchDispatchMode`" in added
                said.append((problem.id, lang))
    ids = [
        "01",
        "02",
        "03",
        "04",
        "05",
        "07",
        "09",
        "10",
        "11",
        "13",
        "14",
        "15",
        "16",
        "17",
        "18",
        "22",
        "29",
        "31",
        "32",
        "33",
        "34",
        "36",
        "38",
    ]
    assert said == [(each, lang) for each in ids for lang in ("en", "zh")]


def test_the_list_shows_the_last_verdict_and_what_was_written(
    home: Home, record: Callable[..., str]
) -> None:
    record("01")
    record("01", "WA")
    record("02", "IE")
    with home.open_store() as store:
        store.add_submission("01", "pass", client_key="queued")
    save_draft(home, "03", DraftKind.SOLUTION, "mine\n", base=ABSENT)
    rows = {row.id: row for row in list_problems(home).problems}
    assert [rows[each].last_verdict for each in ("01", "02", "03")] == ["WA", "IE", None]
    assert {row.id for row in rows.values() if row.has_draft} == {"03"}
    # A fault of the judge is shown, and is no attempt.
    assert [rows[each].attempts for each in ("01", "02")] == [2, 0]


def test_a_row_says_what_kind_of_work_it_is(home: Home) -> None:
    for row, problem in zip(list_problems(home).problems, home.bank, strict=True):
        spec = problem.spec
        assert (row.kind, row.minutes) == (spec.entry.kind, spec.minutes.practice)
        assert row.concepts == spec.concepts
    assert json.dumps(msgspec.to_builtins(list_problems(home)))


def test_what_is_due_is_marked(home: Home, accepted_long_ago: Callable[..., str]) -> None:
    accepted_long_ago("02")
    assert [row.id for row in list_problems(home).problems if row.is_due] == ["02"]


def test_a_page_names_its_neighbours_and_what_it_builds_on(home: Home) -> None:
    ids = [problem.id for problem in home.bank]
    pages = [show_problem(home, each) for each in ids]
    assert [page.previous_id for page in pages] == [None, *ids[:-1]]
    assert [page.next_id for page in pages] == [*ids[1:], None]
    for page in pages:
        named = {*page.prerequisites, page.previous_id, page.next_id} - {None}
        assert set(page.titles) == named & set(ids)
        assert page.titles == {each: show_problem(home, each).title for each in page.titles}
        assert json.dumps(msgspec.to_builtins(page))


def test_a_page_names_what_is_to_be_written_and_what_is_barred(home: Home) -> None:
    page = show_problem(home, "softmax")
    assert page.names == ("softmax",)
    assert page.kind == "function"
    assert page.limits.memory_mib == home.problem("01").spec.limits.memory_mib
    assert page.denied_families == ("softmax", "attention")


def test_a_bank_of_one_problem_has_no_neighbours(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bank/problems").mkdir(parents=True)
    problem = home.problem("07")
    (tmp_path / "bank/problems" / problem.path.name).symlink_to(problem.path)
    monkeypatch.setenv("TORCHSTONE_BANK", str(tmp_path / "bank"))
    page = show_problem(find_home(), "07")
    assert problem.spec.prerequisites
    assert (page.previous_id, page.next_id, page.titles) == (None, None, {})
