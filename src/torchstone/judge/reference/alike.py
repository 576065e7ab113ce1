"""Comparison of two wrong answers: a learner's, and that of a wrong variant of the bank."""

from __future__ import annotations

import math
import re
from typing import Any

import torch

from torchstone.judge.kit import Exact, Holds, Want, error_ratios
from torchstone.judge.kit.forms import ORDINARY, equal
from torchstone.judge.kit.native import facts_found
from torchstone.judge.reference.trials import Trial, is_comparable, wants_of

# Larger tensors of an answer are not compared.
RESULT_CAP = 1 << 21
# The fact of a race between an atomic and a non-atomic access.
ATOMIC = "one-is-atomic"
# Relative difference within which two wrong answers are alike, besides twice the tolerance.
RELATIVE = 1e-4
# Parts of a fault's message that differ between programs with the same mistake. Counts of steps and
# of starts are kept.
COMPUTED = re.compile(r"\[[^\]]*\]|-?\d+\.\d+(?:e[-+]?\d+)?|\d+ bytes")
# Lists with fewer entries may be equal by chance.
MANY_ENTRIES = 3


def is_measured(key: str, trial: Trial) -> bool:
    """Return whether the answer has numbers under a key that rarely agree by chance."""
    got = trial.answer.get(key)
    if type(got) is float:
        return math.isfinite(got) and got != round(got)
    if isinstance(got, list):
        # Lists of several entries rarely agree by chance if the right list has entries.
        return len(got) >= MANY_ENTRIES and _has_entries(trial.expected.get(key))
    if not isinstance(got, torch.Tensor) or not _can_be_compared(got):
        return False
    return got.numel() > 0 and not bool((got == 0).all())


def _has_entries(expectation: object) -> bool:
    """Return whether the right list is non-empty: then the answer is no list of complaints."""
    value = expectation.value if isinstance(expectation, Exact) else None
    return isinstance(value, list | tuple) and len(value) > 0


def _can_be_compared(got: torch.Tensor) -> bool:
    # An expanded tensor takes no memory until it is compared.
    return got.dtype in ORDINARY and got.numel() <= RESULT_CAP


def alike_at(key: str, a: Trial, b: Trial) -> bool:
    """Return whether two wrong answers are equal under a key.

    Findings of detectors are compared by kind, and races also by their facts.
    """
    if (key in a.answer) != (key in b.answer):
        return False
    if key not in a.answer:
        return True  # both lack it
    expectation = a.expected.get(key)
    if isinstance(expectation, Holds) and expectation.is_fault_in_words:
        return _said(key, a) == _said(key, b)
    if key.endswith(":findings"):
        return _alike_found(a.answer[key], b.answer[key])
    return _alike(dict(wants_of(a.expected)).get(key), a.answer[key], b.answer[key])


def _said(key: str, trial: Trial) -> list[str]:
    """Return the messages about a part of an answer, without computed numbers, lists and sizes."""
    said = [each.detail.get("en", "") for each in trial.findings if each.key == key]
    return [COMPUTED.sub("#", sentence) for sentence in said]


def has_atomic_race(trial: Trial) -> bool:
    """Return whether the detectors found a race with an atomic access in an answer.

    Threads interleave at atomic accesses, so values and findings of such a program differ between
    runs.
    """
    return any(
        _is_with_atomic(found)
        for key, item in trial.answer.items()
        if key.endswith(":findings")
        for found in facts_found(item)
    )


def _alike_found(a: object, b: object) -> bool:
    """Return whether findings are equal; for races with an atomic access one in each suffices."""
    left, right = facts_found(a), facts_found(b)
    if left == right:
        return True
    others = [[each for each in found if not _is_with_atomic(each)] for found in (left, right)]
    is_race_in_both = all(any(map(_is_with_atomic, found)) for found in (left, right))
    return is_race_in_both and others[0] == others[1]


def _is_with_atomic(found: tuple[str, ...]) -> bool:
    return ATOMIC in found[1:]


def is_value(key: str, trial: Trial) -> bool:
    """Return whether a tensor is expected under a key."""
    return key in dict(wants_of(trial.expected))


def part_of(key: str, own: Trial, variant: Trial) -> tuple[int, int] | None:
    """Count the wrong elements of both answers, if the learner's equal the variant's.

    Return (learner's count, variant's count), or None. Zeros, NaN, infinity and integers are no
    evidence, unless both answers are right at the same elements.
    """
    want = dict(wants_of(own.expected)).get(key)
    a, b = own.answer.get(key), variant.answer.get(key)
    if not (isinstance(want, Want) and isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor)):
        return None
    if not (is_comparable(want, a) and is_comparable(want, b) and _can_be_compared(a)):
        return None
    wrong, others = (~(error_ratios(want, each) <= 1) for each in (a, b))
    numbers = a[wrong & a.isfinite() & (a != 0)] if a.is_floating_point() else a.new_empty(0)
    is_pattern = torch.equal(wrong, others) and not bool(wrong.all())
    if not (numbers.numel() or is_pattern) or bool((wrong & ~others).any()):
        return None
    if not bool(_same_numbers(want, a, b)[wrong].all()):
        return None
    return int(wrong.sum()), int(others.sum())


def _alike(want: Want | None, a: Any, b: Any) -> bool:
    if isinstance(a, dict) and isinstance(b, dict) and "type" in a:
        return equal(a["type"], b.get("type"))
    if isinstance(a, dict) and isinstance(b, dict) and "key" in a:
        return equal(a, b)
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
        return _near(a, b)
    if a.shape != b.shape or a.dtype != b.dtype or not _can_be_compared(a):
        return False
    return bool(_same_numbers(want, a, b).all())


def _same_numbers(want: Want | None, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return a mask of the elements that agree within a small fraction of an error."""
    wide = torch.complex128 if a.dtype.is_complex else torch.float64
    left, right = a.to(wide), b.to(wide)
    limit = RELATIVE * left.abs()
    if want is not None and want.value.shape == a.shape:
        limit = limit + 2 * torch.as_tensor(want.bound, dtype=torch.float64)
    same = (left == right) | (left.isnan() & right.isnan())
    return same | ((left - right).abs() <= limit)


def _near(a: Any, b: Any) -> bool:
    """Return whether plain values are equal, numbers up to rounding."""
    if type(a) is float and type(b) is float:
        return math.isclose(a, b, rel_tol=RELATIVE) or equal(a, b)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_near, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_near(a[key], b[key]) for key in a)
    return equal(a, b)
