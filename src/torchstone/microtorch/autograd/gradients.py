"""Entry points of the backward pass: ``backward`` and ``grad``."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchstone.microtorch.autograd.engine import Roots, Run, accumulate
from torchstone.microtorch.autograd.node import Node, gradient_edge
from torchstone.microtorch.tensor import Tensor, wrap

Tensors = Tensor | Sequence[Tensor]


def backward(
    tensors: Tensors,
    grad_tensors: Tensors | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Tensors | None = None,
) -> None:
    """Accumulate the gradients of some tensors into the ``grad`` of the leaves of their graph.

    Args:
        tensors: The tensors to differentiate.
        grad_tensors: The gradients of ``tensors``; 1 by default for a single element.
        retain_graph: Keep the saved tensors for another pass; ``create_graph`` by default.
        create_graph: Record the pass, so that the gradients can be differentiated in turn.
        grad_variables: The deprecated name of ``grad_tensors``.
        inputs: The only tensors to accumulate into; all leaves by default.
    """
    if grad_variables is not None:
        warnings.warn(
            "`grad_variables` is deprecated. Use `grad_tensors` instead.",
            FutureWarning,
            stacklevel=2,
        )
        if grad_tensors is not None:
            raise RuntimeError("`grad_tensors` and `grad_variables` are the same: pass one of them")
        grad_tensors = grad_variables
    roots = _roots(_as_tuple(tensors), grad_tensors)
    keep = create_graph if retain_graph is None else retain_graph
    if inputs is None:
        Run(retain_graph=keep, create_graph=create_graph).run(roots)
        return
    targets = _as_tuple(inputs)
    if not targets:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    found = _run_for(targets, roots, keep, create_graph, fills=True)
    for target, grad in zip(targets, found, strict=True):
        if grad is not None:
            accumulate(target, grad, is_new=False, create_graph=create_graph)


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Tensors | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """Return the gradients of outputs with respect to inputs; no ``grad`` attribute is changed.

    Args:
        outputs: The tensors to differentiate.
        inputs: The tensors with respect to which to differentiate.
        grad_outputs: The gradients of ``outputs``; 1 by default for a single element.
        retain_graph: Keep the saved tensors for another pass; ``create_graph`` by default.
        create_graph: Record the pass, so that the gradients can be differentiated in turn.
        only_inputs: Not used.
        allow_unused: Return None, instead of raising, for an input that the outputs do not use.
        is_grads_batched: ``grad_outputs`` have a leading batch dimension: one pass for each entry.
        materialize_grads: Return zeros instead of None.
    """
    targets = _as_tuple(inputs)
    if not targets:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False."
        )
    if is_grads_batched:
        found = _batched_grad(_as_tuple(outputs), targets, grad_outputs, create_graph)
    else:
        keep = create_graph if retain_graph is None else retain_graph
        roots = _roots(_as_tuple(outputs), grad_outputs)
        found = _run_for(targets, roots, keep, create_graph)
    if materialize_grads:
        found = [
            wrap(np.zeros_like(target.array)) if each is None else each
            for target, each in zip(targets, found, strict=True)
        ]
    elif not allow_unused and (unused := [n for n, each in enumerate(found) if each is None]):
        raise RuntimeError(
            f"The differentiated Tensor at index {unused[0]} appears to not have been used "
            "in the graph. Set allow_unused=True if this is the desired behavior."
        )
    return tuple(found)


def _batched_grad(
    outputs: tuple[Tensor, ...],
    inputs: tuple[Tensor, ...],
    grad_outputs: Any,
    create_graph: bool,
) -> list[Tensor | None]:
    from torchstone.microtorch.ops.joining import stack

    rows = [
        grad(outputs, inputs, row, True, create_graph, allow_unused=True)
        for row in zip(*_as_tuple(grad_outputs), strict=True)
    ]
    columns = zip(*rows, strict=True)
    return [None if each[0] is None else stack(list(each)) for each in columns]


def _as_tuple(tensors: Any) -> tuple[Any, ...]:
    return (tensors,) if isinstance(tensors, Tensor) or tensors is None else tuple(tensors)


def _run_for(
    targets: Sequence[Tensor],
    roots: Roots,
    retain_graph: bool,
    create_graph: bool,
    *,
    fills: bool = False,
) -> list[Tensor | None]:
    """Compute the gradients with respect to some tensors."""
    edges = [gradient_edge(target) for target in targets]
    if None in edges:
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    asked = [edge for edge in edges if edge is not None]
    run = Run(retain_graph=retain_graph, create_graph=create_graph, wanted=asked, fills=fills)
    run.run(roots)
    return [run.found.get((edge.node, edge.number)) for edge in asked]


def _roots(outputs: tuple[Tensor, ...], grads: Any) -> Roots:
    given = _as_tuple(grads) if grads is not None else (None,) * len(outputs)
    for each in given:
        if each is not None and not isinstance(each, Tensor):
            raise TypeError(
                f"gradients can be either Tensors or None, but got {type(each).__name__}"
            )
    if len(given) < len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(given)} gradients")
    return [
        (_root_edge(number, output), _root_grad(number, output, grad))
        for number, (output, grad) in enumerate(zip(outputs, given, strict=False))
    ]


def _root_edge(number: int, output: Tensor) -> Node:
    edge = gradient_edge(output)
    if edge is None:
        raise RuntimeError(
            f"element {number} of tensors does not require grad and does not have a grad_fn"
        )
    return edge


def _root_grad(number: int, output: Tensor, grad: Tensor | None) -> Tensor:
    if grad is not None:
        if grad.array.shape != output.array.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[{number}] has a shape of {grad.shape} and "
                f"output[{number}] has a shape of {output.shape}."
            )
        if "c" in (kinds := grad.array.dtype.kind + output.array.dtype.kind) and kinds != "cc":
            raise RuntimeError(
                "For complex Tensors, both grad_output and output are required to have the same "
                f"dtype. Mismatch in dtype: grad_output[{number}] has a dtype of {grad.dtype} and "
                f"output[{number}] has a dtype of {output.dtype}."
            )
        return grad
    if output.array.size != 1:
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    if output.array.dtype.kind == "c":
        raise RuntimeError(
            f"grad can be implicitly created only for real scalar outputs but got {output.dtype}"
        )
    return wrap(np.ones_like(output.array))
