"""``DISPATCH``: what happens to each operator that meets a quantized tensor, and what runs it.

``kept.py`` and ``fused.py`` enter their operators. All others dequantize their arguments and run as
torch has them; those that jagged tensors have are in the table, too, so that it can be read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import torch
from torch._ops import OpOverload
from torch.nested._internal.ops import JAGGED_OPS_TABLE

from torchstone.nested.refusal import BadType

Run = Callable[..., Any]


class Way(StrEnum):
    """What happens to an operator."""

    KEPT = "kept"
    FUSED = "fused"
    DEQUANTIZED = "dequantized"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line of the table.

    Attributes:
        way: What happens to the operator where its condition holds; elsewhere it dequantizes.
        run: Computes it, or returns ``NotImplemented`` where the condition does not hold.
        when: The condition, as a key of messages; empty if there is none.
        is_composed: Whether ``run`` calls other operators of the table, which are counted.
    """

    way: Way
    run: Run | None
    when: str = ""
    is_composed: bool = False


# What jagged tensors have and nobody has entered dequantizes. What asks for offsets and the like
# never sees the values.
DISPATCH: dict[OpOverload, Entry] = {
    operator: Entry(way=Way.DEQUANTIZED, run=None)
    for operator in JAGGED_OPS_TABLE
    if isinstance(operator, OpOverload) and "::_nested_get_" not in operator.name()
}
_counters: list[Counter[tuple[OpOverload, Way]]] = []


def enter(
    way: Way, *operators: OpOverload, when: str = "", is_composed: bool = False
) -> Callable[[Run], Run]:
    """Enter a function into the table as what runs these operators.

    Args:
        way: What the function does.
        operators: The operators. The function gets the one that is called, and its arguments.
        when: The condition under which the function does not return ``NotImplemented``.
        is_composed: Whether the function calls other operators of the table.
    """

    def add(run: Run) -> Run:
        for operator in operators:
            DISPATCH[operator] = Entry(way=way, run=run, when=when, is_composed=is_composed)
        return run

    return add


@contextmanager
def counting() -> Iterator[Counter[tuple[OpOverload, Way]]]:
    """Count what really runs, by operator and way, until the block ends."""
    counter: Counter[tuple[OpOverload, Way]] = Counter()
    _counters.append(counter)
    try:
        yield counter
    finally:
        _counters.remove(counter)


def dispatch(
    operator: OpOverload,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    decode: Callable[[Any], Any],
    is_quantized: Callable[[object], bool],
) -> Any:
    """Run an operator as the table says.

    Args:
        operator: What is called.
        args: Its arguments.
        kwargs: Its arguments by name.
        decode: Replaces the quantized tensors in a tree of arguments.
        is_quantized: Whether an argument is a quantized tensor.
    """
    entry = DISPATCH.get(operator)
    if entry is not None and entry.run is not None:
        out = entry.run(operator, *args, **kwargs)
        if out is not NotImplemented:
            if not entry.is_composed:
                _count(operator, entry.way)
            return out
    if operator._schema.is_mutable:
        _refuse_writes(operator, args, kwargs, is_quantized)
    _count(operator, Way.DEQUANTIZED)
    args, kwargs = decode((args, kwargs))
    return operator(*args, **kwargs)


def _count(operator: OpOverload, way: Way) -> None:
    for counter in _counters:
        counter[operator, way] += 1


def _refuse_writes(
    operator: OpOverload,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    is_quantized: Callable[[object], bool],
) -> None:
    """Raise where the operator would write into codes: the result would be lost."""
    for index, argument in enumerate(operator._schema.arguments):
        given = args[index] if index < len(args) else kwargs.get(argument.name)
        is_written = argument.alias_info is not None and argument.alias_info.is_write
        if is_written and is_quantized(given):
            raise BadType("in_place", operator=operator_name(operator))


def operator_name(operator: OpOverload) -> str:
    """Return the name of an operator as torch writes it: ``aten.add_.Tensor``."""
    return str(operator)


def table() -> list[tuple[str, Entry]]:
    """Return the lines of the table, by way and name."""
    ways = list(Way)
    lines = ((operator_name(operator), entry) for operator, entry in DISPATCH.items())
    return sorted(lines, key=lambda line: (ways.index(line[1].way), line[0]))


def is_row_dim(tensor: torch.Tensor, dim: int) -> bool:
    """Return whether a dimension is another one than the last, along which blocks lie."""
    return dim % tensor.dim() < tensor.dim() - 1 if tensor.dim() > 1 else False
