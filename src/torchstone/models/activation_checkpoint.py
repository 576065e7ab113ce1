"""Activation checkpointing: recompute activations in the backward pass to save memory.

Source:
    Chen et al., "Training Deep Nets with Sublinear Memory Cost", 2016, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

Keep = Callable[[Any], bool]


def checkpoint(function: Callable[..., Any], *inputs: Any, keep: Keep | None = None) -> Any:
    """Call a function, and recompute its activations in the backward pass.

    At the first access to a saved tensor, backward calls the function again, with the random state
    and the autocast state of the first call. That call stops as soon as all saved tensors have been
    recomputed; they are released one by one.

    Args:
        function: Must compute the same for the same inputs and random numbers.
        inputs: Its arguments, which are saved.
        keep: Whether to save the results of an operator, such as ``torch.ops.aten.mm.default``,
            instead of recomputing them; by default none are saved. An operator that modifies its
            arguments, or returns a view of them, is always called again.

    Returns:
        The result of the function.

    Raises:
        RuntimeError: In backward, if the second call saves fewer tensors than the first, or other
            ones; or if an input or a saved result was modified in place in between.
    """
    if not torch.is_grad_enabled():
        return function(*inputs)
    frame = _Frame(function, inputs, keep)
    with saved_tensors_hooks(frame.forget, frame.recall), frame.keeping():
        return function(*inputs)


class _Frame:
    """One checkpointed call: what is needed to repeat it, and the recomputed tensors."""

    def __init__(self, function: Callable[..., Any], inputs: tuple[Any, ...], keep: Keep | None):
        self._function, self._keep = function, keep
        tensors = [each for each in inputs if isinstance(each, Tensor)]
        # Saved by autograd, so that in-place changes are detected and an enclosing checkpoint can
        # discard them like other saved tensors.
        leaf = torch.empty(0, requires_grad=True)
        self._holder = _Inputs.apply(leaf, *tensors).grad_fn  # type: ignore[no-untyped-call]
        self._inputs = [_HELD if isinstance(each, Tensor) else each for each in inputs]
        self._kept: dict[Any, list[Any]] = {}
        self._shapes: list[tuple[torch.Size, torch.dtype]] = []
        self._found: dict[int, Tensor] = {}
        self._random = torch.get_rng_state()
        self._devices = sorted({each.device.index for each in tensors if each.is_cuda})
        self._random_of_devices = [torch.cuda.get_rng_state(each) for each in self._devices]
        self._autocasts = [
            (device, torch.is_autocast_enabled(device), torch.get_autocast_dtype(device))
            for device in ("cpu", "cuda")
        ]

    def forget(self, tensor: Tensor) -> int:
        self._shapes.append((tensor.shape, tensor.dtype))
        return len(self._shapes) - 1

    def recall(self, index: int) -> Tensor:
        if index not in self._found:
            self._compute()
        return self._found.pop(index)

    @contextmanager
    def keeping(self) -> Iterator[None]:
        if self._keep is None:
            yield
            return
        with _Keeping(self._keep, self._kept):
            yield

    def _compute(self) -> None:
        count = 0

        def find(tensor: Tensor) -> None:
            nonlocal count
            if count < len(self._shapes):
                if (tensor.shape, tensor.dtype) != self._shapes[count]:
                    raise RuntimeError(
                        f"checkpoint: called again, the function saves {_told(tensor)} as its "
                        f"tensor {count}, and {self._shapes[count]} before"
                    )
                self._found[count] = tensor.detach()
                count += 1
            if count == len(self._shapes):
                raise _Enough

        def never(_: object) -> Tensor:
            raise RuntimeError("checkpoint: nothing goes backward through the second call")

        held = iter(self._holder.saved_tensors)
        inputs = [_again(next(held)) if each is _HELD else each for each in self._inputs]
        with ExitStack() as stack:
            stack.enter_context(self._as_before())
            stack.enter_context(torch.enable_grad())
            stack.enter_context(saved_tensors_hooks(find, never))
            if self._keep is not None:
                stack.enter_context(_Giving(self._keep, self._kept))
            stack.enter_context(suppress(_Enough))
            self._function(*inputs)
        if count < len(self._shapes):
            raise RuntimeError(
                f"checkpoint: called again, the function saves {count} tensors, and "
                f"{len(self._shapes)} before"
            )

    @contextmanager
    def _as_before(self) -> Iterator[None]:
        """Restore the random state and the autocast state of the first call. A context manager."""
        with ExitStack() as stack:
            stack.enter_context(torch.random.fork_rng(self._devices))
            torch.set_rng_state(self._random)
            for device, state in zip(self._devices, self._random_of_devices, strict=True):
                torch.cuda.set_rng_state(state, device)
            for device_type, enabled, dtype in self._autocasts:
                if enabled or torch.is_autocast_enabled(device_type):
                    stack.enter_context(torch.autocast(device_type, dtype, enabled))
            yield


# Placeholder of a tensor among the inputs.
_HELD = object()


class _Enough(Exception):
    """Raised when the second call has recomputed all that the first one saved."""


class _Inputs(torch.autograd.Function):
    """Function that saves tensors and computes nothing."""

    @staticmethod
    def forward(ctx: Any, leaf: Tensor, *tensors: Tensor) -> Tensor:
        ctx.save_for_backward(*tensors)
        return torch.empty(0)


class _Keeping(TorchDispatchMode):
    """Mode that saves the results of selected operators, in order."""

    def __init__(self, keep: Keep, kept: dict[Any, list[Any]]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._keep, self._kept = keep, kept

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = function(*args, **(kwargs or {}))
        if _is_kept(function, self._keep):
            self._kept.setdefault(function, []).append(tree_map(_Kept, result))
        return result


class _Giving(TorchDispatchMode):
    """Mode that returns saved results, in order, instead of computing them."""

    def __init__(self, keep: Keep, kept: dict[Any, list[Any]]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._keep, self._left = keep, {each: list(results) for each, results in kept.items()}

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        if _is_kept(function, self._keep) and self._left.get(function):
            return tree_map(_Kept.give, self._left[function].pop(0))
        return function(*args, **(kwargs or {}))


def _is_kept(function: Any, keep: Keep) -> bool:
    # In-place operators must run again, and views need no saving. Results returned from the cache
    # may be detached, because the second call only recomputes tensors.
    schema = function._schema
    is_view = any(each.alias_info is not None for each in schema.returns)
    return not is_view and not schema.is_mutable and keep(function)


class _Kept:
    """Saved result, with its version."""

    def __init__(self, value: Any) -> None:
        self._value = _alone(value)
        self._version = value._version if isinstance(value, Tensor) else None

    def give(self) -> Any:
        if self._version is not None and self._value._version != self._version:
            raise RuntimeError(
                f"checkpoint: a result of shape {tuple(self._value.shape)} that was kept has been "
                f"changed in place; do not keep it, or change a copy"
            )
        return _alone(self._value)


def _alone(value: Any) -> Any:
    """Detach a tensor from its graph, to avoid a reference cycle with the call that saves it."""
    if not isinstance(value, Tensor):
        return value
    # Below autograd, the two share a version counter only with this guard.
    with torch._C._SetExcludeDispatchKeyGuard(torch._C.DispatchKey.ADInplaceOrView, False):
        return value.detach()


def _again(tensor: Tensor) -> Tensor:
    return tensor.detach().requires_grad_(tensor.requires_grad)


def _told(tensor: Tensor) -> str:
    return f"({tensor.shape}, {tensor.dtype})"
