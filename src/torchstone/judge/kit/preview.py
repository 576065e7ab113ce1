"""Previews of tensors and other values for the page and the terminal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch

from torchstone.judge.kit.forms import ORDINARY, brief, name_of

WHOLE_CAP = 144
WINDOW = 8

# A number that JSON can represent, or its text.
Element: TypeAlias = bool | int | float | str


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorPreview:
    """A tensor, or a window of it.

    Attributes:
        values: The elements in row-major order.
        window: Start and end of each dimension; None if the whole tensor is shown.
        marks: Indices into ``values`` of elements whose error exceeds its tolerance.
    """

    kind: str = "tensor"
    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    values: tuple[Element, ...]
    window: tuple[tuple[int, int], ...] | None
    marks: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuePreview:
    """Any other value, as Python prints it."""

    kind: str = "value"
    text: str


Preview: TypeAlias = TensorPreview | ValuePreview


def preview(value: Any, ratios: torch.Tensor | None = None) -> Preview:
    """Describe a value; a large tensor is cut to a window around its worst element.

    Args:
        value: The value to show.
        ratios: Error over tolerance for each element, if known; elements above 1 are marked.
    """
    if not isinstance(value, torch.Tensor) or value.dtype not in ORDINARY:
        return ValuePreview(text=brief(value))
    window = _window(value, ratios)
    part = value[tuple(slice(start, stop) for start, stop in window)] if window else value
    marks: list[int] = []
    if ratios is not None and ratios.shape == value.shape:
        cut = ratios[tuple(slice(start, stop) for start, stop in window)] if window else ratios
        marks = (~(cut.reshape(-1) <= 1)).nonzero().reshape(-1).tolist()
    return TensorPreview(
        dtype=name_of(value.dtype),
        shape=tuple(value.shape),
        stride=tuple(value.stride()),
        values=tuple(_number(item) for item in part.reshape(-1).tolist()),
        window=window,
        marks=tuple(marks),
    )


def _window(value: torch.Tensor, ratios: torch.Tensor | None) -> tuple[tuple[int, int], ...] | None:
    if value.numel() <= WHOLE_CAP:
        return None
    worst = 0 if ratios is None or ratios.shape != value.shape else int(ratios.argmax())
    index = [int(i) for i in torch.unravel_index(torch.tensor(worst), value.shape)]
    window = []
    for dim, (at, size) in enumerate(zip(index, value.shape, strict=True)):
        reach = WINDOW if dim >= value.ndim - 2 else 1
        start = max(0, min(at - reach // 2, size - reach))
        window.append((start, min(size, start + reach)))
    return tuple(window)


def _number(item: bool | int | float | complex) -> Element:
    if isinstance(item, complex):
        return str(item)
    if isinstance(item, float) and not math.isfinite(item):
        return "nan" if math.isnan(item) else "inf" if item > 0 else "-inf"
    return item
