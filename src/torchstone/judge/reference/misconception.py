"""Misconception search: which wrong variant explains a failure.

Find the wrong variant of the bank whose answers are the learner's.
"""

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
from torchstone.judge.child.records import Answer
from torchstone.judge.child.submission import LoadError, load, load_probe
from torchstone.judge.kit import (
    Case,
    ProblemCode,
    Product,
    merge_answers,
)
from torchstone.judge.reference.trials import JudgedCase
from torchstone.judge.reference.variant_comparison import Comparison, Misconception

# What all answers of a variant may take of the processor's time: other work of the machine is not
# charged to it. One that only waits is ended by the clock on the wall, which leaves enough for a
# machine that is 40 times too busy.
VARIANT_CPU_SECONDS = 0.5
VARIANT_WALL_SECONDS = 20.0
# Where only a large case of the deciding group is wrong, variants answer this case as well.
LARGE_CPU_SECONDS = 1.5


def find_misconception(
    code: ProblemCode, names: list[str], judged: Iterable[JudgedCase]
) -> Misconception | None:
    """Compare with every wrong variant in Python; they are run here."""
    comparison = Comparison(code, judged)
    for path in sorted((code.folder / "wrong").glob("*.py")) if comparison.can_tell else ():
        comparison.add(path.stem, _run_variant(path, names, comparison))
    return comparison.best()


def find_variant(code: ProblemCode, names: list[str], program: str) -> Variant:
    """Return a wrong variant in Python by its file name without the suffix, to run it again."""
    return Variant(code.folder, f"{program}.py", names, cpu_seconds=LARGE_CPU_SECONDS)


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
    cpu_seconds = LARGE_CPU_SECONDS if comparison.has_large else VARIANT_CPU_SECONDS
    variant = Variant(comparison.code.folder, path.name, names, cpu_seconds=cpu_seconds)
    for each in comparison.small:
        answer = variant.answer(each.case)
        if answer is None:
            return
        yield each, answer


class Variant:
    """Run a wrong variant in Python, as long as it has time."""

    def __init__(self, folder: Path, file: str, names: list[str], *, cpu_seconds: float) -> None:
        """Load nothing yet: that also takes of its time."""
        self._folder, self._file, self._names = folder, file, names
        self._allowance = _Allowance(cpu_seconds, VARIANT_WALL_SECONDS)
        self._session = driver.Session()
        self._loaded: tuple[Any, Any] | None = None

    def answer(self, case: Case) -> Answer | None:
        """Return what it answers; None when it cannot be loaded or its time is over."""
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
        # The driver may have turned the signal into an answer.
        return None if self._allowance.is_spent else merge_answers(answers)

    def _load(self) -> tuple[Any, Any]:
        probe = self._folder / "probe.py"
        text = probe.read_text(encoding="utf-8") if probe.exists() else ""
        return load(read_program(self._folder, f"wrong/{self._file}"), self._names), load_probe(
            text
        )


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
