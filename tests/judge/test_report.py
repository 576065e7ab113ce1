"""The verdict follows from what was found, whatever order it was found in."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reports import make_case
from tests.shipped import shipped_bank
from torchstone.bank.schema import Deny, Kind, Limits
from torchstone.core.isolation import Isolation
from torchstone.core.verdict import Verdict
from torchstone.judge.assignment import assignment_of
from torchstone.judge.messages import SavedBytes, ValuePreview, Words, plain
from torchstone.judge.order import Assignment, Findings, Order, Outcome
from torchstone.judge.replies import (
    FarthestOff,
    FoundWrong,
    SavedFound,
    ShownInput,
    SmallestFailure,
    WrongRow,
)
from torchstone.judge.report import (
    build_report,
    decide,
    internal_error,
    interrupted_report,
    smallest_of,
)

pytestmark = pytest.mark.pure

GROUPS = ("sample", "small", "scale")
CASE_CODES = ["AC", "WA", "RTE", "INPUT_MUTATED", "MLE"]
DEATHS = ["TLE", "OLE", "RTE", "MLE", "FORBIDDEN_OP"]
WORDS = {"en": "why", "zh": "为什么"}

ORDER = Order(
    assignment=Assignment(
        problem_id="01",
        folder=Path("/"),
        kind=Kind.FUNCTION,
        names=("f",),
        limits=Limits(),
        deny=Deny(),
        probe="",
        content_hash="",
    ),
    source="",
    seed=1,
)


def findings(codes: list[str], death: str | None = None, *, at_load: bool = False) -> Findings:
    """Make findings of three groups of two cases, of which some have been judged."""
    plan = [(group, 2 * place + n) for place, group in enumerate(GROUPS) for n in range(2)]
    cases = [
        make_case(index, group, code) for (group, index), code in zip(plan, codes, strict=False)
    ]
    outcome = Outcome(code=Verdict(death), detail=WORDS, at_load=at_load) if death else None
    return Findings(plan=plan, cases=cases, outcome=outcome)


@pytest.mark.parametrize(
    ("codes", "death", "verdict", "group"),
    [
        (["AC"] * 6, None, "AC", None),
        (["AC", "AC", "WA", "AC", "RTE", "AC"], None, "WA", "small"),
        (["AC", "AC", "WA", "RTE", "AC", "AC"], None, "RTE", "small"),
        # It died in a later group than the first that is wrong: the simplest thing decides.
        (["AC", "AC", "WA", "AC", "AC"], "TLE", "WA", "small"),
        (["AC", "AC", "WA"], "TLE", "TLE", "small"),
        (["AC", "AC", "AC"], "OLE", "OLE", "small"),
        (["WA", "AC", "AC"], "FORBIDDEN_OP", "FORBIDDEN_OP", "small"),
        ([], "RTE", "RTE", "sample"),
        # After the last case there is no group left to die in but the last.
        (["AC"] * 6, "RTE", "RTE", "scale"),
    ],
)
def test_the_simplest_failing_group_decides(
    codes: list[str], death: str | None, verdict: str, group: str | None
) -> None:
    decision = decide(findings(codes, death))
    assert (decision.code, decision.group) == (verdict, group)


@pytest.mark.parametrize("code", ["CE", "RTE", "FORBIDDEN_OP", "TLE", "MLE"])
def test_a_file_that_cannot_be_loaded_fails_in_no_group(code: str) -> None:
    decision = decide(findings([], code, at_load=True))
    assert (decision.code, decision.group, decision.case) == (code, None, None)


@given(
    st.lists(st.sampled_from(CASE_CODES), max_size=6),
    st.none() | st.sampled_from(DEATHS),
    st.booleans(),
)
def test_nothing_that_failed_is_accepted(
    codes: list[str], death: str | None, at_load: bool
) -> None:
    found = findings(codes, death, at_load=at_load)
    decision = decide(found)
    failed = [code for code in codes if code != "AC"] + ([death] if death else [])
    assert (decision.code == "AC") == (not failed)
    assert decision.code in {*failed, "AC"}
    if death == "FORBIDDEN_OP":
        assert decision.code == death
    report = build_report(ORDER, found, Isolation.FULL, 1.0)
    assert report.verdict == decision.code
    assert (not report.failed_groups) == (decision.group is None and set(codes) <= {"AC"})
    json.dumps(plain(report), allow_nan=False)


def wrong(code: str = "WA", **more: Any) -> FoundWrong:
    found = {"code": Verdict(code), "aspect": None, "key": "out", "ratio": math.inf}
    return FoundWrong(**found | {"detail": {}, "raised": None} | more)


def test_a_report_is_json_and_clean_of_control_characters() -> None:
    found = findings(["WA"])
    detail = {"en": "a\x1b[2Jb", "zh": "x" * 5000}
    raised = {"type": "\x07", "message": "m" * 9000, "line": "7", "text": None}
    found.details[0] = (wrong(detail=detail, raised=raised),)
    report = build_report(ORDER, found, Isolation.FULL, 1.0)
    assert report.detail == Words(en="a[2Jb", zh="x" * 2000)
    assert report.error is not None
    assert report.error.type == ""
    assert len(report.error.message) == 2000
    assert report.error.line is None
    json.dumps(plain(report), allow_nan=False)


def test_a_fault_of_ours_is_never_a_wrong_answer() -> None:
    report = internal_error(ORDER, "the reference \x1b died " + "x" * 9000, Isolation.FULL)
    assert report.verdict is Verdict.IE
    assert report.cases == ()
    assert report.detail is not None
    assert len(report.detail.en) < 1000
    assert "\x1b" not in report.detail.en


def test_a_fault_of_ours_earns_no_subtask() -> None:
    parted = shipped_bank().get("49")
    order = replace(ORDER, assignment=assignment_of(parted))
    assert parted.spec.subtasks
    assert internal_error(order, "it died", Isolation.FULL).subtasks == ()
    assert build_report(order, Findings(), Isolation.FULL, 1.0).subtasks == ()


def test_an_interrupted_submission_says_how_often_and_blames_nobody() -> None:
    report = interrupted_report("07", 2)
    assert (report.problem, report.verdict, report.isolation) == ("07", "IE", "none")
    assert report.detail is not None
    assert "2" in report.detail.en
    assert "2" in report.detail.zh


def test_a_fault_of_ours_keeps_the_first_and_the_last_line_of_an_exception() -> None:
    frames = "".join(f'  File "judge.py", line {number}, in call\n' for number in range(99))
    reason = f"the sandbox failed: Traceback:\n{frames}PermissionError: no close_range"
    report = internal_error(ORDER, reason, Isolation.FULL)
    assert report.detail is not None
    for said in (report.detail.en, report.detail.zh):
        assert "the sandbox failed: Traceback:" in said
        assert "PermissionError: no close_range" in said


def test_numbers_that_json_lacks_are_spelt() -> None:
    def row(ratio: float | None) -> WrongRow:
        actual, worst = (
            ValuePreview(text="a\x00b"),
            FarthestOff(index=(0,), ulp=math.nan, relative=math.inf),
        )
        found = {"name": "out", "expected": None, "actual": actual, "worst": worst}
        return WrongRow(**msgspec.structs.asdict(wrong(ratio=ratio)) | found)

    shown = smallest_of(
        SmallestFailure(
            group="sample",
            index=0,
            regime={},
            inputs=(ShownInput(name="x", preview=ValuePreview(text="\x1b")),),
            rows=(row(math.inf), row(None), row(2.5)),
        )
    )
    assert [each.ratio for each in shown.rows] == ["inf", "inf", 2.5]
    first = shown.rows[0]
    assert first.actual == ValuePreview(text="ab")
    assert first.worst is not None
    assert (first.worst.ulp, first.worst.relative) == ("inf", "inf")
    assert shown.inputs[0].preview == ValuePreview(text="")
    json.dumps(plain(shown), allow_nan=False)


def test_the_detail_is_that_of_what_decided() -> None:
    words = {"en": "late", "zh": "超时"}, {"en": "wild", "zh": "越界"}
    findings = Findings(plan=[("sample", 0)])
    findings.cases.append(make_case(code="OOB", ratio=None))
    findings.details[0] = tuple(
        wrong(code, detail=each) for code, each in zip(("TLE", "OOB"), words, strict=True)
    )
    report = build_report(ORDER, findings, Isolation.FULL, 1.0)
    assert (report.verdict, report.detail) == (Verdict.OOB, Words(**words[1]))


def test_saved_bytes_are_the_sum_over_the_cases_of_an_accepted_program() -> None:
    saved = [SavedFound(num_bytes=3, argument_bytes=10), SavedFound(num_bytes=4, argument_bytes=20)]
    for codes, wanted in (
        (["AC"], SavedBytes(num_bytes=7, argument_bytes=30)),
        (["WA"], None),
    ):
        found = replace(findings(codes), saved=saved)
        assert build_report(ORDER, found, Isolation.FULL, 1.0).saved == wanted
    assert build_report(ORDER, findings(["AC"]), Isolation.FULL, 1.0).saved is None
