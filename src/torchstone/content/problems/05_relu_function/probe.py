"""Look at the graph that ReLU.apply leaves, and disturb it between forward and backward."""

from __future__ import annotations

from typing import Any

import torch


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Answer one operation of this problem."""
    x = tools.clone(data["x"]).requires_grad_()
    if op == "facts":
        return _facts(submission.ReLU, x)
    if op == "chain":
        return _chain(submission.ReLU.apply, x, data, tools)
    if op == "interleaved":
        return _interleaved(submission.ReLU.apply, x, data, tools)
    y = submission.ReLU.apply(x)
    with torch.no_grad():
        (x if op == "x in place" else y).neg_()
    (gradient,) = tools.vjp([y], [x], [data["grad_output"]])
    return {"grad": tools.plain(gradient)}


def _facts(function: Any, x: torch.Tensor) -> dict[str, Any]:
    base = torch.autograd.Function
    found: dict[str, Any] = {"function": isinstance(function, type) and issubclass(function, base)}
    if not found["function"]:
        return found
    own = [c for c in function.__mro__ if c is not base and c not in base.__mro__]
    found["inherited apply"] = not any("apply" in vars(c) or "__call__" in vars(c) for c in own)
    y = function.apply(x)
    node = y.grad_fn
    found["node"] = type(node).__name__
    following = getattr(node, "next_functions", ())
    found["next"] = [type(n).__name__ for n, _ in following if n is not None]
    attributes = getattr(node, "__dict__", {}).values()
    found["tensors on ctx"] = any(isinstance(item, torch.Tensor) for item in attributes)
    with torch.no_grad():
        found["under no_grad"] = function.apply(x).requires_grad
    found["without grad"] = function.apply(x.detach()).requires_grad
    return found


def _interleaved(apply: Any, x: torch.Tensor, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    other = tools.clone(data["other"]).requires_grad_()
    first, second = apply(x), apply(other)
    (of_x,) = tools.vjp([first], [x], [data["grad_output"]])
    (of_other,) = tools.vjp([second], [other], [data["other_grad_output"]])
    return {"grad": tools.plain(of_x), "grad of the second": tools.plain(of_other)}


def _chain(apply: Any, x: torch.Tensor, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Compute relu(relu(x * x - 1) * x), its gradient, and the gradient of that."""
    y = apply(apply(x * x - 1) * x)
    (gradient,) = tools.vjp([y], [x], [data["grad_output"]], create_graph=True)
    found = {"out": tools.plain(y), "grad": tools.plain(gradient)}
    if not (isinstance(gradient, torch.Tensor) and gradient.requires_grad):
        return found | {"second": None}
    x.grad = None
    # `.backward()` walks into the error node of `once_differentiable`, which `grad` may prune.
    torch.Tensor.backward((gradient * data["direction"]).sum())
    return found | {"second": tools.plain(x.grad)}
