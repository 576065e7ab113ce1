"""Of two mistakes in one program one is named and shown, and the other one is said as well."""

import functools
import itertools
import os
import resource
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch

from torchstone.bank.loader import CONTENT, load_problem
from torchstone.core.patch import read_program
from torchstone.judge.assignment import assignment_of
from torchstone.judge.child.answering import opaque_function
from torchstone.judge.child.bans import native_library
from torchstone.judge.child.protocol.records import Answer
from torchstone.judge.kit import Case, Grade, ProblemCode, grade, load_code
from torchstone.judge.native.build import library
from torchstone.judge.proof.rehearsal import rehearse
from torchstone.judge.reference import misconception, variant_comparison
from torchstone.judge.reference.matches import misconception_of
from torchstone.judge.reference.misconception import Variant, find_variant
from torchstone.judge.reference.smallest import Shrinking
from torchstone.judge.reference.variant_comparison import (
    Answered,
    Comparison,
    Misconception,
    shared_faults,
)

pytestmark = [
    pytest.mark.torch,
    pytest.mark.full,
    # Wrong answers may require a gradient; torch complains where an oracle looks at them.
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

SEED = 8
# A variant that takes longer is slow on purpose, and has no answers to compare.
SECONDS = 30
# Beyond what the process that forks has mapped.
BYTES = 4 << 30
# Each spoils nearly all that the other one does, and only kinds of faults are alike.
UNNAMED = {
    ("01", "ones_are_kept", "inplace_on_input"),
    ("04", "zeros_not_none", "requires_grad_left_on"),
    ("06", "hook_outlives_handle", "handles_forgotten"),
}
# A third mistake has the results of both together.
THIRD = {
    ("08", "detached_use", name) for name in ("equal_copy", "plain_attribute", "tie_in_forward")
}
THIRD |= {("08", name, "detached_use") for name in ("plain_attribute", "tie_in_forward")}


@dataclass(frozen=True, slots=True)
class Bank:
    """Hold what the wrong variants of a problem answer to all cases of one plan."""

    problem_id: str
    code: ProblemCode
    names: list[str]
    answered: dict[str, list[Answered]] = field(default_factory=dict)


@functools.cache
def bank(problem_id: str, scratch: Path) -> Bank:
    """Run every variant in a process of its own: some end it, or need too much."""
    (folder,) = CONTENT.glob(f"problems/{problem_id}_*")
    # Where no request has an opaque function, nothing has to be compiled.
    opaque_function.use(lambda: native_library.load(str(library())))
    code, names = load_code(folder), list(assignment_of(load_problem(folder)).names)
    found = Bank(problem_id, code, names)
    plan = code.plan(SEED)
    cases = [code.build(planned) for planned in plan]
    for path in sorted((folder / "wrong").glob("*.py")):
        program = read_program(folder, f"wrong/{path.name}")
        if any(limit in program.partition("\n")[0] for limit in ("TLE", "MLE")):
            continue
        answers = answers_of(code, program, names, scratch / f"{path.stem}.pt")
        if answers is not None:
            found.answered[path.stem] = [
                Answered(planned, case, answer, grade(code.expect(case), answer))
                for planned, case, answer in zip(plan, cases, answers, strict=True)
            ]
    return found


def answers_of(
    code: ProblemCode, program: str, names: list[str], file: Path
) -> list[Answer] | None:
    """Return what a program answers to all cases; None if its process ends before."""
    pid = os.fork()
    if not pid:
        try:
            torch.set_num_threads(1)
            torch.manual_seed(SEED)
            signal.alarm(SECONDS)
            limit = mapped_bytes() + BYTES
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            torch.save([each.answer for each in rehearse(code, program, names, SEED)], file)
            os._exit(0)
        finally:
            os._exit(1)
    is_whole = os.waitpid(pid, 0)[1] == 0
    return torch.load(file, weights_only=False) if is_whole else None


def mapped_bytes() -> int:
    """Return the size of the address space of this process in bytes."""
    num_pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return num_pages * resource.getpagesize()


def both(first: list[Answered], second: list[Answered]) -> list[Answered]:
    """Return the answers of a program that makes the second mistake where the first is right."""
    return [a if a.grade.findings else b for a, b in zip(first, second, strict=True)]


def explained(found: Bank, judged: list[Answered]) -> Misconception | None:
    """Find the misconception behind these answers; the variants have answered already."""
    comparison = Comparison(found.code, judged)
    for name, answered in found.answered.items():
        by_index = {each.planned.index: each.answer for each in answered}
        comparison.add(name, [(each, by_index[each.planned.index]) for each in comparison.small])
    return comparison.best()


def pairs(found: Bank) -> Iterator[tuple[str, str]]:
    """Yield every two variants that are different mistakes, in both orders."""
    for first, second in itertools.permutations(found.answered, 2):
        if misconception_of(first) != misconception_of(second):
            yield first, second


@pytest.fixture
def graded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remember the grades and the trials: each answer is in many programs."""
    kept: dict[tuple[Any, int, int], tuple[Answer, Any]] = {}

    def remember(function: Any) -> Any:
        def look(code: ProblemCode, judged: Any, answer: Answer | None = None) -> Any:
            answer = judged.answer if answer is None else answer
            key = (function, judged.planned.index, id(answer))
            if key not in kept:
                result = function(*(code, judged, answer)[: function.__code__.co_argcount])
                kept[key] = (answer, result if isinstance(result, Grade) else list(result))
            return kept[key][1]

        return look

    for name in ("split_case", "_grade"):
        monkeypatch.setattr(variant_comparison, name, remember(getattr(variant_comparison, name)))


@pytest.mark.parametrize("problem_id", [f"{number:02}" for number in range(1, 11)])
def test_of_two_mistakes_one_is_named_and_shown_and_the_other_is_said(
    problem_id: str, tmp_path_factory: pytest.TempPathFactory, graded_once: None
) -> None:
    found = bank(problem_id, tmp_path_factory.getbasetemp())
    unnamed, third = set(), set()
    for first, second in pairs(found):
        judged = both(found.answered[first], found.answered[second])
        told = explained(found, judged)
        if told is None:
            unnamed.add((problem_id, first, second))
            continue
        made = {misconception_of(first), misconception_of(second)}
        if not made & {told.name, *told.alternatives}:
            third.add((problem_id, first, second))
        # The case that is shown is wrong in the same way.
        shown = judged[told.case]
        variant = found.answered[told.program][told.case]
        assert told.keys <= shared_faults(found.code, shown, variant.answer), (first, second)
        assert told.keys
        # What neither explains is said to be something else.
        programs = [name for name in found.answered if misconception_of(name) == told.also]
        known = [found.answered[name] for name in (told.program, *programs)]
        small = {each.planned.index for each in Comparison(found.code, judged).small}
        silent = {
            each.planned.index
            for each in judged
            if each.planned.index in small
            and each.grade.findings
            and not any(other[each.planned.index].grade.findings for other in known)
        }
        assert silent <= {each.index for each in told.unexplained}, (first, second)
    assert unnamed == {each for each in UNNAMED if each[0] == problem_id}
    assert third == {each for each in THIRD if each[0] == problem_id}


@pytest.mark.parametrize("problem_id", [f"{number:02}" for number in range(1, 11)])
def test_the_smallest_case_of_two_mistakes_still_shows_the_named_one(
    problem_id: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    found = bank(problem_id, tmp_path_factory.getbasetemp())
    names = list(found.answered)
    # Each variant with the next one: to run two programs on all candidates takes time.
    for first, second in zip(names, [*names[1:], names[0]], strict=True):
        judged = both(found.answered[first], found.answered[second])
        told = explained(found, judged)
        if told is None:
            continue
        sides = [find_variant(found.code, found.names, name) for name in (first, second)]
        named = find_variant(found.code, found.names, told.program)
        shrinking = Shrinking(
            found.code, judged[told.case], budget=20, keys=told.keys, variant=named.answer
        )
        while (case := shrinking.propose()) is not None:
            answers = [answer for side in sides if (answer := wrong_answer(found, side, case))]
            shrinking.tried(answers[:1] or None)
        shown = Answered(shrinking._planned, shrinking._case, shrinking._answer, shrinking._grade)
        # With more time than a judge gives it: here it competes with other tests.
        again = Variant(
            found.code.folder, f"{told.program}.py", found.names, cpu_seconds=60.0
        ).answer(shown.case)
        assert again is not None
        row = shrinking.describe().rows[0]
        assert row.key in shared_faults(found.code, shown, again), (first, second)


def wrong_answer(found: Bank, side: misconception.Variant, case: Case) -> Answer | None:
    """Return a wrong answer of one step; None if it is right or there is none."""
    answer = side.answer(case)
    if (
        answer is None
        or len(case.steps) != 1
        or not grade(found.code.expect(case), answer).findings
    ):
        return None
    return answer
