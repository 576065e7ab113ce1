"""Previews of tensors and other values for the page and the terminal."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit.forms import ORDINARY, brief, name_of
from torchstone.judge.messages import Preview, TensorPreview, ValuePreview

WHOLE_CAP = 144
WINDOW = 8


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


def _number(item: bool | int | float | complex) -> bool | int | float | str:
    if isinstance(item, complex):
        return str(item)
    if isinstance(item, float) and not math.isfinite(item):
        return "nan" if math.isnan(item) else "inf" if item > 0 else "-inf"
    return item
