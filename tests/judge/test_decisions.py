"""What follows from a verdict that no other test asserts: groups, counts, stars, bans."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.judge.test_report import ORDER, findings
from tests.shipped import shipped_bank
from torchstone.bank import Problem
from torchstone.bank.schema import Deny, Extension, Kind, Limits, Subtask, Words
from torchstone.core.isolation import Isolation
from torchstone.judge.assignment import assignment_of
from torchstone.judge.messages import Forbidden, Star
from torchstone.judge.messages import Words as Said
from torchstone.judge.order import Assignment, Native, Order
from torchstone.judge.outcomes import (
    LINE_CAP,
    clean_error,
    forbidden_outcome,
    forbidden_report,
)
from torchstone.judge.pool.payload import bans_of
from torchstone.judge.pool.submission_process import EVERY_OPERATOR, RECORDING, Mode
from torchstone.judge.report import build_report, decide

pytestmark = pytest.mark.pure

NATIVE = Native(contract="", launcher="", calls=())
STARS = (Star(name="coalesced", words=Said(en="e", zh="z"), came=1.0, most=2.0, earned=True),)


@pytest.mark.parametrize(
    ("num_answered", "group"),
    [(0, "sample"), (1, "sample"), (2, "small"), (3, "small"), (4, "scale"), (5, "scale")],
)
def test_a_process_dies_in_the_group_of_the_case_that_it_has_not_answered(
    num_answered: int, group: str
) -> None:
    decision = decide(findings(["AC"] * num_answered, "RTE"))
    assert (decision.code, decision.group) == ("RTE", group)


@pytest.mark.parametrize("num_answered", [0, 2, 6])
def test_every_case_of_the_plan_is_counted_however_few_were_answered(num_answered: int) -> None:
    death = "TLE" if num_answered < 6 else None
    report = build_report(ORDER, findings(["AC"] * num_answered, death), Isolation.FULL, 1.0)
    assert (report.planned, len(report.cases)) == (6, num_answered)


@pytest.mark.parametrize(
    ("codes", "stars"),
    [(["AC"] * 6, STARS), (["AC"] * 5 + ["WA"], ()), (["AC"] * 5 + ["SLOW"], ())],
)
def test_stars_are_for_an_accepted_kernel(codes: list[str], stars: tuple[Star, ...]) -> None:
    found = findings(codes)
    found.stars = list(STARS)
    order: Order = replace(ORDER, assignment=replace(ORDER.assignment, recipe=NATIVE))
    native = build_report(order, found, Isolation.FULL, 1.0).native
    assert native is not None
    assert native.stars == stars


DENY = Deny(
    families=("softmax", RECORDING, EVERY_OPERATOR),
    forward_only=("softmax",),
    functions=("torch.softmax",),
    modules=("scipy",),
)


def assignment(recipe: Any = None) -> Assignment:
    return Assignment(
        problem_id="01",
        folder=Path("/"),
        kind=Kind.FUNCTION,
        names=("f",),
        limits=Limits(),
        deny=DENY,
        probe="",
        content_hash="",
        recipe=recipe,
    )


@pytest.mark.parametrize(
    ("mode", "families"),
    [
        (Mode.PLAIN, ["softmax", RECORDING, EVERY_OPERATOR]),
        (Mode.BARE, ["softmax", RECORDING, EVERY_OPERATOR]),
        (Mode.RECORDING, ["softmax", EVERY_OPERATOR]),
    ],
)
def test_a_process_that_may_record_is_freed_of_that_one_ban(
    mode: Mode, families: list[str]
) -> None:
    assert bans_of(assignment(), mode) == {
        "families": families,
        "forward_only": ["softmax"],
        "functions": ["torch.softmax"],
        "modules": ["scipy"],
    }


def test_only_the_process_that_examines_operators_is_free_of_the_bans() -> None:
    extension = Extension(namespace="ours")
    bans = {"families": list(DENY.families), "modules": ["scipy"], "closes": False}
    assert bans_of(assignment(extension), Mode.PLAIN) == bans
    assert bans_of(assignment(extension), Mode.RECORDING) == bans
    assert bans_of(assignment(extension), Mode.FREE) == {"closes": False, "examines": True}
    assert bans_of(assignment(NATIVE), Mode.FAST) is None


@pytest.mark.parametrize("problem", list(shipped_bank()), ids=lambda each: each.id)
def test_imports_are_limited_where_the_bans_close_what_is_not_listed(problem: Problem) -> None:
    bans = bans_of(assignment_of(problem), Mode.PLAIN) or {}
    closes = bans.get("closes", True) and bans.get("surface", True)
    closes = closes and bool(bans.get("families") or bans.get("functions"))
    assert problem.spec.limits_imports == closes


def subtask(name: str, *groups: str) -> Subtask:
    return Subtask(name=name, points=10, title=Words(en=name, zh="部分"), groups=groups)


SUBTASKS = (subtask("easy", "sample", "small"), subtask("hard", "scale"))


@pytest.mark.parametrize(
    ("codes", "earned"),
    [
        (["AC"] * 6, [True, True]),
        # One wrong case costs the part.
        (["AC", "AC", "WA", "AC", "AC", "AC"], [False, True]),
        # Nor is a part right whose last case was not answered.
        (["AC"] * 5, [True, False]),
        ([], [False, False]),
    ],
)
def test_a_part_is_earned_by_all_of_its_cases(codes: list[str], earned: list[bool]) -> None:
    order = replace(ORDER, assignment=replace(ORDER.assignment, subtasks=SUBTASKS))
    death = "TLE" if len(codes) < 6 else None
    report = build_report(order, findings(codes, death), Isolation.FULL, 1.0)
    assert [each.earned for each in report.subtasks] == earned
    some = replace(order, groups=("sample",))
    assert build_report(some, findings(codes, death), Isolation.FULL, 1.0).subtasks == ()
    loaded = findings([], "RTE", at_load=True)
    assert build_report(order, loaded, Isolation.FULL, 1.0).subtasks == ()


@pytest.mark.parametrize(("line", "text"), [(1, "first"), (2, "second"), (3, "")])
def test_a_broken_ban_shows_its_line(line: int, text: str) -> None:
    found = findings([], "FORBIDDEN_OP", at_load=True)
    assert found.outcome is not None
    found.outcome.forbidden = Forbidden(operator="aten::exp", line=line, text="")
    order = replace(ORDER, source="first\n  second\n")
    forbidden = build_report(order, found, Isolation.FULL, 1.0).forbidden
    assert forbidden == Forbidden(operator="aten::exp", line=line, text=text)


@pytest.mark.parametrize("line", [0, -1, True, 1.0, "7", None, LINE_CAP])
def test_what_is_no_number_of_a_line_is_none(line: object) -> None:
    error = clean_error({"line": line})
    assert error is not None
    assert error.line is None


@pytest.mark.parametrize("line", [1, LINE_CAP - 1])
def test_the_number_of_a_line_is_kept(line: int) -> None:
    error = clean_error({"line": line})
    assert error is not None
    assert error.line == line


def test_the_name_of_a_broken_ban_is_printable_and_short() -> None:
    report = forbidden_report(json.dumps({"operator": "a\x1b[2J" + "b" * 500}).encode())
    assert report is not None
    assert report.operator == "a[2J" + "b" * 116


@pytest.mark.parametrize(
    ("name", "is_of_problem"),
    [("import scipy", True), ("import scipy.linalg", True), ("import scipyx", False)],
)
def test_a_module_is_banned_with_what_is_inside_it(name: str, is_of_problem: bool) -> None:
    theirs = forbidden_outcome(Forbidden(operator=name, line=None, text=""), DENY).detail
    of_problem = forbidden_outcome(Forbidden(operator="torch.exp", line=None, text=""), DENY).detail
    is_same = theirs["en"].replace(name, "torch.exp") == of_problem["en"]
    assert is_same == is_of_problem
