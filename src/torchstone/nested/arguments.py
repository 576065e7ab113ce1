"""Argument checks of the functions on jagged tensors; errors name the argument and its value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torchstone.nested.block_quant import LOGICAL, BlockQuantTensor
from torchstone.nested.refusal import BadType, BadValue, listed, name_of


def require_tensor(function: str, name: str, given: object) -> None:
    """Raise an error for a value that is not a tensor."""
    if not isinstance(given, Tensor):
        raise BadType("not_tensor", function=function, name=name, came=type(given).__name__)


def require_floating(function: str, name: str, given: Tensor) -> None:
    """Raise an error for a dtype that cannot be quantized."""
    if given.dtype not in LOGICAL:
        wanted = listed(map(name_of, LOGICAL))
        came = name_of(given.dtype)
        raise BadType("dtype", function=function, name=name, came=came, wanted=wanted)


def require_jagged(function: str, name: str, given: Any) -> None:
    """Raise an error unless a tensor is jagged, ragged in dimension 1, and without holes.

    Checks that depend on data are skipped while ``torch.compile`` traces.
    """
    require_tensor(function, name, given)
    if not given.is_nested or given.layout != torch.jagged:
        layout = name_of(given.layout)
        came = f"a tensor of layout {layout}" if given.is_nested else "a dense tensor"
        raise BadType("not_jagged", function=function, name=name, came=came)
    if given._ragged_idx != 1:
        raise BadValue("ragged_dim", function=function, name=name, came=given._ragged_idx)
    if given.lengths() is not None:
        raise BadValue("holes", function=function, name=name)
    if given.dim() < 3:
        raise BadValue("no_features", function=function, name=name, came=given.dim())
    if not torch.compiler.is_compiling():
        require_offsets(function, name, given.offsets(), given._values.shape[0])


def require_offsets(function: str, name: str, offsets: Tensor, num_rows: int) -> None:
    """Raise an error unless offsets start at 0, do not decrease, and stay within the rows."""
    if offsets.dim() != 1 or offsets.shape[0] < 1:
        came = str(tuple(offsets.shape))
        raise BadValue("offsets_shape", function=function, name=name, came=came)
    first, last = int(offsets[0]), int(offsets[-1])
    if first != 0:
        raise BadValue("offsets_first", function=function, name=name, came=first)
    steps = offsets.diff()
    if steps.numel() and int(steps.min()) < 0:
        place = int((steps < 0).nonzero()[0, 0])
        before, after = int(offsets[place]), int(offsets[place + 1])
        raise BadValue(
            "offsets_fall", function=function, name=name, place=place, before=before, after=after
        )
    if last > num_rows:
        raise BadValue("offsets_beyond", function=function, name=name, came=last, rows=num_rows)


def require_quantized(function: str, name: str, given: Any) -> BlockQuantTensor:
    """Return the quantized values of a jagged tensor; raise an error for any other tensor."""
    require_jagged(function, name, given)
    values: Tensor = given._values
    if not isinstance(values, BlockQuantTensor):
        raise BadType("not_quantized", function=function, name=name, came=name_of(values.dtype))
    return values


def require_list(function: str, name: str, given: object) -> None:
    """Raise an error unless a value is a non-empty list."""
    if isinstance(given, Tensor) or not isinstance(given, Sequence):
        raise BadType("not_list", function=function, name=name, came=type(given).__name__)
    if not given:
        raise BadValue("empty_list", function=function, name=name)


def require_alike(function: str, name: str, tensors: Sequence[Tensor]) -> None:
    """Raise an error unless tensors have equal dtypes, devices and trailing dimensions."""
    first = tensors[0]
    for place, each in enumerate(tensors):
        where = f"{name}[{place}]"
        require_tensor(function, where, each)
        require_floating(function, where, each)
        if each.dim() < 2:
            raise BadValue("no_rows", function=function, name=where, came=str(tuple(each.shape)))
        for what, came, wanted in (
            ("dtype", name_of(each.dtype), name_of(first.dtype)),
            ("device", str(each.device), str(first.device)),
            ("shape", str(tuple(each.shape)), f"({', '.join(map(str, ('*', *first.shape[1:])))})"),
        ):
            is_alike = each.shape[1:] == first.shape[1:] if what == "shape" else came == wanted
            if not is_alike:
                refused = BadType if what == "dtype" else BadValue
                raise refused(
                    "differs", function=function, name=where, what=what, came=came, wanted=wanted
                )
