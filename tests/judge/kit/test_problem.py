"""The code of a problem is loaded by path, and a seed decides its whole plan."""

from pathlib import Path

import pytest

from torchstone.judge.kit import load_code, shrink

pytestmark = pytest.mark.torch

CASES = """
from torchstone.judge.kit import Case, call
GROUPS = ("sample", "scale")
def plan(group, draw):
    return [{"n": draw.integer(1, 1000)} for _ in range(2)]
def build(group, params, draw):
    return Case(steps=(call("f", draw.normal((params["n"],))),))
"""
ORACLE = "def expect(case):\n    return {}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cases.py").write_text(CASES)
    (tmp_path / "oracle.py").write_text(ORACLE)
    return tmp_path


def test_the_same_seed_plans_the_same_cases(folder: Path) -> None:
    code = load_code(folder)
    assert code.plan(1) == load_code(folder).plan(1)
    assert code.plan(1) != code.plan(2)
    assert [each.group for each in code.plan(1)] == ["sample", "sample", "scale", "scale"]
    assert [each.index for each in code.plan(1)] == [0, 1, 2, 3]
    assert len({each.seed for each in code.plan(1)}) == 4


def test_a_group_alone_has_the_cases_that_it_has_among_others(folder: Path) -> None:
    code = load_code(folder)
    whole = [(each.params, each.seed) for each in code.plan(1) if each.group == "scale"]
    assert [(each.params, each.seed) for each in code.plan(1, ["scale", "unknown"])] == whole


def test_a_planned_case_is_built_the_same_each_time(folder: Path) -> None:
    code = load_code(folder)
    (planned, *_) = code.plan(3)
    first, again = (code.build(planned).steps[0].data["args"][0] for _ in range(2))
    assert first.equal(again)


def test_what_a_problem_does_not_define_has_a_default(folder: Path) -> None:
    code = load_code(folder)
    assert code.builtin is None
    assert code.shrink is shrink


def test_problems_do_not_share_a_module(folder: Path) -> None:
    first, second = load_code(folder), load_code(folder)
    assert first.draw_plan is not second.draw_plan
