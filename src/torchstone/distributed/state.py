"""``ShardedState``: what one rank holds of the state of a training, and what it wants back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor


@dataclass(slots=True, kw_only=True)
class Held:
    """The ranges of one tensor that a rank holds.

    Attributes:
        shape: Of the whole tensor.
        dtype: Of the whole tensor.
        parts: The first element of each range, in the flat order of the whole, and the range.
        is_replicated: Whether every rank has the whole, so that one of them writes it.
    """

    shape: torch.Size
    dtype: torch.dtype
    parts: list[tuple[int, Tensor]] = field(default_factory=list)
    is_replicated: bool = False

    def ranges(self) -> Iterator[tuple[int, int]]:
        """Yield the first element of each range and the one behind its last."""
        for start, part in self.parts:
            yield start, start + part.numel()


@dataclass(slots=True, kw_only=True)
class ShardedState:
    """The state of a training, as one rank has it; together the ranks have all of it.

    Names are ``parameter.NAME``, ``buffer.NAME`` and, for the optimiser, ``optimizer.KEY.NAME`` of
    what it has for each element, ``scalar.KEY.NAME`` of a tensor that it has once, and
    ``number.KEY.NAME`` of a number. So a state does not say how it was cut, and any number
    of ranks in any stage can take it over.

    Attributes:
        step: How many steps have been taken.
        tensors: By name.
        values: What is not a tensor, the same on all ranks: numbers, strings, lists, dictionaries.
    """

    step: int = 0
    tensors: dict[str, Held] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)

    def declare(
        self, name: str, shape: torch.Size, dtype: torch.dtype, *, is_replicated: bool = False
    ) -> Held:
        """Return a tensor of the state, of which this rank has nothing yet."""
        made = Held(shape=shape, dtype=dtype, is_replicated=is_replicated)
        return self.tensors.setdefault(name, made)

    def wanted(self, name: str) -> list[tuple[int, int]] | None:
        """Return the ranges that this rank wants of a tensor, ``None`` if it knows nothing of it.

        A state of the optimiser is wanted in the ranges of its parameter, since it may not have
        been made yet.

        Args:
            name: Of the tensor in the checkpoint.
        """
        kind, _, rest = name.partition(".")
        if kind in ("optimizer", "scalar", "number"):
            owner = self.tensors.get(f"parameter.{rest.partition('.')[2]}")
            if owner is None or kind == "optimizer":
                return None if owner is None else list(owner.ranges())
            return [(0, 1)]
        held = self.tensors.get(name)
        return None if held is None else list(held.ranges())


def add_part(
    state: ShardedState,
    name: str,
    part: Tensor,
    shape: torch.Size,
    *,
    start: int = 0,
    is_replicated: bool = False,
) -> None:
    """Add a range of a tensor to a state.

    Args:
        state: Of this rank.
        name: Of the tensor in the state.
        part: The range, flat.
        shape: Of the whole tensor.
        start: The first element of the range.
        is_replicated: Whether all ranks have the same.
    """
    held = state.declare(name, shape, part.dtype, is_replicated=is_replicated)
    held.parts.append((start, part.detach()))


def part_of(state: ShardedState, name: str, start: int, stop: int) -> Tensor:
    """Return a range of a tensor, flat, from a state that was loaded with this range."""
    for first, part in state.tensors[name].parts:
        if (first, first + part.numel()) == (start, stop):
            return part
    raise AssertionError(f"{name} was loaded without the range of this rank")
