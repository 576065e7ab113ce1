"""Misconception search: which wrong variant explains a failure.

Find the wrong variant of the bank whose answers are the learner's.
"""

from __future__ import annotations

import contextlib
import io
import math
import signal
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from torchstone.core.patch import read_program
from torchstone.judge.child import driver
from torchstone.judge.child.records import Answer
from torchstone.judge.child.submission import LoadError, load, load_probe
from torchstone.judge.kit import (
    Case,
    Expected,
    OneOf,
    ProblemCode,
    Product,
    Want,
    grade,
    merge_answers,
)
from torchstone.judge.kit.grade import equal
from torchstone.judge.kit.native import kinds_found
from torchstone.judge.reference.trials import JudgedCase

# Cases beyond this many elements are passed over: a variant may be slow on purpose.
SMALL = 20_000
# What all answers of a variant may take of the processor's time: other work of the machine is not
# charged to it. One that only waits is ended by the clock on the wall.
VARIANT_CPU_SECONDS = 0.5
VARIANT_WALL_SECONDS = 5.0
# Two wrong answers are alike when they agree much better than right and wrong differ.
RELATIVE = 1e-4


@dataclass(frozen=True, slots=True)
class Misconception:
    """Name a variant and say on how many cases the learner's answers equal its answers."""

    name: str
    num_cases: int


class Comparison:
    """Compare the learner's wrong answers with those of wrong variants.

    A variant is reported if it equals the learner on every case where both are wrong, and if there
    are at least two. Of several variants, the report names the one whose wrong cases are closest to
    the learner's; then the one that is wrong least often. A variant that is wrong on many cases
    where the learner is right is another mistake: when fewer than half of the cases are common,
    nothing is reported.
    """

    def __init__(self, code: ProblemCode, judged: Iterable[JudgedCase]) -> None:
        """Take what is known of the learner's answers."""
        self.code = code
        self.small = [each for each in judged if num_elements(each.case) <= SMALL and each.answer]
        self._wrong = {each.planned.index for each in self.small if each.grade.findings}
        self._ranked: list[tuple[float, int, str, int]] = []

    @property
    def can_tell(self) -> bool:
        """Return whether there are enough wrong cases to compare."""
        return len(self._wrong) >= 2

    def add(self, name: str, answers: Iterable[tuple[JudgedCase, Answer]]) -> None:
        """Take what a variant answers to some of the small cases, one after the other."""
        variant_wrong: set[int] = set()
        alike_on: set[int] = set()
        for each, answer in answers:
            expected = self.code.expect(each.case)
            if not grade(expected, answer).findings:
                continue
            index = each.planned.index
            variant_wrong.add(index)
            if index in self._wrong and alike(expected, each.answer, answer):
                alike_on.add(index)
        common = self._wrong & variant_wrong
        if len(common) < 2 or alike_on != common:
            return
        shared = len(common) / len(self._wrong | variant_wrong)
        if shared >= 0.5:
            self._ranked.append((-shared, len(variant_wrong), name, len(common)))

    def best(self) -> Misconception | None:
        """Name the variant, if there is one."""
        if not self._ranked:
            return None
        _, _, name, num_cases = min(self._ranked)
        return Misconception(name, num_cases)


def find_misconception(
    code: ProblemCode, names: list[str], judged: Iterable[JudgedCase]
) -> Misconception | None:
    """Compare with every wrong variant in Python; they are run here."""
    comparison = Comparison(code, judged)
    for path in sorted((code.folder / "wrong").glob("*.py")) if comparison.can_tell else ():
        comparison.add(path.stem, _run_variant(path, names, comparison))
    return comparison.best()


def num_elements(case: Case) -> int:
    """Count the tensor elements of all requests of a case."""
    shapes = [shape for step in case.steps for shape in _shapes(step.data)]
    return sum(map(math.prod, shapes))


def copy_tree(tree: Any) -> Any:
    """Copy a request as the wire would: every tensor owns fresh memory of the same layout."""
    if isinstance(tree, torch.Tensor):
        storage = tree.untyped_storage().clone()
        return torch.empty(0, dtype=tree.dtype).set_(
            storage, tree.storage_offset(), tree.shape, tree.stride()
        )
    if isinstance(tree, Product):
        return copy_tree(tree.left) * copy_tree(tree.right)
    if isinstance(tree, dict):
        return {key: copy_tree(item) for key, item in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree)(copy_tree(item) for item in tree)
    return tree


