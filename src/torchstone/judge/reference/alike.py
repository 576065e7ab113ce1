"""Equality of two wrong answers: that of a learner, and that of a wrong variant of the bank."""

from __future__ import annotations

import math
import re
from typing import Any

import torch

from torchstone.judge.kit import Exact, Holds, Want, error_ratios
from torchstone.judge.kit.forms import ORDINARY, equal
from torchstone.judge.kit.native import facts_found
from torchstone.judge.reference.trials import Trial, is_comparable, wants_of

# A tensor of an answer with more elements is not compared.
RESULT_CAP = 1 << 21
# The fact of a race between an atomic access and one that is not.
ATOMIC = "one-is-atomic"
# Two wrong answers are alike when they agree much better than right and wrong differ.
RELATIVE = 1e-4
# What the sentence about a fault has of one program alone. Numbers of steps and of starts stay.
COMPUTED = re.compile(r"\[[^\]]*\]|-?\d+\.\d+(?:e[-+]?\d+)?|\d+ bytes")
# A list of fewer entries may be the same by chance.
MANY_ENTRIES = 3


def is_measured(key: str, trial: Trial) -> bool:
    """Return whether the answer has numbers under a key that hardly agree by chance."""
    got = trial.answer.get(key)
    if type(got) is float:
        return math.isfinite(got) and got != round(got)
    if isinstance(got, list):
        # Lists of several entries, where others belong, hardly agree by chance.
        return len(got) >= MANY_ENTRIES and _has_entries(trial.expected.get(key))
    if not isinstance(got, torch.Tensor) or not _can_be_compared(got):
        return False
    return got.numel() > 0 and not bool((got == 0).all())


def _has_entries(expectation: object) -> bool:
    """Return whether the right list is not empty: what is listed is no set of complaints."""
    value = expectation.value if isinstance(expectation, Exact) else None
    return isinstance(value, list | tuple) and len(value) > 0


def _can_be_compared(got: torch.Tensor) -> bool:
    # One number under many places takes no memory until it is compared.
    return got.dtype in ORDINARY and got.numel() <= RESULT_CAP


def alike_at(key: str, a: Trial, b: Trial) -> bool:
    """Return whether two wrong answers are equal under a key.

    Of detectors the kinds count, and what is said of each race.
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
    """Return what is said of a part of an answer, without computed numbers, lists and sizes."""
    said = [each.detail.get("en", "") for each in trial.findings if each.key == key]
    return [COMPUTED.sub("#", sentence) for sentence in said]


def has_atomic_race(trial: Trial) -> bool:
    """Return whether the detectors found a race with an atomic access in an answer.

    Around atomic accesses threads give way to each other, so values and findings of such a program
    differ from run to run.
    """
    return any(
        _is_with_atomic(found)
        for key, item in trial.answer.items()
        if key.endswith(":findings")
        for found in facts_found(item)
    )


def _alike_found(a: object, b: object) -> bool:
    """Return whether the detectors found the same; of races with an atomic access one is enough."""
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
    """Count the wrong elements of both, if those of the learner equal the variant's.

    Zeros, NaN, infinity and integers are no evidence, unless the same elements are right in both.
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
    """Return where two tensors of one shape agree, much better than right and wrong differ."""
    wide = torch.complex128 if a.dtype.is_complex else torch.float64
    left, right = a.to(wide), b.to(wide)
    limit = RELATIVE * left.abs()
    if want is not None and want.value.shape == a.shape:
        limit = limit + 2 * torch.as_tensor(want.bound, dtype=torch.float64)
    same = (left == right) | (left.isnan() & right.isnan())
    return same | ((left - right).abs() <= limit)


def _near(a: Any, b: Any) -> bool:
    """Compare plain values: numbers within rounding, everything else exactly."""
    if type(a) is float and type(b) is float:
        return math.isclose(a, b, rel_tol=RELATIVE) or equal(a, b)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_near, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_near(a[key], b[key]) for key in a)
    return equal(a, b)
