"""The code of a problem is loaded by path, and a seed decides its whole plan."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from torchstone.judge.kit import ProblemCode, load_code, shrink
from torchstone.judge.kit.problem import Planned

pytestmark = pytest.mark.torch

CASES = """
from torchstone.judge.kit import Case, call
GROUPS = ("sample", "scale")
def plan(group, draw):
    return [{"n": draw.integer(1, 1000)} for _ in range(2)]
def build(group, params, draw):
    return Case(steps=(call("f", draw.normal((params["n"],))),))
"""
ORACLE = "def expect(case):\n    return {'out': None, 'grad.0': None}\n"


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
    assert code.builtin(code.build(code.plan(1)[0])) == {}
    assert code.shrink_params is shrink


def test_problems_do_not_share_a_module(folder: Path) -> None:
    first, second = load_code(folder), load_code(folder)
    assert first.draw_plan is not second.draw_plan


def test_cases_that_are_put_together_are_those_that_they_would_be_alone(folder: Path) -> None:
    code = load_code(folder)
    (alone, *_) = code.plan(1)
    parts = {"first": alone.params, "second": alone.params}
    planned = replace(alone, params={"parts": parts})
    case = code.build(planned)
    xs = [case.parts[name].steps[0].data["args"][0] for name in parts]
    assert not xs[0].equal(xs[1]), "each is drawn for itself"
    assert all(x.equal(y) for x, y in zip(xs, drawn_again(code, planned), strict=True))
    expected = code.expect(case)
    keys = list(code.expect_case(case.parts["first"]))
    assert list(expected) == [f"{name}:{key}" for name in parts for key in keys]
    assert list(code.shrink(planned.params)) == [alone.params, alone.params]


def drawn_again(code: ProblemCode, planned: Planned) -> list[torch.Tensor]:
    again = code.build(planned)
    return [part.steps[0].data["args"][0] for part in again.parts.values()]


def test_a_call_that_is_made_again_is_expected_with_both_values(tmp_path: Path) -> None:
    (tmp_path / "cases.py").write_text(
        CASES.replace('{"n": draw.integer(1, 1000)}', '{"n": 4, "again": True}')
        .replace(
            "return Case(steps=",
            "x = draw.normal((params['n'],))\n    return Case(secret={'x': x}, steps=",
        )
        .replace('draw.normal((params["n"],))),))', "x),))")
    )
    (tmp_path / "oracle.py").write_text("def expect(case):\n    return {'out': case.secret['x']}\n")
    code = load_code(tmp_path)
    case = code.build(code.plan(1)[0])
    expected = code.expect(case)
    assert list(expected) == ["out", "again:out"]
    (step,) = case.steps
    assert expected["out"] is step.data["args"][0]
    assert torch.equal(expected["again:out"], step.data["again"][0])  # type: ignore[arg-type]
    assert not torch.equal(step.data["args"][0], step.data["again"][0])
    whole = replace(code.plan(1)[0], params={"parts": {"a": {"n": 2, "again": True}}})
    assert list(code.expect(code.build(whole))) == ["a:out", "a:again:out"]
