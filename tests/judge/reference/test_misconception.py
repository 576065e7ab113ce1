"""A request that the reference answers itself is what the submission gets over the wire."""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.judge.reference.problem_folder import PATCH, WRONG, write_problem
from torchstone.judge.child import driver
from torchstone.judge.child.submission import load, load_probe
from torchstone.judge.kit import Case, Expected, Grade, Product, call, grade, merge_answers
from torchstone.judge.kit.problem import Planned, ProblemCode, load_code
from torchstone.judge.reference import misconception
from torchstone.judge.reference.comparison import num_elements
from torchstone.judge.reference.misconception import (
    copy_tree,
    find_misconception,
)

pytestmark = pytest.mark.torch


@dataclass(frozen=True)
class Judged:
    planned: Planned
    case: Case
    answer: dict[str, Any]
    grade: Grade


def tripled(code: ProblemCode) -> list[Judged]:
    """Judge a learner who triples what was to be doubled."""
    program, session = load(WRONG, ["double"]), driver.Session()
    judged = []
    for planned in code.plan(3):
        case = code.build(planned)
        steps = [(step.op, copy_tree(step.data)) for step in case.steps]
        answer = merge_answers(
            [driver.answer(program, op, data, session, load_probe("")) for op, data in steps]
        )
        judged.append(Judged(planned, case, answer, grade(code.expect(case), answer)))
    return judged


def named(code: ProblemCode) -> tuple[str, int] | None:
    """Return the misconception behind tripling and its number of cases."""
    found = find_misconception(code, ["double"], tripled(code))
    return None if found is None else (found.name, found.num_cases)


@pytest.fixture
def code(tmp_path: Path) -> ProblemCode:
    return load_code(write_problem(tmp_path / "problem"))


def test_the_time_of_what_is_not_the_variant_is_not_its_own(
    code: ProblemCode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(misconception, "VARIANT_CPU_SECONDS", 0.3)
    monkeypatch.setattr(misconception, "VARIANT_WALL_SECONDS", 1.2)

    def expect_slowly(case: Case) -> Expected:
        until = time.monotonic() + 0.4
        while time.monotonic() < until:
            pass
        return code.expect_case(case)

    slow = replace(code, expect_case=expect_slowly)
    assert named(slow) == ("triple", 4)


def test_a_variant_that_is_a_patch_is_run_whole(code: ProblemCode) -> None:
    (code.folder / "wrong/triple.py").write_text(PATCH)
    assert named(code) == ("triple", 4)


@pytest.mark.parametrize("kind", ["computes", "waits", "is loaded"])
def test_a_variant_without_end_is_ended_and_the_next_is_compared(
    code: ProblemCode, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(misconception, "VARIANT_CPU_SECONDS", 0.1)
    monkeypatch.setattr(misconception, "VARIANT_WALL_SECONDS", 2.0 if kind == "waits" else 60.0)
    endless = {
        "computes": "def double(x):\n    while True:\n        pass\n",
        "waits": "import time\ndef double(x):\n    time.sleep(60)\n",
        "is loaded": "while True:\n    pass\n",
    }
    (code.folder / "wrong/a_first.py").write_text(endless[kind])
    begun = time.monotonic()
    assert named(code) == ("triple", 4)
    assert time.monotonic() - begun < 30


def test_a_copy_owns_its_memory_and_keeps_its_layout() -> None:
    x = torch.arange(6.0).view(2, 3).T
    copied = copy_tree({"args": [x, (x[1], "a")]})
    assert torch.equal(copied["args"][0], x)
    assert copied["args"][0].stride() == x.stride()
    copied["args"][1][0].zero_()
    assert x[1].tolist() == [1, 4]


def test_a_product_is_computed_as_on_the_wire_and_counts_whole() -> None:
    left, right = torch.tensor([[0.1], [3.0]]), torch.tensor([0.7, 1.3, 1e-3])
    assert torch.equal(copy_tree([Product(left, right)])[0], left * right)
    case = Case(steps=(call("f", Product(left, right), torch.zeros(4)),))
    assert num_elements(case) == 10
