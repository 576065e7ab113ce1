"""A request that the reference answers itself is what the submission gets over the wire."""

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.judge.reference.problem_folder import CASES, PATCH, WRONG, write_problem
from torchstone.judge.child import driver
from torchstone.judge.child.loaders.submission import load, load_probe
from torchstone.judge.kit import Case, Expected, Grade, Product, call, grade, merge_answers
from torchstone.judge.kit.problem import Planned, ProblemCode, load_code
from torchstone.judge.proof.rehearsal import rehearse
from torchstone.judge.reference import misconception
from torchstone.judge.reference.misconception import (
    copy_tree,
    find_misconception,
)
from torchstone.judge.reference.variant_comparison import first_wrong, num_elements

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


@pytest.mark.full
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


def explained(code: ProblemCode, source: str, names: list[str]) -> Any:
    """Find the misconception behind a program."""
    program, session, judged = load(source, names), driver.Session(), []
    for planned in code.plan(3):
        case = code.build(planned)
        answer = merge_answers(
            [
                driver.answer(program, s.op, copy_tree(s.data), session, load_probe(""))
                for s in case.steps
            ]
        )
        judged.append(Judged(planned, case, answer, grade(code.expect(case), answer)))
    return find_misconception(code, names, judged)


def test_a_second_slip_elsewhere_does_not_hide_the_misconception(code: ProblemCode) -> None:
    slip = "def double(x):\n    return x * 3 if x.shape[0] != {n} else x * 3 - 1\n"
    last = code.build(code.plan(3)[-1]).secret["x"].shape[0]
    found = explained(code, slip.format(n=last), ["double"])
    assert found is not None
    assert found.name == "triple"


def test_a_misconception_has_several_programs(code: ProblemCode) -> None:
    (code.folder / "wrong/add_one.py").write_text("def double(x):\n    return x + x + 1\n")
    source = "def double(x):\n    return x + x + x.detach().abs()\n"
    assert explained(code, source, ["double"]) is None
    (code.folder / "wrong/add_one.2.py").write_text(
        "def double(x):\n    return x * 2 + x.abs().detach()\n"
    )
    found = explained(code, source, ["double"])
    assert (found.name, found.alternatives) == ("add_one", ())


def test_variants_that_cannot_be_told_apart_are_all_named(code: ProblemCode) -> None:
    (code.folder / "wrong/thrice.py").write_text("def double(x):\n    return x + 2 * x\n")
    found = explained(code, WRONG, ["double"])
    assert {found.name, *found.alternatives} == {"triple", "thrice"}


def test_another_mistake_of_the_same_group_is_not_named(code: ProblemCode) -> None:
    assert explained(code, "def double(x):\n    return x * 4\n", ["double"]) is None


POSITIVE = "import torch\ndef double(x):\n    return torch.where(x > 0, 3 * x, 2 * x)\n"


@pytest.fixture
def long_code(tmp_path: Path) -> ProblemCode:
    """Return a problem whose tensors have many elements."""
    many = CASES.replace("draw.integer(3, 9)", "draw.integer(40, 60)")
    return load_code(write_problem(tmp_path / "long", cases=many))


def test_a_part_of_a_mistake_is_named(long_code: ProblemCode) -> None:
    found = explained(long_code, POSITIVE, ["double"])
    assert (found.name, found.num_cases, found.case) == ("triple", 4, 0)


def test_a_small_part_of_a_mistake_is_not_named(long_code: ProblemCode) -> None:
    assert explained(long_code, POSITIVE.replace("> 0", "> 1.5"), ["double"]) is None


def test_more_than_a_part_of_a_mistake_is_not_named(long_code: ProblemCode) -> None:
    (long_code.folder / "wrong/triple.py").write_text(POSITIVE)
    slip = POSITIVE.replace("> 0, 3 * x, 2 * x", "> -0.2, 3 * x, 2 * x")
    assert explained(long_code, slip, ["double"]) is None


def test_a_part_of_two_mistakes_is_not_named(long_code: ProblemCode) -> None:
    other = POSITIVE.replace("2 * x", "4 * x")
    (long_code.folder / "wrong/other.py").write_text(other)
    assert explained(long_code, POSITIVE, ["double"]) is None


