"""Autograd hooks: tensor hooks, retain_grad, saved-tensor hooks, anomaly detection."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable
from typing import Any

from torchstone.microtorch.autograd.node import RemovableHandle, tracing, wants_gradient
from torchstone.microtorch.tensor import Tensor, method

_NO_HOOK = "cannot register a hook on a tensor that doesn't require gradient"


def _refuse_without_gradient(tensor: Tensor, what: str) -> None:
    if not wants_gradient(tensor):
        raise RuntimeError(what)


@method
def register_hook(self: Tensor, hook: Callable[[Tensor], Any]) -> RemovableHandle:
    """Register a hook that is called with the gradient of this tensor.

    ``hook(grad)`` runs once the gradient is complete. A tensor that it returns replaces the
    gradient.
    """
    _refuse_without_gradient(self, _NO_HOOK)
    node = self.grad_fn
    if node is not None:
        return RemovableHandle(node.own_extra().of_output.setdefault(self.output_nr, {}), hook)
    if self._hooks is None:
        self._hooks = {}
    return RemovableHandle(self._hooks, hook)


@method
def register_post_accumulate_grad_hook(
    self: Tensor, hook: Callable[[Tensor], Any]
) -> RemovableHandle:
    """Register a hook that is called with the tensor after its ``grad`` has been accumulated."""
    _refuse_without_gradient(self, _NO_HOOK)
    if not self.is_leaf:
        raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    if self._post_accumulate_hooks is None:
        self._post_accumulate_hooks = {}
    return RemovableHandle(self._post_accumulate_hooks, hook)


@method
def retain_grad(self: Tensor) -> None:
    """Retain the gradient of this non-leaf tensor in ``grad``."""
    _refuse_without_gradient(self, "can't retain_grad on Tensor that has requires_grad=False")
    node = self.grad_fn
    if node is not None:
        node.own_extra().retained[self.output_nr] = weakref.ref(self)
        self._retains_grad = True


class saved_tensors_hooks:
    """Context manager with a pair of functions that pack and unpack tensors saved for backward."""

    def __init__(
        self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]
    ) -> None:
        self._pair = pack_hook, unpack_hook

    def __enter__(self) -> None:
        tracing.saved_hooks.append(self._pair)

    def __exit__(self, *exc: object) -> None:
        tracing.saved_hooks.pop()


class save_on_cpu(saved_tensors_hooks):
    """Context manager that saves tensors for backward on the CPU, where they already are."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(lambda tensor: tensor, lambda tensor: tensor)


class set_detect_anomaly:
    """Switch for anomaly detection: it records forward stacks and rejects NaN gradients."""

    def __init__(self, mode: bool = True, check_nan: bool = True) -> None:
        self._before = tracing.anomaly, tracing.check_nan
        tracing.anomaly, tracing.check_nan = mode, check_nan

    def __enter__(self) -> None:
        """Do nothing: the constructor has set the mode."""

    def __exit__(self, *exc: object) -> None:
        tracing.anomaly, tracing.check_nan = self._before


class detect_anomaly(set_detect_anomaly):
    """Context manager that enables anomaly detection for a block."""

    def __init__(self, check_nan: bool = True) -> None:
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should "
            "only be enabled for debugging.",
            UserWarning,
            stacklevel=2,
        )
        super().__init__(True, check_nan)


def is_anomaly_enabled() -> bool:
    """Return whether anomaly detection is enabled."""
    return tracing.anomaly
