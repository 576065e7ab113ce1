"""Misconception search: find the wrong variant of the bank with the learner's answers."""

from __future__ import annotations

import contextlib
import io
import signal
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import torch

from torchstone.core.patch import read_program
from torchstone.judge.child import driver
from torchstone.judge.child.loaders.submission import LoadError, load, load_probe
from torchstone.judge.child.protocol.records import Answer
from torchstone.judge.kit import (
    Case,
    ProblemCode,
    Product,
    merge_answers,
)
from torchstone.judge.reference.trials import JudgedCase
from torchstone.judge.reference.variant_comparison import Comparison, Misconception

# Limits for all answers of a variant. CPU time excludes other work of the machine; the wall-clock
# limit ends a variant that only waits, and leaves enough for a 40-fold overloaded machine.
VARIANT_CPU_SECONDS = 0.5
VARIANT_WALL_SECONDS = 20.0
# If only a large case of the deciding group is wrong, variants answer it too.
LARGE_CPU_SECONDS = 1.5


def find_misconception(
    code: ProblemCode, names: list[str], judged: Iterable[JudgedCase]
) -> Misconception | None:
    """Return the misconception that explains the answers, by running every wrong Python variant."""
    comparison = Comparison(code, judged)
    for path in sorted((code.folder / "wrong").glob("*.py")) if comparison.can_tell else ():
        comparison.add(path.stem, _run_variant(path, names, comparison))
    return comparison.best()


def find_variant(code: ProblemCode, names: list[str], program: str) -> Variant:
    """Return a wrong Python variant by its file name without the suffix, to run it again."""
    return Variant(code.folder, f"{program}.py", names, cpu_seconds=LARGE_CPU_SECONDS)


def copy_tree(tree: Any) -> Any:
    """Copy a request as the wire does: every tensor owns new memory of the same layout."""
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
    """Yield a variant's answer to each small case, within its time limit."""
    cpu_seconds = LARGE_CPU_SECONDS if comparison.has_large else VARIANT_CPU_SECONDS
    variant = Variant(comparison.code.folder, path.name, names, cpu_seconds=cpu_seconds)
    for each in comparison.small:
        answer = variant.answer(each.case)
        if answer is None:
            return
        yield each, answer


class Variant:
    """A wrong Python variant, run within a time limit."""

    def __init__(self, folder: Path, file: str, names: list[str], *, cpu_seconds: float) -> None:
        """Store the parameters; loading the file counts towards the time limit."""
        self._folder, self._file, self._names = folder, file, names
        self._allowance = _Allowance(cpu_seconds, VARIANT_WALL_SECONDS)
        self._session = driver.Session()
        self._loaded: tuple[Any, Any] | None = None

    def answer(self, case: Case) -> Answer | None:
        """Return its answer; None if it cannot be loaded or its time is over."""
        if self._allowance.is_spent:
            return None
        try:
            with self._allowance.spent_here():
                program, probe = self._loaded = self._loaded or self._load()
                answers = [
                    driver.answer(program, step.op, copy_tree(step.data), self._session, probe)
                    for step in case.steps
                ]
        except (LoadError, _TooSlow):
            return None
        # The driver may have turned the signal's exception into an answer.
        return None if self._allowance.is_spent else merge_answers(answers)

    def _load(self) -> tuple[Any, Any]:
        probe = self._folder / "probe.py"
        text = probe.read_text(encoding="utf-8") if probe.exists() else ""
        return load(read_program(self._folder, f"wrong/{self._file}"), self._names), load_probe(
            text
        )


class _TooSlow(Exception):
    """Raised when a variant exceeds its time limit."""


class _Allowance:
    """Remaining time of a variant; only its own code uses it.

    Attributes:
        is_spent: Whether the time ran out and interrupted the variant.
    """

    def __init__(self, cpu_seconds: float, wall_seconds: float) -> None:
        self.is_spent = False
        self._left = {signal.ITIMER_PROF: cpu_seconds, signal.ITIMER_REAL: wall_seconds}

    @contextlib.contextmanager
    def spent_here(self) -> Iterator[None]:
        """Run the block within the remaining time, with its output discarded.

        Raises:
            _TooSlow: The time ran out, and the block did not catch the exception.
        """
        old = {which: signal.signal(which, self._end) for which in (signal.SIGPROF, signal.SIGALRM)}
        try:
            for timer, seconds in self._left.items():
                signal.setitimer(timer, seconds)
            with contextlib.redirect_stdout(io.StringIO()):
                yield
        finally:
            for timer in self._left:
                # A timer set to 0 would be disabled.
                self._left[timer] = max(signal.setitimer(timer, 0)[0], 1e-3)
            for which, handler in old.items():
                signal.signal(which, handler)

    def _end(self, *_: object) -> None:
        if self.is_spent:
            return
        self.is_spent = True
        raise _TooSlow
