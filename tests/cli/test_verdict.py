from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from tests.reports import make_case, make_report, make_row, make_smallest, make_tensor
from torchstone.app.home import find_home
from torchstone.app.judging.submission import judged_from
from torchstone.app.review.after_verdict import Aftermath, ReviewNote
from torchstone.cli.figures import group_name
from torchstone.cli.palette import MARKS, STATUS_MARKS
from torchstone.cli.screen import Screen
from torchstone.cli.verdict import draw_verdict
from torchstone.core.i18n import LANGS, Lang, display_width
from torchstone.core.isolation import Isolation
from torchstone.core.verdict import Verdict
from torchstone.judge.messages import (
    Forbidden,
    Misconception,
    Raised,
    Report,
    Smallest,
    Symptom,
    Unexplained,
    ValuePreview,
    Words,
    Worst,
)
from torchstone.study import NextProblem, Status

pytestmark = pytest.mark.pure

PLAN = (("sample", 1), ("scale", 2))
WANTED = make_tensor([0.09, 0.2447, 0.6652], [1, 3], [0, 1])
ROW = make_row(make_tensor([0.0, "nan", 0.6652], [1, 3], [0, 1]), WANTED)
INPUTS = {"x": make_tensor([88.0, 89.0, 90.0], [1, 3]), "dim": ValuePreview(text="-1")}
SMALLEST = make_smallest(ROW, **INPUTS)


def report(verdict: str = "AC", **more: Any) -> Report:
    """Make a report of three cases in two groups, of which the second is wrong."""
    middle = "AC" if verdict == "AC" else "WA"
    cases = (
        make_case(0, "sample", ratio=0.01),
        make_case(1, "scale", middle),
        make_case(2, "scale", ratio=0.2),
    )
    group = None if verdict == "AC" else "scale"
    return make_report(verdict=verdict, **{"group": group, "cases": cases, "time_ms": 39.2} | more)


def aftermath(*, review: ReviewNote | None = None) -> Aftermath:
    return Aftermath(
        attempt=2,
        rungs_open=1,
        num_rungs=4,
        num_solutions=5,
        review=review,
        unlocked=("02",),
        next=NextProblem(problem_id="02", is_review=False, reason={"en": "So.", "zh": "因此。"}),
    )


def drawn(
    found: Report,
    *,
    lang: Lang = "en",
    columns: int = 78,
    after: Aftermath | None = None,
    monkeypatch: pytest.MonkeyPatch,
) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(columns))
    judged = judged_from(find_home().problem("01"), found, plan=PLAN)
    return [line.plain for line in draw_verdict(Screen(lang=lang), judged, after)]


def test_a_wrong_answer_says_the_misconception_before_the_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    named = Misconception(name="no_shift", cases=7)
    found = report("WA", misconception=named, smallest=SMALLEST)
    lines = drawn(found, after=aftermath(), monkeypatch=monkeypatch)
    text = "\n".join(lines)
    assert text.index("✗ WA  value") < text.index("exp overflows") < text.index("Smallest failing")
    assert "    x           88.0000   89.0000   90.0000" in lines
    assert "    expected     0.0900    0.2447    0.6652" in lines
    assert "    actual       0.0000✗      nan✗   0.6652" in lines
    assert any("torchstone hint 01" in line and "opened: 1" in line for line in lines)


