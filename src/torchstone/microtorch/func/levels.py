"""Nested ``vmap`` levels: intercept operations on batched tensors.

The core only checks that ``state.levels`` is not empty and calls these methods.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torchstone.microtorch.autograd.inplace import refuse_overlap, replace
from torchstone.microtorch.func.batched import (
    BatchedTensor,
    deepest,
    is_over,
    levels_of,
    lift_all,
    lower,
)
from torchstone.microtorch.func.batching import batched_call, one_by_one, refuse_unmapped
from torchstone.microtorch.grad_mode import Level, state
from torchstone.microtorch.ops.primitive import Primitive
from torchstone.microtorch.tensor import Tensor


class Mapping(Level):
    """Active ``vmap`` level.

    Attributes:
        size: Number of examples.
        depth: Number of enclosing levels.
        randomness: Whether random numbers are the "same" or "different" for all, or an "error".
    """

    def __init__(self, size: int, randomness: str) -> None:
        self.size, self.randomness, self.depth = size, randomness, len(state.levels)

    def __enter__(self) -> Mapping:
        state.levels.append(self)
        return self

    def __exit__(self, *exc: object) -> None:
        state.levels.remove(self)

    # These methods dispatch to the innermost level at which an operand is batched.

    def apply(self, primitive: Primitive, args: Sequence[Any]) -> Any:
        """Run a primitive on the whole batch; return None if no argument is batched."""
        return batched_call(primitive, args)

    def maps(self, tree: Any) -> bool:
        """Return whether a tree contains a batched tensor."""
        return deepest(tree) is not None

    def loop(
        self, function: Callable[..., Any], args: Any, kwargs: Any = None, *, writes: bool = False
    ) -> Any:
        """Call a function that reads values, once per example if an argument is batched."""
        level = deepest((args, kwargs))
        if level is None:
            return function(*args, **kwargs or {})
        return one_by_one(function, args, kwargs or {}, level, writes=writes)

    def like(self, function: Callable[..., Tensor], args: Any, kwargs: Any) -> Tensor:
        """Create a tensor like another one, with memory of its own for each example."""
        made, levels = function(*args, **kwargs), levels_of(args[0])
        if not levels or isinstance(made, BatchedTensor):
            return made
        sizes = [each.size for each in levels]
        return lift_all(made.expand(*sizes, *made.array.shape).clone(), levels)

    def write(self, target: Tensor, result: Tensor, mark: int | None) -> bool:
        """Write batched values into a batched tensor; return False if neither is batched."""
        level = deepest((target, result))
        if level is None:
            return False
        refuse_unmapped(target, level)
        memory: Any = target.physical
        refuse_overlap(memory.array)
        replace(memory, lower(result, level), mark)
        return True

    # Random numbers.

    def draw(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Call a function that draws random numbers, according to ``randomness`` of the levels."""
        self.refuse_to_draw(is_known=True)
        return self.may_draw(function, args, kwargs)

    def may_draw(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Call a function that may draw random numbers."""
        level = _that_decides()
        if level is None or level.randomness == "error":
            return function(*args, **kwargs)
        writes = function.__name__.endswith("_")
        if writes and not is_over(args[0], level):
            raise RuntimeError(
                "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This "
                "will appear like same randomness."
            )
        place = state.levels.index(level)
        del state.levels[place]
        try:
            return one_by_one(_for_the_others(function), args, kwargs, level, writes=writes)
        finally:
            state.levels.insert(place, level)

    def refuse_to_draw(self, *, is_known: bool = False) -> None:
        """Raise an error if random numbers are forbidden or cannot be drawn."""
        level = _that_decides()
        if level is None or (is_known and level.randomness == "different"):
            return
        if level.randomness == "error":
            raise RuntimeError(
                "vmap: called random operation while in randomness error mode. Please either use "
                "the 'same' or 'different' randomness flags on vmap or perform the randomness "
                "operation out of vmap"
            )
        raise RuntimeError("vmap: this operation can't draw different numbers for each example")


def _for_the_others(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function so that the remaining levels handle its random numbers."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if not state.levels:
            return function(*args, **kwargs)
        return state.levels[-1].may_draw(function, args, kwargs)

    return call


def _that_decides() -> Any:
    """Return the innermost level whose ``randomness`` is not "same"; None if there is none."""
    levels: list[Any] = state.levels
    return next((each for each in reversed(levels) if each.randomness != "same"), None)
