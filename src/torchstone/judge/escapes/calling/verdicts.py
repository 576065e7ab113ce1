"""Comparison of a call's result with forbidden results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import torch

from torchstone.judge.escapes.calling.samples import Sample

_RTOL = _ATOL = 1e-4
_DEPTH = 3
_WIDTH = 16


class Forbidden:
    """The results of a problem's samples, indexed for comparison."""

    def __init__(self, samples: list[Sample]) -> None:
        self._numbers: dict[int, list[tuple[str, list[float]]]] = {}
        self._shapes: dict[tuple[int, ...], str] = {}
        for sample in samples:
            for result in sample.results:
                if isinstance(result, tuple):
                    self._shapes[result] = sample.name
                else:
                    flat = result.detach().reshape(-1).double().tolist()
                    self._numbers.setdefault(len(flat), []).append((sample.name, flat))

    def name_in(self, value: Any, sample: Sample) -> str:
        """Return the name of a forbidden result in a value, or an empty string."""
        for item in _leaves(value, _DEPTH):
            if isinstance(item, torch.Tensor):
                if sample.is_recorded:
                    if item.grad_fn is not None:
                        return "recording"
                    continue
                name = self._name_of_tensor(item)
            else:
                name = self._shapes.get(item, "")
            if name:
                return name
        return ""

    def _name_of_tensor(self, item: torch.Tensor) -> str:
        try:
            candidates = self._numbers.get(item.numel(), ())
            if not candidates or not item.dtype.is_floating_point:
                return ""
            flat = _flatten(item.tolist())
        except Exception:  # noqa: BLE001  it has no numbers: meta, sparse, nested
            return ""
        return next((name for name, wanted in candidates if _is_close(flat, wanted)), "")


def raised_about_gradient(error: BaseException) -> bool:
    """Return whether an exception reports a wrong derivative."""
    return "GradcheckError" in type(error).__name__ or "Jacobian mismatch" in str(error)


def _is_close(flat: list[float], wanted: list[float]) -> bool:
    return all(abs(a - b) <= _ATOL + _RTOL * abs(b) for a, b in zip(flat, wanted, strict=True))


def _flatten(value: Any) -> list[float]:
    if not isinstance(value, list):
        return [value]
    return [number for item in value for number in _flatten(item)]


def _leaves(value: Any, depth: int) -> Iterator[Any]:
    """Yield the tensors and the tuples of integers inside a value."""
    if isinstance(value, torch.Tensor):
        yield value
        return
    if isinstance(value, list | tuple):
        if value and all(type(item) is int for item in value):
            yield tuple(value)
        elif depth:
            for item in value[:_WIDTH]:
                yield from _leaves(item, depth - 1)
        return
    if isinstance(value, Mapping):
        items = list(value.values())[:_WIDTH] if depth else []
    elif depth and type(value).__module__.startswith("torch") and not isinstance(value, type):
        items = list(_attributes(value))
    else:
        return
    for item in items:
        yield from _leaves(item, depth - 1)


def _attributes(value: Any) -> Iterator[Any]:
    """Yield the attributes and property values of an instance."""
    held = getattr(value, "__dict__", None)
    if isinstance(held, dict):
        yield from list(held.values())
    for name in dir(type(value)):
        if isinstance(getattr(type(value), name, None), property):
            try:
                yield getattr(value, name)
            except Exception:  # noqa: BLE001  a property may raise
                continue