@pytest.mark.parametrize("lang", LANGS)
def test_symptoms_and_a_second_misconception_are_said(
    lang: Lang, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = Words(en="Every wrong result is the right result times 2.", zh="是正确结果的 2 倍。")
    symptom = Symptom(name="factor", words=words, cases=3)
    named = Misconception(
        name="no_shift",
        cases=7,
        also="wrong_default_dim",
        alternatives=("no_keepdim",),
        unexplained=Unexplained(cases=3, groups=("half", "edge")),
    )
    lines = drawn(
        report("WA", symptoms=(symptom,), smallest=SMALLEST), lang=lang, monkeypatch=monkeypatch
    )
    assert any(words.said_in(lang) in line for line in lines)
    assert not any("No known misconception" in line or "已知的错误写法" in line for line in lines)
    lines = drawn(report("WA", misconception=named), lang=lang, monkeypatch=monkeypatch)
    for name in ("no_shift", "wrong_default_dim", "no_keepdim"):
        assert any(name in line for line in lines)
    groups = [group_name(each, lang) for each in ("half", "edge")]
    assert any("3" in line and all(each in line for each in groups) for line in lines)


@pytest.mark.parametrize(("smallest", "is_said"), [(SMALLEST, True), (None, False)])
def test_only_what_was_compared_is_said_to_be_no_known_misconception(
    monkeypatch: pytest.MonkeyPatch, smallest: Smallest | None, is_said: bool
) -> None:
    lines = drawn(report("WA", smallest=smallest), monkeypatch=monkeypatch)
    assert any("No known misconception" in line for line in lines) is is_said


@pytest.mark.parametrize(("columns", "is_beside"), [(78, True), (40, False)])
def test_matrices_stand_side_by_side_where_there_is_room(
    monkeypatch: pytest.MonkeyPatch, columns: int, is_beside: bool
) -> None:
    wanted = make_tensor([1.0, 2.0, 3.0, 4.0], [2, 2], [3])
    row = make_row(make_tensor([1.0, 2.0, 3.0, 5.0], [2, 2], [3]), wanted)
    found = report("WA", smallest=make_smallest(row, **INPUTS))
    lines = drawn(found, columns=columns, monkeypatch=monkeypatch)
    beside = "       3.0000    4.0000        3.0000    5.0000✗"
    assert (beside in lines) is is_beside
    assert sum("5.0000✗" in line for line in lines) == 1


def test_an_acceptance_shows_streak_margin_and_what_follows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    note = ReviewNote(
        rating=3,
        reason={"en": "Accepted.", "zh": "通过了。"},
        due=datetime(2026, 11, 29, 12, tzinfo=UTC),
        date_reason={"en": "", "zh": ""},
    )
    lines = drawn(report(), after=aftermath(review=note), monkeypatch=monkeypatch)
    text = "\n".join(lines)
    for words in ("✓ AC  ━━━", "0.50×", "in scale", "2026-11-29", "Good", "02", "attempt 2"):
        assert words in text
    assert "torchstone start 02" in text


@pytest.mark.gate("*-50-*")
@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("columns", [78, 50, 30])
@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_fits_the_terminal_in_every_language(
    monkeypatch: pytest.MonkeyPatch, lang: Lang, columns: int, verdict: Verdict
) -> None:
    detail = Words(en="It took more than 10 s.", zh="超过了 10 秒。")
    error = Raised(type="ValueError", message="no " * 40, line=7, text="x = 1")
    found = report(
        verdict,
        smallest=None if verdict is Verdict.AC else SMALLEST,
        detail=detail,
        error=error if verdict is Verdict.RTE else None,
        stdout="printed\n" * 9,
        forbidden=Forbidden(operator="aten::softmax", line=3, text="y = softmax(x)"),
    )
    lines = drawn(found, lang=lang, columns=columns, after=aftermath(), monkeypatch=monkeypatch)
    assert any(MARKS[verdict].glyph in line and str(verdict) in line for line in lines)
    for line in lines:
        assert display_width(line) <= columns, line


def test_every_verdict_has_a_mark_and_gold_is_for_ac_alone() -> None:
    assert set(MARKS) == set(Verdict)
    gold = MARKS[Verdict.AC].style
    assert [verdict for verdict in Verdict if MARKS[verdict].style == gold] == [Verdict.AC]


def test_every_status_has_a_mark() -> None:
    assert set(STATUS_MARKS) == set(Status)


def test_what_cannot_wall_a_program_in_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join(drawn(report(isolation=Isolation.NONE), monkeypatch=monkeypatch))
    assert "cannot isolate a program fully" in text


def test_a_fault_of_the_judge_does_not_blame_the_learner(monkeypatch: pytest.MonkeyPatch) -> None:
    found = report("IE", cases=(), group=None)
    text = "\n".join(drawn(found, after=aftermath(), monkeypatch=monkeypatch))
    assert "does not count" in text
    assert "hint" not in text


@pytest.mark.parametrize(
    ("lang", "words"),
    [("en", "Worst at [0, 3]: 1.33 units in the last place"), ("zh", "相差 1.33 个 ULP")],
)
def test_the_worst_element_is_told_in_units_in_the_last_place(
    monkeypatch: pytest.MonkeyPatch, lang: Lang, words: str
) -> None:
    row = replace(ROW, worst=Worst(index=(0, 3), ulp=1.333, relative=0.0007))
    found = report("WA", smallest=make_smallest(row, **INPUTS))
    assert words in "\n".join(drawn(found, lang=lang, monkeypatch=monkeypatch))
