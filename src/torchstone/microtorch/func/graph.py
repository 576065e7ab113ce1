"""Autograd shared by the function transforms: their variables and gradients.

A transform differentiates with respect to its own tensors. Inside ``vmap`` each of these has a
batch dimension: a parameter shared by all examples is repeated, and so gets one gradient for each.
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
    """Inputs of a function that is differentiated.

    Attributes:
        seen: The tensors as the function sees them.
        plain: The same tensors with the batch dimensions of all ``vmap`` levels in front.
        levels: These levels, outermost first.
        is_inside: The tensors are derived from tensors that require gradients themselves.
    """

    seen: list[Tensor]
    plain: list[Tensor]
    levels: list[Any]
    is_inside: bool


def variables(tensors: Sequence[Any]) -> Variables:
    """Create variables from tensors, connected to those that require gradients themselves.

    Raises:
        ValueError: A value is not a tensor.
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
    """Return the gradients of outputs with respect to variables; zeros for unused variables.

    The graph is retained.
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
    """Detach the tensors of a tree, unless an outer graph still needs their history."""
    if is_kept:
        return tree
    return mapped(lambda each: each.detach() if isinstance(each, Tensor) else each, tree)
