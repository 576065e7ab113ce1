"""Tensor printing: repr of tensors and set_printoptions, as in PyTorch."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.tensor import Array, Tensor

Format = Callable[[Any], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Print options.

    Attributes:
        precision: Digits after the decimal point.
        threshold: Number of elements above which only the outer ones are printed.
        edgeitems: Number of elements printed at either end of a dimension.
        linewidth: Characters per line.
        sci_mode: Whether to use scientific notation; None decides by the values.
    """

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES = {
    "default": Options(),
    "short": Options(precision=2, edgeitems=2),
    "full": Options(threshold=math.inf),
}
_options = _PROFILES["default"]


@op(method=False)
def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set print options, by a profile (default, short, full) or one by one."""
    global _options
    changes: dict[str, Any] = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    before = _PROFILES.get(profile or "", _options)
    chosen = {key: value for key, value in changes.items() if value is not None}
    # ``sci_mode=None`` resets to the automatic choice.
    _options = replace(before, sci_mode=sci_mode, **chosen)


def show(tensor: Tensor) -> str:
    """Format a tensor as text."""
    name = type(tensor).__name__
    prefix = "tensor(" if name in ("Tensor", "Parameter") else f"{name}("
    body = _elements(tensor.array, len(prefix)) if tensor.array.size else "[]"
    text = prefix + body
    width = len(text) - text.rfind("\n")
    for suffix in _suffixes(tensor):
        if width + len(suffix) + 2 > _options.linewidth:
            text += ",\n" + " " * len(prefix) + suffix
            width = len(prefix) + len(suffix)
        else:
            text += ", " + suffix
            width += len(suffix) + 2
    return text + ")"


def _suffixes(tensor: Tensor) -> Iterator[str]:
    dtype, default = tensor.dtype, dtypes.get_default_dtype()
    usual = {default}
    if tensor.array.size:
        usual |= {default.to_complex(), dtypes.int64, dtypes.bool_}
    elif tensor.array.ndim != 1:
        yield f"size={tuple(tensor.shape)}"
    if dtype not in usual:
        yield f"dtype={dtype}"
    try:
        node = tensor.grad_fn
    except RuntimeError:
        yield "grad_fn=<Invalid>"
        return
    if node is not None:
        yield f"grad_fn=<{node.name()}>"
    elif tensor.requires_grad:
        yield "requires_grad=True"


def _elements(array: Array, indent: int) -> str:
    is_short = array.size > _options.threshold
    shown = _edges(array) if is_short else array
    if array.dtype.kind != "c":
        return _nested(array, indent, is_short, *_format_of(shown))
    (real, real_width), (imag, imag_width) = _format_of(shown.real), _format_of(shown.imag)

    def both(value: Any) -> str:
        second = imag(value.imag).lstrip()
        sign = "" if second[0] in "+-" else "+"
        return f"{real(value.real)}{sign}{second}j"

    return _nested(array, indent, is_short, both, real_width + imag_width + 1)


def _edges(array: Array) -> Array:
    """Return the elements of a large array that are printed."""
    count = _options.edgeitems
    for dim, size in enumerate(array.shape):
        if size > 2 * count:
            kept = [*range(count), *range(size - count, size)]
            array = np.take(array, kept, axis=dim)
    return array


def _format_of(array: Array) -> tuple[Format, int]:
    """Choose one format for all elements; return the formatter and its width."""
    flat = array.reshape(-1)
    if array.dtype.kind != "f":
        width = max((len(str(each)) for each in flat.tolist()), default=1)
        return lambda value: str(value).rjust(width), width
    known = flat[np.isfinite(flat) & (flat != 0)].astype(np.float64)
    if not known.size:
        return lambda value: _whole(value).rjust(1), 1
    form = _form_of(known)

    def write(value: float) -> str:
        return _whole(value) if form == "whole" else format(value, form)

    width = max(1, *(len(write(each)) for each in known.tolist()))
    return lambda value: write(value).rjust(width), width


def _form_of(known: Array) -> str:
    """Choose between integer, fixed-point and scientific notation."""
    largest, smallest = np.abs(known).max(), np.abs(known).min()
    is_whole = bool((known == np.ceil(known)).all())
    by_power = _options.sci_mode
    if by_power is None:
        by_power = bool(largest / smallest > 1000 or largest > 1e8 or smallest < 1e-4)
    if by_power:
        return f".{_options.precision}e"
    return "whole" if is_whole else f".{_options.precision}f"


def _whole(value: float) -> str:
    return f"{value:.0f}." if math.isfinite(value) else f"{value:.0f}"


def _nested(array: Array, indent: int, is_short: bool, write: Format, width: int) -> str:
    if array.ndim == 0:
        return write(array.item())
    count = _options.edgeitems
    is_cut = is_short and len(array) > 2 * count
    parts = [*array[:count], *array[len(array) - count :]] if is_cut else list(array)
    if array.ndim == 1:
        items = [write(each.item()) for each in parts]
        if is_cut:
            items.insert(count, " ...")
        per_line = max(1, (_options.linewidth - indent) // (width + 2))
        rows = [
            ", ".join(items[start : start + per_line]) for start in range(0, len(items), per_line)
        ]
        return "[" + (",\n" + " " * (indent + 1)).join(rows) + "]"
    blocks = [_nested(each, indent + 1, is_short, write, width) for each in parts]
    if is_cut:
        blocks.insert(count, "...")
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(blocks) + "]"
