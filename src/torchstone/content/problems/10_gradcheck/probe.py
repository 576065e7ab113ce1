"""Hand functions with known derivatives to the checker, and watch what it does with them.

Right functions and planted faults are one Function class on one path of code. They differ in the
numbers that the program holds: what forward computes and what backward claims are stored in
different factors, so comparing the two is as much work as the problem itself.
"""

from __future__ import annotations

import contextlib
from typing import Any

import torch


class Machine(torch.autograd.Function):
    """Compute b + W [z, z^2, z^3] of the concatenated inputs z; backward claims what it is told."""

    @staticmethod
    def forward(ctx: Any, program: dict[str, Any], *inputs: torch.Tensor) -> Any:
        ctx.program, ctx.jacobian = program, None
        ctx.strided = not all(x.is_contiguous() for x in inputs)
        ctx.save_for_backward(*inputs)
        z = torch.cat([x.reshape(-1) for x in inputs])
        squares = z * z
        powers = torch.cat([z, squares, squares * z])
        y = torch.addmv(program["bias"], program["weights"], powers)
        parts = y.split([shape_size(shape) for shape in program["shapes"]])
        return tuple(
            part.reshape(shape).clone()
            for part, shape in zip(parts, program["shapes"], strict=True)
        )

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor) -> Any:
        program, inputs = ctx.program, ctx.saved_tensors
        if program["broken"]:
            raise KeyError("this backward cannot be computed")
        if ctx.jacobian is None:
            z = torch.cat([x.reshape(-1) for x in inputs])
            of_z, of_squares, of_cubes = (program["frame"] @ program["claims"]).split(len(z), 1)
            ctx.jacobian = of_z + z * (2 * of_squares + 3 * z * of_cubes)
        g = torch.cat([c.reshape(-1) for c in cotangents])
        k = program["bends"]
        bent = k[0] + g * (k[1] + g * (k[3] + g * k[4])) + k[2] * g.abs()
        shaking = torch.empty_like(program["shift"])
        shaking.uniform_(-1, 1, generator=program["generator"])
        shaking *= (program["noise"] * (g != 0)).amax()
        gradient = torch.addmv(program["shift"], ctx.jacobian.T, bent) + shaking
        if ctx.strided:
            gradient = gradient * program["stretch"]
        parts = gradient.split([x.numel() for x in inputs])
        return None, *(
            part.reshape(x.shape) if given else None
            for part, x, given in zip(parts, inputs, program["given"], strict=True)
        )


class Watched:
    """Call a function, and note with what it was called."""

    def __init__(self, function: Any, inputs: tuple[Any, ...], fails_at: int) -> None:
        self.function, self.fails_at = function, fails_at
        self.wanted = [describe(item) for item in inputs]
        self.calls, self.modes, self.arguments = 0, True, True

    def __call__(self, *inputs: Any) -> Any:
        self.calls += 1
        self.modes = self.modes and torch.is_grad_enabled()
        self.arguments = self.arguments and [describe(item) for item in inputs] == self.wanted
        if self.calls == self.fails_at:
            raise KeyError("this value cannot be computed")
        return self.function(*inputs)


def shape_size(shape: list[int]) -> int:
    """Count the elements of a shape."""
    return int(torch.Size(shape).numel())


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
    watched = Watched(functions(data)[data["function"]], inputs, data["fails_at"])
    argument = inputs[0] if data["bare"] else inputs
    with torch.no_grad() if data["under_no_grad"] else contextlib.nullcontext():
        mode = torch.is_grad_enabled()
        verdict = ask(submission, watched, argument, data["options"])
        restored = torch.is_grad_enabled() == mode
    same = all(not tools.storage_changed(t, s) for t, s in zip(tensors, storages, strict=True))
    if not same or [describe(t) for t in tensors] != looks:
        raise tools.Fault("call_mutated")
    return {
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


def ask(submission: Any, watched: Watched, argument: Any, options: dict[str, Any]) -> str:
    """Return ``accepted``, ``refused``, ``returned False`` or what else came; other errors pass."""
    try:
        result = submission.gradcheck(watched, argument, **options)
    except submission.GradcheckError:
        return "refused"
    if result is True:
        return "accepted"
    return "returned False" if result is False else f"returned a {type(result).__name__}"


def machine(program: dict[str, Any] | None, seed: int) -> Any:
    """Turn a program into a function of tensors, whose outputs are attached or not."""
    if program is None:
        return None
    bends = [sum(pair) for pair in zip(*program["curve"], strict=True)]
    program = program | {"bends": bends, "generator": torch.Generator().manual_seed(seed)}

    def function(*inputs: Any) -> Any:
        outputs = Machine.apply(program, *inputs)
        kept = [y if a else y.detach() for y, a in zip(outputs, program["attached"], strict=True)]
        if program["listed"]:
            return kept
        return kept[0] if len(kept) == 1 else tuple(kept)

    return function


def functions(data: dict[str, Any]) -> dict[str, Any]:
    """Give every function that a case may name."""
    return {
        "machine": machine(data["program"], data["seed"]),
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


def inside(x: torch.Tensor) -> torch.Tensor:
    """Return the gradient of sum(x^3), computed by autograd itself."""
    (gradient,) = torch.autograd.grad((x * x * x).sum(), x, create_graph=True)
    return gradient
