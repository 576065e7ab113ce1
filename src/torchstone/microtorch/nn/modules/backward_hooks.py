"""Hooks on the backward pass of a module: called with the gradients of all inputs, or outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from torchstone.microtorch.autograd.node import Node, wants_gradient
from torchstone.microtorch.grad_mode import state
from torchstone.microtorch.tensor import Tensor, alias

if TYPE_CHECKING:
    from torchstone.microtorch.nn.modules.hooked import Hooked


class BackwardHookFunctionBackward(Node):
    """Passes gradients through, and shows them to somebody."""

    __slots__ = ("show",)
    show: Callable[[tuple[Tensor | None, ...]], Any]

    def apply(self, *grads: Tensor | None) -> Sequence[Tensor | None]:
        """Show the gradients, and give what comes back."""
        changed = self.show(grads)
        if changed is None:
            return grads
        return changed if isinstance(changed, tuple) else (changed,)


def call_with_backward_hooks(module: Hooked, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call ``forward`` between a node that sees the gradients come in, and one that sees them go.

    Both are nodes of as many outputs as there are tensors: it is called once, when all are there.
    """
    grad_outputs: list[tuple[Tensor | None, ...]] = []

    def coming(grads: tuple[Tensor | None, ...]) -> Any:
        for hook in list(module._backward_pre_hooks.values()):
            changed = hook(module, grads)
            if changed is not None:
                grads = changed if isinstance(changed, tuple) else (changed,)
        grad_outputs[:] = [grads]
        if not any(wants_gradient(each) for each in args):
            going((None,) * len(args))
        return grads

    def going(grads: tuple[Tensor | None, ...]) -> Any:
        for hook in list(module._backward_hooks.values()):
            changed = hook(module, grads, grad_outputs[-1])
            if changed is not None:
                grads = changed if isinstance(changed, tuple) else (changed,)
        return grads

    result = module.forward(*_through(args, going), **kwargs)
    several = isinstance(result, tuple)
    shown = _through(result if several else (result,), coming)
    return shown if several else shown[0]


def _through(values: tuple[Any, ...], show: Callable[..., Any]) -> tuple[Any, ...]:
    """Put a node between the tensors and whoever takes them."""
    tensors = [each for each in values if isinstance(each, Tensor)]
    if not state.enabled or not any(wants_gradient(each) for each in tensors):
        return values
    node = BackwardHookFunctionBackward()
    node.saved, node.show = None, show
    copies = [alias(each) for each in tensors]
    node.record(copies, tensors)
    rest = iter(copies)
    return tuple(next(rest) if isinstance(each, Tensor) else each for each in values)
