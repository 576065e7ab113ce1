"""Forget what backward needs, and compute it anew: time for memory.

Source:
    Chen et al., "Training Deep Nets with Sublinear Memory Cost", 2016, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks
from torch.utils._python_dispatch import TorchDispatchMode

Keep = Callable[[Any], bool]


def checkpoint(function: Callable[..., Any], *inputs: Any, keep: Keep | None = None) -> Any:
    """Call a function, and keep of it nothing that backward can compute anew.

    Backward calls it a second time, with the random numbers and the autocast of the first, when it
    asks for the first tensor; what it has by then computed is given away one by one.

    Args:
        function: Computes the same whenever it is called with the same inputs and random numbers.
        inputs: Its arguments, which are kept.
        keep: Of an operator, such as ``torch.ops.aten.mm.default``: whether its results are kept
            and not computed anew; none are by default.

    Returns:
        What the function returns.

    Raises:
        RuntimeError: In backward, if the second call saves fewer tensors than the first, or other
            ones.
    """
    frame = _Frame(function, inputs, keep)
    with saved_tensors_hooks(frame.forget, frame.recall), frame.keeping():
        return function(*inputs)


class _Frame:
    """One call: what it takes to call again, and what the second call has brought."""

    def __init__(self, function: Callable[..., Any], inputs: tuple[Any, ...], keep: Keep | None):
        self._function, self._inputs, self._keep = function, inputs, keep
        self._kept: dict[Any, list[Any]] = {}
        self._shapes: list[tuple[torch.Size, torch.dtype]] = []
        self._found: dict[int, Tensor] = {}
        self._random = torch.get_rng_state()
        self._devices = sorted({each.device.index for each in _tensors(inputs) if each.is_cuda})
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
            if count < len(self._shapes) and (tensor.shape, tensor.dtype) != self._shapes[count]:
                raise RuntimeError(
                    f"checkpoint: called again, the function saves {_told(tensor)} as its tensor "
                    f"{count}, and {self._shapes[count]} before"
                )
            self._found[count] = tensor.detach()
            count += 1

        def never(_: object) -> Tensor:
            raise RuntimeError("checkpoint: nothing goes backward through the second call")

        inputs = [_again(each) for each in self._inputs]
        with ExitStack() as stack:
            stack.enter_context(torch.random.fork_rng(self._devices))
            torch.set_rng_state(self._random)
            for device, state in zip(self._devices, self._random_of_devices, strict=True):
                torch.cuda.set_rng_state(state, device)
            for device_type, enabled, dtype in self._autocasts:
                if enabled or torch.is_autocast_enabled(device_type):
                    stack.enter_context(torch.autocast(device_type, dtype, enabled))
            stack.enter_context(torch.enable_grad())
            stack.enter_context(saved_tensors_hooks(find, never))
            if self._keep is not None:
                stack.enter_context(_Giving(self._keep, self._kept))
            self._function(*inputs)
        if count < len(self._shapes):
            raise RuntimeError(
                f"checkpoint: called again, the function saves {count} tensors, and "
                f"{len(self._shapes)} before"
            )


class _Keeping(TorchDispatchMode):
    """Keep the results of the operators that are to be kept, in their order."""

    def __init__(self, keep: Keep, kept: dict[Any, list[Any]]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._keep, self._kept = keep, kept

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = function(*args, **(kwargs or {}))
        if self._keep(function):
            self._kept.setdefault(function, []).append(result)
        return result


class _Giving(TorchDispatchMode):
    """Give the results that were kept, in their order, in place of computing them."""

    def __init__(self, keep: Keep, kept: dict[Any, list[Any]]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._keep, self._left = keep, {each: list(results) for each, results in kept.items()}

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        if self._keep(function) and self._left.get(function):
            return self._left[function].pop(0)
        return function(*args, **(kwargs or {}))


def _tensors(values: tuple[Any, ...]) -> list[Tensor]:
    return [each for each in values if isinstance(each, Tensor)]


def _again(value: Any) -> Any:
    if not isinstance(value, Tensor):
        return value
    return value.detach().requires_grad_(value.requires_grad)


def _told(tensor: Tensor) -> str:
    return f"({tensor.shape}, {tensor.dtype})"
