"""``DISPATCH``: the table of operators on quantized tensors, and the functions that run them.

``kept.py`` and ``fused.py`` register their operators. All others dequantize their arguments and run
in torch; those that jagged tensors support are in the table too, for documentation.
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
    """How an operator handles quantized tensors."""

    KEPT = "kept"
    FUSED = "fused"
    DEQUANTIZED = "dequantized"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Entry of the table.

    Attributes:
        way: How the operator runs if its condition holds; otherwise it dequantizes.
        run: Function that computes it; returns ``NotImplemented`` if the condition does not hold.
        when: The condition, as a key of messages; empty if there is none.
        is_composed: Whether ``run`` calls other operators of the table, which are counted instead.
    """

    way: Way
    run: Run | None
    when: str = ""
    is_composed: bool = False


# Operators of jagged tensors dequantize by default. Those that query offsets and the like never
# reach the values, and are left out.
DISPATCH: dict[OpOverload, Entry] = {
    operator: Entry(way=Way.DEQUANTIZED, run=None)
    for operator in JAGGED_OPS_TABLE
    if isinstance(operator, OpOverload) and "::_nested_get_" not in operator.name()
}
_counters: list[Counter[tuple[OpOverload, Way]]] = []


def enter(
    way: Way, *operators: OpOverload, when: str = "", is_composed: bool = False
) -> Callable[[Run], Run]:
    """Register the decorated function in the table.

    Args:
        way: How the function handles quantized tensors.
        operators: The operators. The function is called with the operator and its arguments.
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
    """Count the operators that run within the context, by operator and way."""
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
    """Run an operator according to the table.

    Args:
        operator: The operator.
        args: Its positional arguments.
        kwargs: Its keyword arguments.
        decode: Dequantizes the quantized tensors in a tree of arguments.
        is_quantized: Returns whether an argument is a quantized tensor.
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
    """Raise an error if the operator writes to a quantized tensor: the result would be lost."""
    for index, argument in enumerate(operator._schema.arguments):
        given = args[index] if index < len(args) else kwargs.get(argument.name)
        is_written = argument.alias_info is not None and argument.alias_info.is_write
        if is_written and is_quantized(given):
            raise BadType("in_place", operator=operator_name(operator))


def operator_name(operator: OpOverload) -> str:
    """Return the name of an operator as torch spells it: ``aten.add_.Tensor``."""
    return str(operator)


def table() -> list[tuple[str, Entry]]:
    """Return the entries of the table, sorted by way and name."""
    ways = list(Way)
    lines = ((operator_name(operator), entry) for operator, entry in DISPATCH.items())
    return sorted(lines, key=lambda line: (ways.index(line[1].way), line[0]))


def is_row_dim(tensor: torch.Tensor, dim: int) -> bool:
    """Return whether a dimension is not the last one, along which the blocks extend."""
    return dim % tensor.dim() < tensor.dim() - 1 if tensor.dim() > 1 else False
