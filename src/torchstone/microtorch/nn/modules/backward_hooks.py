"""Module backward hooks: full backward hooks and backward pre-hooks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from torchstone.microtorch.autograd.node import Node, wants_gradient
from torchstone.microtorch.grad_mode import state
from torchstone.microtorch.tensor import Tensor, alias

if TYPE_CHECKING:
    from torchstone.microtorch.nn.modules.hooked import Hooked

Grads = tuple[Tensor | None, ...]


class BackwardHookFunctionBackward(Node):
    """Node that passes gradients through a hook."""

    __slots__ = ("show",)
    show: Callable[[Grads], Grads]

    def apply(self, *grads: Tensor | None) -> Sequence[Tensor | None]:
        """Call the hook with the gradients, and return its result."""
        return self.show(grads)


def call_with_backward_hooks(
    module: Hooked,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    before: list[Callable[..., Any]],
    after: list[Callable[..., Any]],
) -> Any:
    """Call ``forward`` between two nodes: one sees the output gradients, one the input gradients.

    Each node has as many outputs as there are tensors, so it runs once, when all gradients are
    there.
    """
    grad_outputs: list[Grads] = []

    def coming(grads: Grads) -> Grads:
        for hook in before:
            grads = _changed(grads, hook(module, grads), "Backward pre hook", "grad_output")
        grad_outputs[:] = [grads]
        if after and not any(wants_gradient(each) for each in args):
            warnings.warn(
                "Full backward hook is firing when gradients are computed with respect to module "
                "outputs since no inputs require gradients. See https://docs.pytorch.org/docs/main/"
                "generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook for "
                "more details.",
                stacklevel=2,
            )
            going((None,) * len(args))
        return grads

    def going(grads: Grads) -> Grads:
        # If no output gradient arrived, ``grad_output`` is unknown.
        for hook in after if grad_outputs else ():
            changed = hook(module, grads, grad_outputs[-1])
            grads = _changed(grads, changed, "Backward hook", "grad_input")
        return grads

    result = module.forward(*_through(args, going, with_zeros=True), **kwargs)
    if not isinstance(result, Tensor | tuple):
        warnings.warn(
            "For backward hooks to be called, module output should be a Tensor or a tuple of "
            f"Tensors but received {type(result)}",
            stacklevel=3,
        )
    several = isinstance(result, tuple)
    shown = _through(result if several else (result,), coming)
    if not several:
        return shown[0]
    return type(result)(*shown) if hasattr(result, "_fields") else shown


def _changed(grads: Grads, changed: Any, who: str, what: str) -> Grads:
    if changed is None:
        return grads
    given = changed if isinstance(changed, tuple) else (changed,)
    if len(given) != len(grads):
        raise RuntimeError(
            f"{who} returned an invalid number of {what}, got {len(given)}, but expected "
            f"{len(grads)}"
        )
    return given


def _through(
    values: tuple[Any, ...], show: Callable[[Grads], Grads], with_zeros: bool = False
) -> tuple[Any, ...]:
    """Insert a node between the tensors and the operations that use them."""
    places = [place for place, each in enumerate(values) if isinstance(each, Tensor)]
    tensors = [values[place] for place in places]
    if not state.enabled or not any(wants_gradient(each) for each in tensors):
        return values

    def shown(grads: Grads) -> Grads:
        """Call the hook with the gradients in the positions of the tensors, and None elsewhere."""
        spread: list[Tensor | None] = [None] * len(values)
        for place, grad in zip(places, grads, strict=True):
            is_zero = grad is None and with_zeros
            spread[place] = values[place].new_zeros(values[place].shape) if is_zero else grad
        changed = show(tuple(spread))
        return tuple(changed[place] for place in places)

    node = BackwardHookFunctionBackward()
    node.saved, node.show = None, shown
    copies = [alias(each) for each in tensors]
    node.record(copies, tensors)
    rest = iter(copies)
    return tuple(next(rest) if isinstance(each, Tensor) else each for each in values)


def show_node(result: Any, args: tuple[Any, ...], hooks: Sequence[Callable[..., Any]]) -> None:
    """Register hooks with the node that produced the first tensor of a result."""
    while not isinstance(result, Tensor):
        values = list(result.values()) if isinstance(result, dict) else result
        result = next((each for each in values if isinstance(each, Tensor)), values[0])
    node = result.grad_fn
    if node is None:
        return
    reached = {each for each, _ in node.next_functions if each is not None}
    own = {each.grad_fn for each in args if isinstance(each, Tensor) and each.grad_fn is not None}
    if not own <= reached or any(each.name() != "AccumulateGrad" for each in reached - own):
        warnings.warn(
            "Using a non-full backward hook when the forward contains multiple autograd Nodes is "
            "deprecated and will be removed in future versions. This hook will be missing some "
            "grad_input. Please use register_full_backward_hook to get the documented behavior.",
            FutureWarning,
            stacklevel=4,
        )
    for hook in hooks:
        node.register_hook(hook)
