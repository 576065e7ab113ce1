"""Autograd shared by the function transforms: their variables and gradients.

A transform works on tensors of its own. Inside ``vmap`` each of them holds one value for each
example: a parameter that all examples share is repeated, and so gets a gradient for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torchstone.microtorch.autograd.gradients import grad
from torchstone.microtorch.autograd.node import AccumulateGrad, Node, gradient_edge, wants_gradient
from torchstone.microtorch.func.batched import levels_of, lift_all, lower_all
from torchstone.microtorch.func.tree import mapped
from torchstone.microtorch.grad_mode import state
from torchstone.microtorch.ops.namespace import functions
from torchstone.microtorch.tensor import Tensor, alias


@dataclass(frozen=True, slots=True, kw_only=True)
class Variables:
    """The inputs of a function that is differentiated.

    Attributes:
        seen: The tensors as the function sees them.
        plain: The same without the leading dimensions of the levels of ``vmap``.
        levels: These levels, the outermost first.
        is_inside: They come from tensors that want a gradient themselves.
    """

    seen: list[Tensor]
    plain: list[Tensor]
    levels: list[Any]
    is_inside: bool


def variables(tensors: Sequence[Any]) -> Variables:
    """Make variables of some tensors: connected to these where they want a gradient themselves.

    Raises:
        ValueError: One is no tensor.
    """
    levels, plain, is_inside = list(state.levels), [], False
    for each in tensors:
        if not isinstance(each, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(each)}")
        whole = lower_all(each, levels)
        if state.enabled and wants_gradient(whole):
            is_inside = True
            plain.append(whole.view_as(whole))
        else:
            plain.append(alias(whole).requires_grad_())
    seen = [lift_all(each, levels) for each in plain]
    return Variables(seen=seen, plain=plain, levels=levels, is_inside=is_inside)


def gradients(
    outputs: Sequence[Tensor],
    inputs: Variables,
    grads: Sequence[Tensor],
    *,
    create_graph: bool,
) -> list[Tensor]:
    """Return the gradients of some outputs with respect to variables; zeros where there is none.

    The graph is kept.
    """
    roots, flows = [], []
    for output, flow in zip(outputs, grads, strict=True):
        if wants_gradient(output):
            levels = levels_of(output)
            roots.append(lower_all(output, levels))
            flows.append(lower_all(flow, levels))
    found: Sequence[Tensor | None] = [None] * len(inputs.seen)
    if roots:
        found = grad(roots, inputs.plain, flows, True, create_graph=create_graph, allow_unused=True)
    return [
        functions["torch"]["zeros_like"](seen) if each is None else lift_all(each, inputs.levels)
        for seen, each in zip(inputs.seen, found, strict=True)
    ]


def is_watched(outputs: Sequence[Tensor], inputs: Variables) -> bool:
    """Return whether outputs depend on another tensor that requires a gradient."""
    if not state.enabled:
        return False
    if inputs.is_inside:
        return True
    own = {id(each) for each in inputs.plain}
    stack = [edge.node for each in outputs if (edge := gradient_edge(each)) is not None]
    seen: set[Node] = set(stack)
    while stack:
        node = stack.pop()
        if isinstance(node, AccumulateGrad) and id(node.variable) not in own:
            return True
        for edge in node.edges:
            if edge is not None and edge.node not in seen:
                seen.add(edge.node)
                stack.append(edge.node)
    return False


def released(tree: Any, *, is_kept: bool) -> Any:
    """Take the history of a transform away from what it gives, unless somebody else is in it."""
    if is_kept:
        return tree
    return mapped(lambda each: each.detach() if isinstance(each, Tensor) else each, tree)
