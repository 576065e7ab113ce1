"""Name what was misunderstood.

Find the wrong variant of the bank whose answers are the learner's.
"""

from __future__ import annotations

import contextlib
import io
import math
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import torch

from torchstone.judge.child import driver
from torchstone.judge.child.submission import LoadError, load, load_probe
from torchstone.judge.kit import (
    Case,
    Expected,
    Grade,
    OneOf,
    ProblemCode,
    Product,
    Want,
    grade,
    merge_answers,
)
from torchstone.judge.kit.grade import equal
from torchstone.judge.kit.problem import Planned

# Cases beyond this many elements are passed over: a variant may be slow on purpose.
SMALL = 20_000
VARIANT_SECONDS = 0.5
# Two wrong answers are alike when they agree much better than right and wrong differ.
RELATIVE = 1e-4


@dataclass(frozen=True, slots=True)
class Misconception:
    """Name a variant and say on how many cases the learner's answers equal its answers."""

    name: str
    num_cases: int


class JudgedCase(Protocol):
    """What is known of a case that was judged."""

    planned: Planned
    case: Case
    answer: dict[str, Any]
    grade: Grade


class _TooSlow(Exception):
    """End a variant that takes too long."""


def find_misconception(
    code: ProblemCode, names: list[str], judged: list[JudgedCase]
) -> Misconception | None:
    """Find the variant that equals the learner on every case where both are wrong, two at least.

    Of several, the one whose wrong cases are most nearly the learner's own; then the rarest, the
    one that is wrong least often. A variant that is wrong on many cases where the learner is right
    is somebody else's mistake: when fewer than half of the cases are common, nothing is told.
    Never guess.
    """
    small = [each for each in judged if num_elements(each.case) <= SMALL and each.answer]
    wrong = {each.planned.index for each in small if each.grade.findings}
    if len(wrong) < 2:
        return None
    probe_source = code.folder / "probe.py"
    ranked: list[tuple[float, int, str, int]] = []
    for path in sorted((code.folder / "wrong").glob("*.py")):
        variant_wrong, alike_on = _compare(path, probe_source, names, code, small, wrong)
        common = wrong & variant_wrong
        if len(common) < 2 or alike_on != common:
            continue
        shared = len(common) / len(wrong | variant_wrong)
        if shared >= 0.5:
            ranked.append((-shared, len(variant_wrong), path.stem, len(common)))
    if not ranked:
        return None
    _, _, name, num_cases = min(ranked)
    return Misconception(name, num_cases)


def num_elements(case: Case) -> int:
    """Count the tensor elements of all requests of a case."""
    shapes = [shape for step in case.steps for shape in _shapes(step.data)]
    return sum(map(math.prod, shapes))


def copy_tree(tree: Any) -> Any:
    """Copy a request as the wire would: every tensor owns fresh memory of the same layout."""
    if isinstance(tree, torch.Tensor):
        storage = tree.untyped_storage().clone()  # type: ignore[no-untyped-call]
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


def _compare(
    path: Path,
    probe: Path,
    names: list[str],
    code: ProblemCode,
    small: list[JudgedCase],
    wrong: set[int],
) -> tuple[set[int], set[int]]:
    """Return the cases on which the variant is wrong.

    And those on which it is wrong exactly like the learner.
    """
    variant_wrong: set[int] = set()
    alike_on: set[int] = set()
    with _limited(VARIANT_SECONDS) as clock, contextlib.redirect_stdout(io.StringIO()):
        try:
            variant = load(path.read_text(encoding="utf-8"), names)
        except LoadError:
            return set(), set()
        probe_function = load_probe(probe.read_text(encoding="utf-8") if probe.exists() else "")
        session = driver.Session()
        for each in small:
            steps = each.case.steps
            answers = [
                driver.answer(variant, s.op, copy_tree(s.data), session, probe_function)
                for s in steps
            ]
            if clock.is_over:
                break  # the driver turned the alarm into an answer
            merged = merge_answers(answers)
            expected = code.expect(each.case)
            if not grade(expected, merged).findings:
                continue
            index = each.planned.index
            variant_wrong.add(index)
            if index in wrong and alike(expected, each.answer, merged):
                alike_on.add(index)
    return variant_wrong, alike_on


def alike(expected: Expected, a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Tell whether two answers say the same, tensors within tolerance, everything else exactly."""
    if set(a) != set(b):
        return False
    wants = dict(_wants(expected))
    return all(_alike(wants.get(key), a[key], b[key]) for key in a)


def _alike(want: Want | None, a: Any, b: Any) -> bool:
    if isinstance(a, dict) and isinstance(b, dict) and "type" in a:
        return bool(a["type"] == b.get("type"))
    if isinstance(a, dict) and isinstance(b, dict) and "detail" in a:
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
    """Give the shapes of the tensors in nested lists, tuples and dicts."""
    if isinstance(tree, torch.Tensor):
        yield tree.shape
    elif isinstance(tree, Product):
        yield torch.broadcast_shapes(tree.left.shape, tree.right.shape)  # type: ignore[no-untyped-call]
    elif isinstance(tree, dict):
        for item in tree.values():
            yield from _shapes(item)
    elif isinstance(tree, (list, tuple)):
        for item in tree:
            yield from _shapes(item)


class _Clock:
    is_over = False


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[_Clock]:
    """Give up the block, with what it found so far, after some seconds."""
    clock = _Clock()

    def stop(*_: object) -> None:
        clock.is_over = True
        raise _TooSlow

    old = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield clock
    except _TooSlow:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
