"""First and second derivatives of a submission's results along unpredictable directions."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

import torch

from ..protocol.records import Answer, Arguments, CallData
from .fault import Fault, attempt
from .observe import Tensor, dtype_of, is_plain, name_of, needs_grad, sendable, shape_of

# A submission may rebind names in `builtins`; this module looks names up in a copy.
__builtins__ = dict(vars(builtins))  # type: ignore[assignment]

_grad = torch.autograd.grad
_backward: Callable[..., None] = torch.autograd.backward


def vjp(
    outputs: Sequence[Tensor],
    inputs: Sequence[Tensor],
    cotangents: Sequence[Tensor],
    **options: Any,
) -> list[Any]:
    """Compute vector-Jacobian products with the captured ``torch.autograd.grad``.

    Unused inputs give ``None``.
    """
    return list(_grad(list(outputs), list(inputs), list(cotangents), allow_unused=True, **options))


def require_grad(
    args: list[Any], kwargs: Arguments, parameters: dict[str, Tensor], wrt: Sequence[int | str]
) -> dict[str, Tensor]:
    """Make the differentiated arguments require gradients; return these leaves by name.

    Args:
        args: Positional arguments of the call.
        kwargs: Keyword arguments of the call.
        parameters: Parameters of the module that is called.
        wrt: Positions, keywords, or ``state.`` and the name of a parameter.
    """
    leaves: dict[str, Tensor] = {}
    for key in wrt:
        if isinstance(key, str) and key.startswith("state."):
            leaves[key] = parameters[key.removeprefix("state.")]
            continue
        leaf = args[key] if isinstance(key, int) else kwargs[key]
        leaves[str(key)] = leaf.requires_grad_()
    return leaves


def gradients(outputs: list[Tensor], wrt: dict[str, Tensor], data: CallData) -> Answer:
    """Compute first derivatives of the outputs, and second ones where ``second`` asks for them.

    Args:
        outputs: Results of the call.
        wrt: Leaves by name.
        data: The request: a cotangent for each output, and directions for the second derivative.
    """
    pairs = [(y, g) for y, g in zip(outputs, data["cotangents"], strict=False) if g is not None]
    if any(shape_of(y) != shape_of(g) or dtype_of(y) != dtype_of(g) for y, g in pairs):
        # A wrong shape or dtype is reported from the result; autograd would raise.
        return {}
    second = data["second"]
    differentiable = [(y, g.requires_grad_() if second else g) for y, g in pairs if needs_grad(y)]
    if not differentiable:
        return {f"grad.{name}": None for name in wrt}
    ys, gs = [y for y, _ in differentiable], [g for _, g in differentiable]
    grads = vjp(ys, list(wrt.values()), gs, create_graph=bool(second), retain_graph=True)
    found: Answer = {f"grad.{name}": _gradient(g) for name, g in zip(wrt, grads, strict=True)}
    if second:
        attempted = attempt(lambda: _second(grads, gs, wrt, second))
        found |= (
            attempted["value"] if "value" in attempted else {"second.raised": attempted["raised"]}
        )
    return found


def _gradient(value: Any) -> Any:
    if value is None:
        return None
    if not is_plain(value):
        raise Fault("gradient_type", type=name_of(value))
    return sendable(value)


def _second(
    grads: list[Any], cotangents: list[Tensor], wrt: dict[str, Tensor], second: Sequence[Tensor]
) -> Answer:
    leaves = list(wrt.values())
    terms = [
        (g * v).sum() for g, v in zip(grads, second, strict=True) if g is not None and needs_grad(g)
    ]
    names = [f"second.{name}" for name in wrt] + [
        f"second.cotangent.{i}" for i in range(len(cotangents))
    ]
    # The zero terms keep every leaf in the graph. `.backward()` instead of `grad(inputs=...)` keeps
    # the error node of `once_differentiable`, which pruning would skip, so that an explicit refusal
    # to differentiate is not lost.
    anchors = [(leaf * 0).sum() for leaf in leaves + cotangents]
    for leaf in leaves + cotangents:
        leaf.grad = None
    _backward(sum(terms + anchors, torch.zeros(())))
    found = {
        name: _gradient(leaf.grad) for name, leaf in zip(names, leaves + cotangents, strict=True)
    }
    for leaf in leaves + cotangents:
        leaf.grad = None
    return found