def _run_variant(
    path: Path, names: list[str], comparison: Comparison
) -> Iterator[tuple[JudgedCase, Answer]]:
    """Yield what a variant answers to each small case, as long as it has time."""
    probe = comparison.code.folder / "probe.py"
    allowance = _Allowance(VARIANT_CPU_SECONDS, VARIANT_WALL_SECONDS)
    try:
        with allowance.spent_here():
            variant = load(read_program(comparison.code.folder, f"wrong/{path.name}"), names)
            probe_function = load_probe(probe.read_text(encoding="utf-8") if probe.exists() else "")
        session = driver.Session()
        for each in comparison.small:
            with allowance.spent_here():
                answers = [
                    driver.answer(variant, s.op, copy_tree(s.data), session, probe_function)
                    for s in each.case.steps
                ]
            if allowance.is_spent:
                return  # the driver turned the signal into an answer
            yield each, merge_answers(answers)
    except (LoadError, _TooSlow):
        return


def alike(expected: Expected, a: Answer, b: Answer) -> bool:
    """Return whether two answers are equal, tensors within tolerance, everything else exactly."""
    # Counts differ with the program, not with its mistake.
    keys = {key for key in a if not key.endswith(":counters")}
    if keys != {key for key in b if not key.endswith(":counters")}:
        return False
    wants = dict(_wants(expected))
    return all(
        kinds_found(a[key]) == kinds_found(b[key])
        if key.endswith(":findings")
        else _alike(wants.get(key), a[key], b[key])
        for key in keys
    )


def _alike(want: Want | None, a: Any, b: Any) -> bool:
    if isinstance(a, dict) and isinstance(b, dict) and "type" in a:
        return bool(a["type"] == b.get("type"))
    if isinstance(a, dict) and isinstance(b, dict) and "key" in a:
        return bool(a == b)
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
        return equal(a, b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    left, right = a.double(), b.double()
    limit = RELATIVE * left.abs()
    if want is not None and want.value.shape == a.shape:
        limit = limit + 2 * torch.as_tensor(want.bound, dtype=torch.float64)
    same = (left == right) | (left.isnan() & right.isnan())
    return bool((same | ((left - right).abs() <= limit)).all())


def _wants(expected: Expected) -> Iterator[tuple[str, Want]]:
    for key, item in expected.items():
        if isinstance(item, Want):
            yield key, item
        elif isinstance(item, OneOf):
            for option in item.options:
                yield from _wants(option)


def _shapes(tree: Any) -> Iterator[Sequence[int]]:
    """Return the shapes of the tensors in nested lists, tuples and dicts."""
    if isinstance(tree, torch.Tensor):
        yield tree.shape
    elif isinstance(tree, Product):
        yield torch.broadcast_shapes(tree.left.shape, tree.right.shape)
    elif isinstance(tree, dict):
        for item in tree.values():
            yield from _shapes(item)
    elif isinstance(tree, (list, tuple)):
        for item in tree:
            yield from _shapes(item)


class _TooSlow(Exception):
    """End a variant that takes too long."""


class _Allowance:
    """Hold the time that a variant has left; only what it runs itself takes from it.

    Attributes:
        is_spent: It ran out; what was running was broken off, wherever it stood.
    """

    def __init__(self, cpu_seconds: float, wall_seconds: float) -> None:
        self.is_spent = False
        self._left = {signal.ITIMER_PROF: cpu_seconds, signal.ITIMER_REAL: wall_seconds}

    @contextlib.contextmanager
    def spent_here(self) -> Iterator[None]:
        """Let the block run on what is left, without a word of what it prints.

        Raises:
            _TooSlow: It ran out inside, and the block let the exception pass.
        """
        old = {which: signal.signal(which, self._end) for which in (signal.SIGPROF, signal.SIGALRM)}
        try:
            for timer, seconds in self._left.items():
                signal.setitimer(timer, seconds)
            with contextlib.redirect_stdout(io.StringIO()):
                yield
        finally:
            for timer in self._left:
                # A timer that is set to nothing is off.
                self._left[timer] = max(signal.setitimer(timer, 0)[0], 1e-3)
            for which, handler in old.items():
                signal.signal(which, handler)

    def _end(self, *_: object) -> None:
        if self.is_spent:
            return
        self.is_spent = True
        raise _TooSlow
