"""Activation checkpointing: recompute activations in the backward pass to save memory."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from torchstone.microtorch.autograd.function import Function
from torchstone.microtorch.autograd.gradients import backward
from torchstone.microtorch.autograd.hooks import saved_tensors_hooks
from torchstone.microtorch.autograd.node import SavedTensor, wants_gradient
from torchstone.microtorch.func.tree import flatten, unflatten
from torchstone.microtorch.generator import default_generator
from torchstone.microtorch.grad_mode import enable_grad, set_grad_enabled, state
from torchstone.microtorch.tensor import Tensor


class CheckpointError(RuntimeError):
    """Raised when recomputation differs from the first computation."""


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    determinism_check: str = "default",
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """Call a function saving only its inputs, and recompute the rest in the backward pass.

    Args:
        function: The function, which is called twice.
        args: Its arguments.
        use_reentrant: True runs a backward pass of its own inside the pass; False recomputes the
            saved tensors at the first access. False is recommended.
        preserve_rng_state: Draw the same random numbers the second time.
        determinism_check: "default" compares shapes and dtypes of the saved tensors; "none"
            checks nothing.
        early_stop: Stop the second call when all saved tensors have been recomputed.
        kwargs: Keyword arguments of the function.
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. "
            "use_reentrant=False is recommended, but if you need to preserve the current default "
            "behavior, you can pass use_reentrant=True.",
            stacklevel=2,
        )
        use_reentrant = True
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        return _Reentrant.apply(function, preserve_rng_state, *args)
    if determinism_check not in ("default", "none"):
        raise ValueError(
            f"determinism_check should be one of ['default', 'none'], but got {determinism_check}"
        )
    if not state.enabled:
        return function(*args, **kwargs)
    frame = _Frame(function, (args, kwargs), preserve_rng_state)
    frame.checks, frame.stops_early = determinism_check != "none", early_stop
    with saved_tensors_hooks(frame.note, frame.give):
        return function(*args, **kwargs)


def checkpoint_sequential(
    functions: Any,
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    *,
    preserve_rng_state: bool = True,
) -> Any:
    """Call functions in sequence, in segments; checkpoint all segments but the last.

    Args:
        functions: A ``Sequential``, or a list.
        segments: The number of segments.
        input: The input of the first function.
        use_reentrant: See ``checkpoint``.
        preserve_rng_state: See ``checkpoint``.
    """
    steps = list(functions.children()) if hasattr(functions, "children") else list(functions)
    size = len(steps) // segments

    def run(start: int, stop: int) -> Callable[[Any], Any]:
        def part(value: Any) -> Any:
            for step in steps[start:stop]:
                value = step(value)
            return value

        return part

    start = 0
    for _ in range(segments - 1):
        input = checkpoint(
            run(start, start + size),
            input,
            use_reentrant=use_reentrant,
            preserve_rng_state=preserve_rng_state,
        )
        start += size
    return run(start, len(steps))(input)


@contextmanager
def _random_state(wanted: Any) -> Iterator[None]:
    """Set the random state for a block, and restore it. A context manager."""
    if wanted is None:
        yield
        return
    before = default_generator.get_state()
    default_generator.set_state(wanted)
    try:
        yield
    finally:
        default_generator.set_state(before)


# Non-reentrant: recomputation at the first access.


class _Enough(BaseException):
    """Raised to stop recomputation once all saved tensors have been recomputed."""


class _Frame:
    """One checkpointed call: its inputs and its recomputed tensors.

    Attributes:
        kinds: The shape and dtype of each saved tensor, in order.
        found: Number -> recomputed tensor; each is removed when it is read.
    """

    checks = stops_early = True

    def __init__(self, function: Callable[..., Any], inputs: Any, preserves: bool) -> None:
        self.function = function
        leaves, self.spec = flatten(inputs)
        # Saved, because inside another checkpoint the inputs themselves are recomputed.
        self.leaves = [SavedTensor(x) if isinstance(x, Tensor) else x for x in leaves]
        self.random = default_generator.get_state() if preserves else None
        self.kinds: list[tuple[tuple[int, ...], Any]] = []
        self.found: dict[int, Tensor] = {}

    def note(self, tensor: Tensor) -> int:
        """Return a number that replaces a saved tensor."""
        self.kinds.append((tensor.array.shape, tensor.array.dtype))
        return len(self.kinds) - 1

    def give(self, number: int) -> Tensor:
        """Return the tensor of a number, recomputing if needed."""
        if number not in self.found:
            self.found = self._again()
        try:
            return self.found.pop(number)
        except KeyError:
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the "
                f"original forward and recomputation.\nNumber of tensors saved during forward: "
                f"{len(self.kinds)}\nNumber of tensors saved during recomputation: "
                f"{len(self.found)}."
            ) from None

    def _again(self) -> dict[int, Tensor]:
        found: dict[int, Tensor] = {}

        def keep(tensor: Tensor) -> Tensor:
            number, kept = len(found), tensor.detach()
            kind = tensor.array.shape, tensor.array.dtype
            if self.checks and (number >= len(self.kinds) or self.kinds[number] != kind):
                raise CheckpointError(
                    "torch.utils.checkpoint: Recomputed values for the following tensors have "
                    f"different metadata than during the forward pass: tensor at position {number}"
                )
            found[number] = kept
            if self.stops_early and len(found) == len(self.kinds):
                raise _Enough
            return kept

        node: Any = None
        leaves = [each.get(node) if isinstance(each, SavedTensor) else each for each in self.leaves]
        args, kwargs = unflatten(leaves, self.spec)
        try:
            with (
                _random_state(self.random),
                enable_grad(),
                saved_tensors_hooks(keep, lambda tensor: tensor),
            ):
                self.function(*args, **kwargs)
        except _Enough:
            pass
        return found


# Reentrant: a backward pass inside the pass.


class _Reentrant(Function):
    @staticmethod
    def forward(ctx: Any, function: Callable[..., Any], preserves: bool, *args: Any) -> Any:
        """Compute without recording, and save the inputs."""
        if not any(wants_gradient(each) for each in args):
            warnings.warn(
                "None of the inputs have requires_grad=True. Gradients will be None", stacklevel=3
            )
        ctx.run, ctx.random = function, default_generator.get_state() if preserves else None
        ctx.places = [place for place, each in enumerate(args) if isinstance(each, Tensor)]
        ctx.others = [None if isinstance(each, Tensor) else each for each in args]
        ctx.save_for_backward(*[args[place] for place in ctx.places])
        return function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Compute again with recording, and run backward through it."""
        args = list(ctx.others)
        for place, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
            args[place] = tensor.detach().requires_grad_(wants_gradient(tensor))
        with _random_state(ctx.random), enable_grad():
            outputs: Any = ctx.run(*args)
        several: Sequence[Any] = outputs if isinstance(outputs, tuple) else (outputs,)
        pairs = [
            pair for pair in zip(several, grads, strict=True) if isinstance(pair[0], Tensor)
            and wants_gradient(pair[0])
        ]  # fmt: skip
        if not pairs:
            raise RuntimeError(
                "none of output has requires_grad=True, this checkpoint() is not necessary"
            )
        with set_grad_enabled(False):
            backward([each for each, _ in pairs], [each for _, each in pairs])
        return (None, None, *[each.grad if isinstance(each, Tensor) else None for each in args])