@pytest.mark.parametrize("number", ["0", "float('nan')", "float('inf')"])
def test_zeros_and_special_values_are_no_part_of_a_mistake(
    long_code: ProblemCode, number: str
) -> None:
    (long_code.folder / "wrong/triple.py").write_text(
        f"def double(x):\n    return x * 0 + {number}\n"
    )
    slip = POSITIVE.replace("3 * x", f"x * 0 + {number}")
    assert explained(long_code, slip, ["double"]) is None


@pytest.mark.parametrize("number", ["0", "float('nan')"])
def test_the_same_places_without_numbers_are_a_part_of_a_mistake(
    tmp_path: Path, number: str
) -> None:
    many = CASES.replace("range(2)", "range(6)").replace(
        "draw.integer(3, 9)", "draw.integer(9, 16)"
    )
    code = load_code(write_problem(tmp_path / "problem", cases=many))
    (code.folder / "wrong/triple.py").write_text(
        f"import torch\ndef double(x):\n    return torch.where(x > 0, 2 * x, {number})\n"
    )
    slip = (
        "import torch\ndef double(x):\n    y = x + x\n    if len(x) < 13:\n"
        f"        with torch.no_grad():\n            y[x <= 0] = {number}\n    return y\n"
    )
    assert explained(code, slip, ["double"]).name == "triple"
    # Of all elements nothing is known but that they are no numbers.
    (code.folder / "wrong/triple.py").write_text(
        f"def double(x):\n    return (x * 0).nan_to_num() + {number}\n"
    )
    assert explained(code, slip.replace("x <= 0", "x < 9"), ["double"]) is None


def test_the_program_of_a_mistake_that_has_the_part_counts(long_code: ProblemCode) -> None:
    source = "import torch\ndef double(x):\n    return 2 * x + torch.where(x > 0, {}, {})\n"
    first = source.replace("> 0", "> 0.5").format(1, 0)
    (long_code.folder / "wrong/add_one.py").write_text(first)
    (long_code.folder / "wrong/add_one.2.py").write_text(source.format(1, 1))
    (long_code.folder / "wrong/triple.py").unlink()
    slip = source.replace("> 0", "> 0.2").format(1, 0)
    found = explained(long_code, slip, ["double"])
    assert (found.name, found.num_cases) == ("add_one", 4)


ONE_CASE = """
from torchstone.judge.kit import Case, call
GROUPS = ("small", "large")
def plan(group, draw):
    return [{"n": 5}, {"n": 7}] if group == "small" else [{"n": 30_000}]
def build(group, params, draw):
    x, g = draw.normal((params["n"],)), draw.normal((params["n"],))
    step = call("double", x, wrt=[0], cotangents=[g])
    return Case(steps=(step,), secret={"x": x, "g": g})
"""


def test_what_fails_in_one_large_case_is_named(tmp_path: Path) -> None:
    code = load_code(write_problem(tmp_path / "problem", cases=ONE_CASE))
    (code.folder / "wrong/large.py").write_text(
        "def double(x):\n    return x * 2 if len(x) < 1000 else x * 2.5\n"
    )
    found = explained(
        code, "def double(x):\n    return x + x * (1 + (len(x) > 999) / 2)\n", ["double"]
    )
    assert (found.name, found.num_cases, found.case) == ("large", 1, 2)


RANDOM = """
import torch
from torchstone.judge.kit import Case, module_call
GROUPS = ("small",)
def plan(group, draw):
    return [{"n": 3}, {"n": 4}, {"n": 5}]
def build(group, params, draw):
    x = draw.normal((2, params["n"]))
    return Case(steps=(module_call("Layer", x, init=[params["n"]]),), secret={"x": x})
"""
ZEROS = """
import torch
from torchstone.judge.kit import Want
def expect(case):
    x = case.secret["x"].double()
    return {"out": Want(x * 0, 1e-6, torch.float32)}
"""
LAYER = """
import torch
class Layer(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = torch.nn.Parameter({draw})
    def forward(self, x):
        return (x @ self.weight).detach()
"""


def test_a_random_initial_state_is_the_same_for_both(tmp_path: Path) -> None:
    code = load_code(write_problem(tmp_path / "problem", cases=RANDOM, oracle=ZEROS))
    (code.folder / "wrong/triple.py").write_text(LAYER.format(draw="torch.rand(n, n)"))
    found = explained(code, LAYER.format(draw="torch.empty(n, n).uniform_()"), ["Layer"])
    assert found is not None
    assert found.num_cases == 3


