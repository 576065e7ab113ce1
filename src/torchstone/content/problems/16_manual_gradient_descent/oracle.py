"""Know the truth of problem 16: the same recursion in float64, by hand-derived gradients."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchstone.judge.kit import COUNT, Case, Exact, Expected, Holds, Raises, Want

RELATIVE = {
    torch.float16: 1.2e-3,
    torch.bfloat16: 9e-3,
    torch.float32: 2e-5,
    torch.float64: 1e-12,
}
# With thousands of steps roundings have more time.
LONG, MORE = 1000, 10.0
# Nodes of one step and of what a mode keeps; the graphs of two hundred steps have a thousand.
FEW_NODES = 100
# Ten times the data of that case. Half of two hundred residuals, 2 KiB each, are twice as much.
FEW_BYTES = 100_000


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    if "refused" in secret:
        return {f"{name}.raised": Raises(ValueError) for name in secret["refused"]}
    data, options = secret["data"], secret["options"]
    if secret["diverges"]:
        return _diverged(data, options)
    if "steps" in secret:
        expected: Expected = {}
        for name, num_steps in zip(("few", "many"), secret["steps"], strict=True):
            wants = _wants(data, options | {"num_steps": num_steps}, secret["default"])
            expected |= {f"{name}.{key}": item for key, item in wants.items()}
            expected[f"{name}.graph"] = FACTS["graph"]
        measured = {"few.nodes": "nodes", "few.bytes": "bytes", "many.left": "left"}
        return expected | {key: FACTS[name] for key, name in measured.items()}
    expected = _wants(data, options, secret["default"])
    if case.steps[0].op == "context":
        expected |= {"error.raised": Raises(ValueError), "graph": FACTS["graph"]}
    return expected


FACTS = {
    "graph": Exact(
        False,
        note={"en": "a result requires grad or has a graph", "zh": "结果需要梯度或带有计算图"},
    ),
    "nodes": Holds(
        lambda count: count <= FEW_NODES,
        {
            "en": f"at most {FEW_NODES} nodes of graphs alive at a time, however many steps",
            "zh": f"不论多少步，同时存活的计算图节点不超过 {FEW_NODES} 个",
        },
        takes=COUNT,
        truth=0,
    ),
    "bytes": Holds(
        lambda count: count <= FEW_BYTES,
        {
            "en": f"at most {FEW_BYTES} bytes in living tensors, however many steps",
            "zh": f"不论多少步，存活张量不超过 {FEW_BYTES} 字节",
        },
        takes=COUNT,
        truth=0,
    ),
    "left": Holds(
        lambda count: count <= 1 << 10,
        {
            "en": "at most 1 KiB in tensors left after the call, besides the results",
            "zh": "调用结束后，除结果外遗留的张量不超过 1 KiB",
        },
        takes=COUNT,
        truth=0,
    ),
}


def descend(
    data: dict[str, Any], options: dict[str, Any]
) -> tuple[list[Tensor], tuple[Tensor, Tensor]]:
    """Return weight, bias and losses, and the largest size of each element on the way."""
    x, y = data["x"], data["y"].double()
    lr, momentum = options.get("lr", 0.1), options.get("momentum", 0.0)
    l2, num_steps = options.get("l2", 0.0), options.get("num_steps", 100)
    shape = (x.shape[1], *y.shape[1:])
    # The bias is the weight of a last column of ones, which is not penalised.
    design = torch.ones(len(x), shape[0] + 1, dtype=torch.float64)
    design[:, :-1] = x
    point = torch.zeros(shape[0] + 1, *shape[1:], dtype=torch.float64)
    for name, part in (("weight", point[:-1]), ("bias", point[-1])):
        if data.get(name) is not None:
            part.copy_(data[name].double())
    penalty = torch.full((shape[0] + 1,), 2 * l2, dtype=torch.float64)
    penalty[-1] = 0.0
    # The gradient of the square by the Gram matrix: a step does not pass over the data.
    # The mean is taken last: n times the rounded 2 / n is off by as many roundings.
    mean = 2 / y.numel()
    gram, pull = mean * (design.T @ design) + torch.diag(penalty), mean * (design.T @ y)
    points = _walk(point, gram, pull, lr, momentum, num_steps)
    before = points[:-1].movedim(0, -1)
    residuals = torch.tensordot(design, before, 1) - y.unsqueeze(-1)
    lossy = residuals.square_().flatten(0, -2).mean(0)
    lossy += l2 * before[:-1].square().flatten(0, -2).sum(0)
    largest = points.abs().amax(0)
    # The size of the terms of a residual, and of those that a step adds to a parameter.
    sizes = design.abs_()
    terms = sizes @ largest + y.abs()
    steps = lr * mean * (sizes.T @ terms)
    scale = torch.stack([largest.max(), steps.max()]).sum()
    return [points[-1][:-1], points[-1][-1], lossy], (scale, terms.square().mean().sqrt())


def _walk(
    start: Tensor, gram: Tensor, pull: Tensor, lr: float, momentum: float, num_steps: int
) -> Tensor:
    """Return all points of the descent, the start included.

    A step maps point and velocity to a matrix times them plus a constant. So k steps do, and the
    points of the next k steps follow from those of the last k at once.
    """
    n = len(gram)
    eye = torch.eye(n, dtype=gram.dtype)
    velocity = torch.cat([gram, momentum * eye], dim=1)
    point = torch.cat([eye, torch.zeros_like(eye)], dim=1) - lr * velocity
    matrix, shift = torch.cat([point, velocity]), torch.cat([lr * pull, -pull])
    # A y without a dimension K has one column here.
    shift = shift.reshape(2 * n, -1)
    states = torch.cat([start, torch.zeros_like(start)]).reshape(1, 2 * n, -1)
    while len(states) <= num_steps:
        states = torch.cat([states, matrix @ states + shift])
        matrix, shift = matrix @ matrix, matrix @ shift + shift
    return states[: num_steps + 1, :n].reshape(num_steps + 1, *start.shape)


def _wants(data: dict[str, Any], options: dict[str, Any], default: torch.dtype) -> Expected:
    dtype = torch.result_type(data["x"], data["y"])
    dtype = dtype if dtype.is_floating_point else default
    values, (scale, terms) = descend(data, options)
    relative = RELATIVE[dtype] * (MORE if len(values[2]) >= LONG else 1.0)
    losses = values[2]
    # A residual that is off by d moves its square by 2rd + d^2; near 0 the second is the larger.
    squares = losses + losses.sqrt() * terms + relative * terms.square()
    sizes = (scale, scale, squares)
    expected: Expected = {
        f"out.{position}": Want(value, relative * size, dtype)
        for position, (value, size) in enumerate(zip(values, sizes, strict=True))
    }
    return expected | {"out.len": Exact(3)}


def _diverged(data: dict[str, Any], options: dict[str, Any]) -> Expected:
    first, _ = descend(data, options | {"num_steps": 3})
    losses, num_steps = first[2], options["num_steps"]

    def grows(got: Any) -> bool:
        if not (isinstance(got, Tensor) and got.dtype == torch.float32):
            return False
        if got.shape != (num_steps,) or got[-1].isfinite():
            return False
        return bool(((got[:3].double() - losses).abs() <= 3e-5 * losses).all())

    def fits(shape: torch.Size) -> Any:
        return lambda got: isinstance(got, Tensor) and got.shape == shape

    wanted = {
        "en": f"losses that begin with {losses.tolist()} and end in infinity or NaN",
        "zh": f"损失以 {losses.tolist()} 开头，最后为无穷或 NaN",
    }
    expected: Expected = {"out.len": Exact(3), "out.2": Holds(grows, wanted, aspect="value")}
    for position in (0, 1):
        shape = first[position].shape
        words = {"en": f"a tensor of shape {tuple(shape)}", "zh": f"形状为 {tuple(shape)} 的张量"}
        expected[f"out.{position}"] = Holds(fits(shape), words, aspect="shape")
    return expected


def builtin(case: Case) -> dict[str, Tensor]:
    """Train with PyTorch's own optimizer in float64."""
    secret = case.secret
    if "options" not in secret or "steps" in secret or secret["diverges"]:
        return {}
    data, options = secret["data"], secret["options"]
    x, y = data["x"].double(), data["y"].double()
    shape = (x.shape[1], *y.shape[1:])
    w = torch.zeros(shape) if data.get("weight") is None else data["weight"]
    b = torch.zeros(shape[1:]) if data.get("bias") is None else data["bias"]
    w, b = (part.double().clone().requires_grad_() for part in (w, b))
    momentum = options.get("momentum", 0.0)
    optimizer = torch.optim.SGD([w, b], lr=options.get("lr", 0.1), momentum=momentum)
    losses = []
    for _ in range(min(options.get("num_steps", 100), 20)):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(x @ w + b, y)
        loss = loss + options.get("l2", 0.0) * w.square().sum()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    if options.get("num_steps", 100) > 20 or not losses:
        return {}
    return {"out.0": w.detach(), "out.1": b.detach(), "out.2": torch.stack(losses)}
