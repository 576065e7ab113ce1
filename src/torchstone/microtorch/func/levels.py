"""Nested ``vmap`` levels: intercept operations on batched tensors.

The core knows of it only that ``state.levels`` is not empty then, and these methods.
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
    """One ``vmap`` that runs.

    Attributes:
        size: How many examples it goes over.
        depth: In how many others it runs.
        randomness: Whether random numbers are the "same" or "different" for all, or an "error".
    """

    def __init__(self, size: int, randomness: str) -> None:
        self.size, self.randomness, self.depth = size, randomness, len(state.levels)

    def __enter__(self) -> Mapping:
        state.levels.append(self)
        return self

    def __exit__(self, *exc: object) -> None:
        state.levels.remove(self)

    # The same questions for whatever level it is that an operand belongs to.

    def apply(self, primitive: Primitive, args: Sequence[Any]) -> Any:
        """Run a primitive for all examples; return None without a batched argument."""
        return batched_call(primitive, args)

    def maps(self, tree: Any) -> bool:
        """Return whether a tree contains a batched tensor."""
        return deepest(tree) is not None

    def loop(
        self, function: Callable[..., Any], args: Any, kwargs: Any = None, *, writes: bool = False
    ) -> Any:
        """Call a function that reads values: for each example by itself, if there are any."""
        level = deepest((args, kwargs))
        if level is None:
            return function(*args, **kwargs or {})
        return one_by_one(function, args, kwargs or {}, level, writes=writes)

    def like(self, function: Callable[..., Tensor], args: Any, kwargs: Any) -> Tensor:
        """Make a new tensor like another one: for each example its own, which may be written."""
        made, levels = function(*args, **kwargs), levels_of(args[0])
        if not levels or isinstance(made, BatchedTensor):
            return made
        sizes = [each.size for each in levels]
        return lift_all(made.expand(*sizes, *made.array.shape).clone(), levels)

    def write(self, target: Tensor, result: Tensor, mark: int | None) -> bool:
        """Write examples into examples; give False if there are none."""
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
        """Call a function that draws random numbers, as the levels want it."""
        self.refuse_to_draw(is_known=True)
        return self.may_draw(function, args, kwargs)

    def may_draw(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Call a function that draws random numbers under circumstances."""
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
        """Raise an error where random numbers are forbidden, or cannot be drawn."""
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
    """Find the innermost level that has something against the same numbers for all."""
    levels: list[Any] = state.levels
    return next((each for each in reversed(levels) if each.randomness != "same"), None)
