"""The verdict follows from what was found, whatever order it was found in."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.bank.schema import Deny, Kind, Limits
from torchstone.core.verdict import Verdict
from torchstone.judge.order import Assignment, CaseResult, Findings, Order, Outcome
from torchstone.judge.report import build_report, decide, internal_error, number_of_shown

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
        CaseResult(index=index, group=group, code=code, aspect=None, ratio=0.5, ms=1.0)
        for (group, index), code in zip(plan, codes, strict=False)
    ]
    outcome = Outcome(code=death, detail=WORDS, at_load=at_load) if death else None
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
    report = build_report(ORDER, found, "full", 1.0)
    assert report["verdict"] == decision.code
    assert (not report["failed_groups"]) == (decision.group is None and set(codes) <= {"AC"})
    json.dumps(report, allow_nan=False)


def test_a_report_is_json_and_clean_of_control_characters() -> None:
    found = findings(["WA"])
    found.cases[0].ratio = float("inf")
    found.details[0] = [
        {
            "detail": {"en": "a\x1b[2Jb", "zh": "x" * 5000},
            "raised": {"type": "\x07", "message": "m" * 9000, "line": "7", "text": None},
        }
    ]
    report = build_report(ORDER, found, "full", 1.0)
    assert report["cases"][0]["ratio"] == "inf"
    assert report["detail"] == {"en": "a[2Jb", "zh": "x" * 2000}
    assert report["error"]["type"] == ""
    assert len(report["error"]["message"]) == 2000
    assert report["error"]["line"] is None
    json.dumps(report, allow_nan=False)


def test_a_fault_of_ours_is_never_a_wrong_answer() -> None:
    report = internal_error(ORDER, "the reference \x1b died " + "x" * 9000, "full")
    assert report["verdict"] == Verdict.IE
    assert report["cases"] == []
    assert len(report["detail"]["en"]) < 1000
    assert "\x1b" not in report["detail"]["en"]


def test_a_fault_of_ours_keeps_the_first_and_the_last_line_of_an_exception() -> None:
    frames = "".join(f'  File "judge.py", line {number}, in call\n' for number in range(99))
    reason = f"the sandbox failed: Traceback:\n{frames}PermissionError: no close_range"
    report = internal_error(ORDER, reason, "full")
    for lang in ("en", "zh"):
        assert "the sandbox failed: Traceback:" in report["detail"][lang]
        assert "PermissionError: no close_range" in report["detail"][lang]


def test_numbers_that_json_lacks_are_spelt() -> None:
    def row(ratio: Any) -> dict[str, Any]:
        return {"ratio": ratio, "raised": None, "worst": None} | {
            "detail": None,
            "actual": {"text": "a\x00b"},
        }

    smallest: dict[str, Any] = {
        "inputs": [{"preview": {"text": "\x1b"}}],
        "rows": [row(float("inf")), row(None), row(2.5)],
    }
    shown = number_of_shown(smallest)
    assert [each["ratio"] for each in shown["rows"]] == ["inf", "inf", 2.5]
    assert shown["rows"][0]["actual"]["text"] == "ab"
    json.dumps(shown, allow_nan=False)


def test_the_detail_is_that_of_what_decided() -> None:
    words = {"en": "late", "zh": "超时"}, {"en": "wild", "zh": "越界"}
    findings = Findings(plan=[("sample", 0)])
    findings.cases.append(
        CaseResult(index=0, group="sample", code="OOB", aspect=None, ratio=None, ms=1.0)
    )
    findings.details[0] = [
        {"code": code, "detail": each, "raised": None}
        for code, each in zip(("TLE", "OOB"), words, strict=True)
    ]
    report = build_report(ORDER, findings, "full", 1.0)
    assert (report["verdict"], report["detail"]) == ("OOB", words[1])
