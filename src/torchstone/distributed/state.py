"""``ShardedState``: the part of a training state that one rank holds or needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor


@dataclass(slots=True, kw_only=True)
class Held:
    """Ranges of one tensor that a rank holds.

    Attributes:
        shape: The shape of the whole tensor.
        dtype: The dtype of the whole tensor.
        parts: Each range, with its first element in the flattened whole.
        is_replicated: Whether every rank has the whole tensor, so that one of them writes it.
    """

    shape: torch.Size
    dtype: torch.dtype
    parts: list[tuple[int, Tensor]] = field(default_factory=list)
    is_replicated: bool = False

    def ranges(self) -> Iterator[tuple[int, int]]:
        """Yield the start and the end of each range."""
        for start, part in self.parts:
            yield start, start + part.numel()


@dataclass(slots=True, kw_only=True)
class ShardedState:
    """Training state of one rank; the states of all ranks together are complete.

    Names are ``parameter.NAME``, ``buffer.NAME`` and, for optimizer states, ``optimizer.KEY.NAME``
    for elementwise ones, ``scalar.KEY.NAME`` for other tensors, and ``number.KEY.NAME`` for
    numbers. A state is independent of its sharding, so any number of ranks in any stage can load
    it.

    Attributes:
        step: The number of completed steps.
        tensors: The tensors by name.
        values: The values that are not tensors, equal on all ranks: numbers, strings, lists, dicts.
    """

    step: int = 0
    tensors: dict[str, Held] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)

    def declare(
        self, name: str, shape: torch.Size, dtype: torch.dtype, *, is_replicated: bool = False
    ) -> Held:
        """Add a tensor to the state, without any ranges of this rank."""
        made = Held(shape=shape, dtype=dtype, is_replicated=is_replicated)
        return self.tensors.setdefault(name, made)

    def wanted(self, name: str) -> list[tuple[int, int]] | None:
        """Return the ranges of a tensor that this rank needs; None for an unknown tensor.

        The ranges of an optimizer state are those of its parameter, because the state may not exist
        yet.

        Args:
            name: The name of the tensor in the checkpoint.
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
        state: The state of this rank.
        name: The name of the tensor in the state.
        part: The range, flat.
        shape: The shape of the whole tensor.
        start: The first element of the range.
        is_replicated: Whether all ranks have the same.
    """
    held = state.declare(name, shape, part.dtype, is_replicated=is_replicated)
    held.parts.append((start, part.detach()))


def part_of(state: ShardedState, name: str, start: int, stop: int) -> Tensor:
    """Return a flat range of a tensor, from a state that was loaded with this range."""
    for first, part in state.tensors[name].parts:
        if (first, first + part.numel()) == (start, stop):
            return part
    raise AssertionError(f"{name} was loaded without the range of this rank")