LISTS = """
from torchstone.judge.kit import Case, Request
GROUPS = ("first", "small")
def plan(group, draw):
    return [{"n": 4}] if group == "first" else [{"n": n} for n in range(5, 11)]
def build(group, params, draw):
    return Case(steps=(Request(op="ask", data={"n": params["n"]}),), secret={"n": params["n"]})
"""
LISTED = """
from torchstone.judge.kit import Exact
def expect(case):
    n = case.secret["n"]
    return {"names": Exact([str(i) for i in range(n)]), "more": Exact([]), "size": Exact(1.1 * n)}
"""
ASKS = """
def probe(submission, op, data, tools):
    return submission.f(data["n"])
"""
PROGRAM = (
    "def f(n):\n    names, more, size = [str(i) for i in range(n)], [], 1.1 * n\n"
    "    {}\n    return {{'names': names, 'more': more, 'size': size}}\n"
)


def of_lists(tmp_path: Path, variant: str, learner: str) -> Any:
    """Find the misconception behind a program that answers with lists and a number."""
    code = load_code(write_problem(tmp_path / "problem", cases=LISTS, oracle=LISTED))
    (code.folder / "probe.py").write_text(ASKS)
    (code.folder / "wrong/triple.py").write_text(PROGRAM.format(variant))
    return find_misconception(code, ["f"], list(rehearse(code, PROGRAM.format(learner), ["f"], 3)))


def test_lists_of_several_entries_are_evidence(tmp_path: Path) -> None:
    variant = "names = ['', *names]; size += n == 9"
    found = of_lists(tmp_path, variant, "names.insert(0, ''); size += 2 * (n == 9)")
    assert (found.name, found.num_cases) == ("triple", 7)


def test_lists_of_complaints_are_no_evidence(tmp_path: Path) -> None:
    variant = "more = list('abcd'); size += n == 9"
    assert of_lists(tmp_path, variant, "more.extend('abcd'); size += 2 * (n == 9)") is None


def test_another_slip_in_the_deciding_group_hides_nothing(tmp_path: Path) -> None:
    variant = "size = size + (n > 4)"
    found = of_lists(tmp_path, variant, "size = 1.1 * n + (n > 4) + 0.01 * (n == 4)")
    assert (found.name, found.num_cases, found.case) == ("triple", 6, 1)
    assert [each.index for each in found.unexplained] == [0]


def test_less_than_three_quarters_outside_the_deciding_group_are_not_enough(
    tmp_path: Path,
) -> None:
    learner = "size = size + (n > 4) + 0.01 * (n in (4, 5, 6))"
    assert of_lists(tmp_path, "size = size + (n > 4)", learner) is None


def test_a_wrong_integer_without_dimensions_is_compared(tmp_path: Path) -> None:
    cases = CASES.replace(
        """    x, g = draw.normal((params["n"],)), draw.normal((params["n"],))
    step = call("double", x, wrt=[0], cotangents=[g])
    return Case(steps=(step,), secret={"x": x, "g": g})
""",
        """    import torch
    x = torch.tensor(params["n"])
    return Case(steps=(call("double", x),), secret={"x": x})
""",
    )
    oracle = """
import torch
from torchstone.judge.kit import Want
def expect(case):
    x = case.secret["x"]
    return {"out": Want(2 * x, torch.zeros(()), torch.int64)}
"""
    code = load_code(write_problem(tmp_path / "whole", cases=cases, oracle=oracle))
    assert explained(code, "def double(x):\n    return x * 3\n", ["double"]).name == "triple"
    assert explained(code, "def double(x):\n    return x * 5\n", ["double"]) is None


def test_of_the_wrong_cases_those_of_the_deciding_group_are_taken(code: ProblemCode) -> None:
    judged = tripled(code)
    wrong = [each for each in judged if each.grade.findings]
    group = wrong[0].planned.group
    inside = [each for each in wrong if each.planned.group == group]
    assert first_wrong(judged, len(inside)) == inside
    assert first_wrong(judged[::-1], 1) == wrong[:1]
    assert first_wrong(judged, 10_000) == wrong
