"""Pass functions with known derivatives to the checker, and observe what it does with them.

Right functions and planted faults are opaque functions, which differ in coefficients that only
native code can read: to call them is the only way to tell one from the other.
"""

from __future__ import annotations

import contextlib
from typing import Any

import torch

# What a function or its backward raises, by the type or the base that must come out.
ERRORS = {
    "LookupError": KeyError,
    "RuntimeError": RuntimeError,
    "ValueError": ValueError,
    "ArithmeticError": ZeroDivisionError,
}


class Watched:
    """Call a function, and note with what it was called."""

    def __init__(self, function: Any, inputs: tuple[Any, ...], fails_at: int, error: str) -> None:
        self.function, self.fails_at, self.error = function, fails_at, error
        self.wanted = [describe(item) for item in inputs]
        self.calls, self.modes, self.arguments = 0, True, True

    def __call__(self, *inputs: Any) -> Any:
        self.calls += 1
        self.modes = self.modes and torch.is_grad_enabled()
        self.arguments = self.arguments and [describe(item) for item in inputs] == self.wanted
        if self.calls == self.fails_at:
            raise ERRORS[self.error]("this value cannot be computed")
        return self.function(*inputs)


def describe(item: Any) -> Any:
    """Describe what must not change from call to call."""
    if not isinstance(item, torch.Tensor):
        return item
    return item.dtype, item.shape, item.stride(), item.requires_grad


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Run the checker once: the one operation of this problem is ``check``."""
    inputs = tuple(
        item.requires_grad_() if checked else item
        for item, checked in zip(data["inputs"], data["checked"], strict=True)
    )
    tensors = [item for item in inputs if isinstance(item, torch.Tensor)]
    if data["with_grad"]:
        tensors[0].grad = tools.clone(tensors[0].detach())
    looks = [describe(t) for t in tensors]
    storages = [tools.storage_snapshot(t) for t in tensors]
    gradients = [(t.grad, None if t.grad is None else tools.clone(t.grad)) for t in tensors]
    function = FUNCTIONS.get(data["function"]) or tools.opaque_function(data["program"])
    watched = Watched(function, inputs, data["fails_at"], data["error"])
    Broken.error = ERRORS.get(data["error"], KeyError)
    argument = inputs[0] if data["bare"] else inputs
    with torch.no_grad() if data["under_no_grad"] else contextlib.nullcontext():
        mode = torch.is_grad_enabled()
        verdict = ask(submission, watched, argument, data["options"])
        restored = torch.is_grad_enabled() == mode
    same = all(not tools.storage_changed(t, s) for t, s in zip(tensors, storages, strict=True))
    if not same or [describe(t) for t in tensors] != looks:
        raise tools.Fault("call_mutated")
    found = {
        "verdict": verdict,
        "calls": watched.calls,
        "grad mode": watched.modes,
        "arguments": watched.arguments,
        "restored": restored,
        "grad": all(
            t.grad is old and (old is None or tools.same_bits(old, copy))
            for t, (old, copy) in zip(tensors, gradients, strict=True)
        ),
        "error": issubclass(submission.GradcheckError, RuntimeError),
    }
    if "again" in data:
        # The same function and the same tensors, at another point.
        for tensor, other in zip(tensors, data["again"], strict=True):
            tools.refill(tensor, other)
        found["again"] = ask(submission, watched, argument, data["options"])
    return found


def ask(submission: Any, watched: Watched, argument: Any, options: dict[str, Any]) -> str:
    """Return ``accepted``, ``refused``, ``returned False`` or what else came; other errors pass."""
    try:
        result = submission.gradcheck(watched, argument, **options)
    except submission.GradcheckError:
        return "refused"
    if result is True:
        return "accepted"
    return "returned False" if result is False else f"returned a {type(result).__name__}"


class Broken(torch.autograd.Function):
    """Compute a square whose backward raises."""

    error: type[Exception] = KeyError

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * x

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor) -> Any:
        raise Broken.error("this backward cannot be computed")


def inside(x: torch.Tensor) -> torch.Tensor:
    """Return the gradient of sum(x^3), computed by autograd itself."""
    (gradient,) = torch.autograd.grad((x * x * x).sum(), x, create_graph=True)
    return gradient


# The functions that a case names; all of them are right but the undefined ones.
FUNCTIONS: dict[str, Any] = {
    "matmul": lambda a, b: a @ b,
    # So small that 1e-6 of v J is 0 in half precision, while so many sums are never exact.
    "dense": lambda x, weight: torch.tanh(weight @ x.reshape(-1)) * 3e-3,
    "softmax": lambda x: torch.softmax(x, -1),
    "scalar": lambda x: (x.sin() * x).sum(),
    "integer output": lambda x: (x * x, x.round().long(), x > 0),
    "constant output": lambda x: (x * 2, torch.ones(2, dtype=x.dtype)),
    "arguments": lambda x, index, factor: x[index] * factor,
    "unused": lambda x, y: x * x,
    "identity": lambda x: x,
    "view": lambda x: x.reshape(-1)[1:],
    "views": lambda x: (x.t(), x * 3, x[0]),
    "inside": inside,
    "broken backward": Broken.apply,
    "constant": lambda x, y: torch.ones(3, dtype=x.dtype),
    "integers": lambda x: x.round().long(),
    "nothing": lambda x: x[:0],
    "row sums": lambda x: x.sum(-1),
    "list": lambda x: [x * x, x.exp()],
    "undefined": lambda x: x * torch.nan,
    "steep": lambda x: (x * 100).sin() * 1e307,
    # The largest number at x = 1, infinity one step further; the slope stays finite.
    "brink": lambda x: (x - 1) * 1e301 + torch.finfo(x.dtype).max,
    "large sums": lambda x: (x * x).cumsum(-1) * 1e12,
    "in place": lambda x: x.clone().mul_(x).add_(1),
    "sum": lambda *inputs: sum((x * x for x in inputs[1:]), inputs[0] * 3),
}
