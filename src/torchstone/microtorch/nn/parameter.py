"""``Parameter`` and ``Buffer``: tensors that a module registers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torchstone.microtorch.tensor import Tensor


class Parameter(Tensor):
    """Tensor that a module registers as a parameter when it is assigned to an attribute."""

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        """Create a parameter that shares the memory of a tensor."""
        made = super().__new__(cls, data.detach()) if data is not None else super().__new__(cls, 0)
        if requires_grad and made.array.dtype.kind not in "fc":
            raise RuntimeError(
                "Only Tensors of floating point and complex dtype can require gradients"
            )
        made.requires_grad = requires_grad
        return made

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        super().__init__()

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"


def clear_gradients(parameters: Iterable[Tensor], set_to_none: bool) -> None:
    """Set the gradients of parameters to None, or to zero in place."""
    for parameter in parameters:
        if set_to_none or parameter._grad is None:
            parameter._grad = None
        elif parameter._grad.grad_fn is not None and parameter._grad._base is None:
            parameter._grad.detach_().zero_()
        else:
            # The gradient may be a view of a longer tensor.
            parameter._grad.detach().zero_()


class _AnyBuffer(type):
    """Metaclass for which tensors marked as buffers are instances of ``Buffer``."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and "_is_buffer" in instance.__dict__


class Buffer(Tensor, metaclass=_AnyBuffer):
    """Tensor that a module registers as a buffer when it is assigned to an attribute.

    The instances are plain tensors with a mark.
    """

    persistent: bool

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Any:
        """Return a marked tensor that shares the memory of the given one."""
        made: Any = Tensor(0) if data is None else data.detach().requires_grad_(data.requires_grad)
        made._is_buffer, made.persistent = True, persistent
        return made
