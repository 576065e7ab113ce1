"""``once_differentiable``: mark a backward pass that has no double backward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from torchstone.microtorch.autograd.node import Node, wants_gradient
from torchstone.microtorch.grad_mode import no_grad, state
from torchstone.microtorch.tensor import Tensor, alias


class OnceDifferentiable(Node):
    """Node that raises an error when a once-differentiable result is differentiated again."""

    __slots__ = ()

    def apply(self, *grads: Tensor | None) -> Sequence[Tensor | None]:
        """Raise an error: this gradient has no derivative."""
        raise RuntimeError(
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a ``backward`` as once-differentiable: differentiating its result raises an error."""

    @wraps(fn)
    def backward(ctx: Any, *grads: Any) -> Any:
        with no_grad():
            results = fn(ctx, *grads)
        if not state.enabled or not any(wants_gradient(each) for each in grads):
            return results
        several = isinstance(results, tuple)
        marked = [
            each if each is None else alias(each) for each in (results if several else (results,))
        ]
        for each in marked:
            if each is not None:
                node = OnceDifferentiable()
                node.saved = None
                node.record([each], grads)
        return tuple(marked) if several else marked[0]

    return backward
