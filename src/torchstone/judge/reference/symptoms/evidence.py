"""Evidence of symptoms: wrong results as numbers, and their comparison with candidates."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import torch

from torchstone.judge.kit import Case, Exact, Holds, Want, error_ratios
from torchstone.judge.kit.native import ORDERS
from torchstone.judge.reference.trials import Trial, is_comparable, wants_of

# Larger results are ignored.
RESULT_CAP = 1 << 21
# Relative tolerance of a plain number, and the largest integer that float64 represents exactly.
NUMBER_SHARE = 1e-5
LARGEST_INTEGER = 1 << 53
# Relative rounding error of a candidate, in addition to four times the oracle's tolerance.
ROUNDING = {
    torch.float64: 1e-9,
    torch.float32: 1e-5,
    torch.float16: 4e-3,
    torch.bfloat16: 3e-2,
}

# Name of a sentence in `judge.symptom`, and its values by name.
Label: TypeAlias = tuple[str, tuple[tuple[str, str], ...]]


class OutOfTime(Exception):
    """Raised when the search exceeds its time; earlier results are kept."""


class Budget:
    """Limit on the CPU time of this thread, which excludes other work of the machine."""

    def __init__(self, seconds: float) -> None:
        self._end = time.thread_time() + seconds

    def check(self) -> None:
        """Raise ``OutOfTime`` if the time is spent."""
        if time.thread_time() > self._end:
            raise OutOfTime


def label(name: str, /, **values: object) -> Label:
    """Return a statement that can be compared with those about other results."""
    return name, tuple((key, str(value)) for key, value in values.items())


@dataclass(frozen=True, eq=False)
class WrongResult:
    """One wrong tensor of an answer, with the true value."""

    trial: Trial
    key: str
    want: Want
    got: torch.Tensor

    @property
    def name(self) -> str:
        """Return the key without the step and the thread order."""
        return self.key.rpartition(":")[2]

    @cached_property
    def truth(self) -> torch.Tensor:
        """Return the right result in float64."""
        return self.want.value.double()

    @cached_property
    def value(self) -> torch.Tensor:
        """Return the answer in float64."""
        return self.got.double()

    @cached_property
    def wrong(self) -> torch.Tensor:
        """Return a mask of the wrong elements."""
        return ~(error_ratios(self.want, self.got) <= 1)

    @cached_property
    def inputs(self) -> dict[str, torch.Tensor]:
        """Return the tensors among the inputs, in float64."""
        return {name: item.double() for name, item in tensors_of(self.trial.case)}

    def equals(self, candidate: torch.Tensor, *, gain: float = 1.0) -> bool:
        """Return whether the answer equals the candidate and, at the same tolerance, not the truth.

        Args:
            candidate: Possible value of the answer.
            gain: Ratio of its rounding errors to those of the truth.
        """
        try:
            candidate = candidate.double().expand(self.truth.shape)
        except RuntimeError:
            return False  # another shape
        limit = self._limit(candidate) * max(1.0, gain)
        if not bool(_close(self.value, candidate, limit).all()):
            return False
        return not bool(_close(self.value, self.truth, limit).all())

    def agrees(self, candidate: torch.Tensor, where: torch.Tensor) -> bool:
        """Return whether the answer equals the candidate at the places of a mask."""
        limit = self._limit(candidate)
        return bool(_close(self.value, candidate, limit)[where].all())

    def _limit(self, candidate: torch.Tensor) -> torch.Tensor:
        rounding = ROUNDING.get(self.want.dtype, 0.0)
        bound = torch.as_tensor(self.want.bound, dtype=torch.float64)
        limit = 4 * bound.nan_to_num(posinf=0.0) + rounding * candidate.abs()
        return limit.nan_to_num(nan=0.0, posinf=0.0)


def _close(a: torch.Tensor, b: torch.Tensor, limit: torch.Tensor) -> torch.Tensor:
    same = (a == b) | (a.isnan() & b.isnan())
    return same | ((a - b).abs() <= limit)


def wrong_results(trials: Iterable[Trial]) -> list[WrongResult]:
    """Return the wrong tensors that can be compared, each once, the smallest first."""
    found: dict[tuple[int, str], WrongResult] = {}
    for number, trial in enumerate(trials):
        keys = {finding.key for finding in trial.findings}
        for each in _wrong_numbers(trial, keys):
            found[number, each.key] = each
        for key, want in wants_of(trial.expected):
            got = trial.answer.get(key)
            if key not in keys or not isinstance(got, torch.Tensor):
                continue
            if is_comparable(want, got) and 0 < got.numel() <= RESULT_CAP:
                found.setdefault((number, key), WrongResult(trial, key, want, got))
    return sorted(found.values(), key=lambda each: each.got.numel())


def _wrong_numbers(trial: Trial, keys: set[str]) -> Iterator[WrongResult]:
    """Yield wrong plain numbers with a known truth, as tensors."""
    for key in sorted(keys):
        expectation = trial.expected.get(key)
        truth: Any
        got: Any = trial.answer.get(key)
        if isinstance(expectation, Exact):
            truth = expectation.value
        elif isinstance(expectation, Holds):
            truth = expectation.truth
        else:
            continue
        if type(truth) not in (int, float) or type(got) is not type(truth):
            continue
        if isinstance(truth, int) and max(abs(truth), abs(got)) > LARGEST_INTEGER:
            continue
        right = torch.tensor(float(truth), dtype=torch.float64)
        want = Want(right, NUMBER_SHARE * right.abs().nan_to_num(posinf=0.0), torch.float64)
        yield WrongResult(trial, key, want, torch.tensor(float(got), dtype=torch.float64))


def tensors_of(case: Case) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield input tensors by name, including those of a launch and the cotangents."""
    named: dict[str, torch.Tensor] = {}
    data = case.steps[0].data
    places = [case.inputs, data.get("values"), data.get("kwargs"), data.get("state")]
    for place in places:
        for name, item in place.items() if isinstance(place, dict) else ():
            _name_tensors(str(name), item, named)
    _name_tensors("cotangent", data.get("cotangents"), named)
    yield from named.items()


def _name_tensors(name: str, item: object, named: dict[str, torch.Tensor]) -> None:
    if isinstance(item, torch.Tensor):
        if item.dtype in (torch.bool, *ROUNDING) or not item.dtype.is_floating_point:
            if not item.is_complex() and not any(item is other for other in named.values()):
                named.setdefault(name, item)
    elif isinstance(item, (list, tuple)) and len(item) == 1:
        _name_tensors(name, item[0], named)
    elif isinstance(item, (list, tuple)) and len(item) <= 8:
        for number, each in enumerate(item):
            _name_tensors(f"{name}[{number}]", each, named)


def name_of_key(key: str) -> str:
    """Return a key without the step and the thread order."""
    return key.rpartition(":")[2]


def step_of(key: str) -> int:
    """Return the index of the step that a key belongs to."""
    first = key.split(":")[0]
    return int(first) if ":" in key and first.isdigit() and len(first) < 6 else 0


def order_of(key: str) -> str:
    """Return the thread order in a key of a launch; empty for any other key."""
    return next((part for part in key.split(":")[:-1] if part in ORDERS), "")
