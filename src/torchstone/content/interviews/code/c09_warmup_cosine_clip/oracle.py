"""Know the truth of c09: the same updates by hand in float64, and the calls that belong to them."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import COUNT, Case, Exact, Expected, Holds, Want

TOLERANCE = 1e-9
NOTES = {
    "log": (
        "not one forward and backward for each batch, and a step after the last of an update",
        "应当逐批一次前向、一次反向，每次更新的最后一批之后走一步",
    ),
    "keys": ("the history has other keys", "history 的键不对"),
    "skipped": (
        "not the numbers of the updates whose norm is not finite",
        "不是范数非有限的那些更新的编号",
    ),
    "floats": (
        "not a list of floats (lr: of lists of floats)",
        "应是 float 的列表（lr 是列表的列表）",
    ),
}
GRAPHS = {
    "en": "graphs of several batches are alive at once; backward after each forward frees them",
    "zh": "同时有多个批的计算图活着；每次前向之后立即反向才能释放",
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    data = case.secret
    options = data["options"]
    state = {name: value.clone() for name, value in data["state"].items()}
    velocity = {name: torch.zeros_like(value) for name, value in state.items()}
    losses, norms, rates, skipped, log = [], [], [], [], []
    for step, batches in enumerate(_updates(len(data["batches"]), options)):
        parts = [_gradient(state, data["batches"][number]) for number in batches]
        log += ["forward, train", "backward"] * len(parts)
        losses.append(sum(loss for loss, _ in parts) / len(parts))
        gradient = {name: sum(part[name] for _, part in parts) / len(parts) for name in state}
        norm = math.sqrt(sum(float(each.square().sum()) for each in gradient.values()))
        norms.append(norm)
        rates.append([lr * _factor(step, options) for lr in data["lr"]])
        if not math.isfinite(norm):
            skipped.append(step)
            continue
        log.append("step")
        clip = min(1.0, options["max_norm"] / (norm + 1e-6))
        for name, each in gradient.items():
            velocity[name] = data["momentum"] * velocity[name] + clip * each
            lr = rates[-1][0 if name.startswith("first") else 1]
            state[name] = state[name] - lr * velocity[name]
    stepped = [each for step, each in enumerate(rates) if step not in skipped]
    expected: Expected = {
        "log": _exact("log", log),
        "graphs": Holds(lambda count: count <= 1, GRAPHS, takes=COUNT),
        "keys": _exact("keys", ["loss", "lr", "norm", "skipped"]),
        "skipped": _exact("skipped", skipped),
        "rates of the steps": _want(stepped),
        "loss": _want(losses),
        "norm": _want(norms),
        "lr": _want(rates),
    }
    expected |= {f"{name} of floats": _exact("floats", True) for name in ("loss", "norm", "lr")}
    return expected | {f"final {name}": _want(value) for name, value in state.items()}


def _updates(num_batches: int, options: dict[str, Any]) -> list[range]:
    """List the numbers of the batches of each update."""
    size = options["accumulate"]
    epoch = [range(first, min(first + size, num_batches)) for first in range(0, num_batches, size)]
    return [epoch[step % len(epoch)] for step in range(options["steps"])]


def _factor(step: int, options: dict[str, Any]) -> float:
    steps, warmup = options["steps"], options["warmup"]
    if step < warmup:
        return (step + 1) / warmup
    return 0.5 + 0.5 * math.cos(math.pi * (step - warmup) / (steps - warmup))


def _gradient(state: dict[str, torch.Tensor], pair: Any) -> tuple[float, dict[str, torch.Tensor]]:
    """Return the loss of a batch and its gradient, by formulas."""
    x, y = pair
    hidden = (x @ state["first.weight"].T + state["first.bias"]).tanh()
    error = hidden @ state["last.weight"].T + state["last.bias"] - y
    g = 2 * error / error.numel()
    inner = (g @ state["last.weight"]) * (1 - hidden.square())
    return float(error.square().mean()), {
        "first.weight": inner.T @ x,
        "first.bias": inner.sum(0),
        "last.weight": g.T @ hidden,
        "last.bias": g.sum(0),
    }


def _exact(key: str, value: Any) -> Exact:
    return Exact(value, note=dict(zip(("en", "zh"), NOTES[key], strict=True)))


def _want(given: Any) -> Want:
    value = torch.as_tensor(given, dtype=torch.float64)
    # Relative to the largest: small entries are differences of large ones.
    finite = value[value.isfinite()].abs()
    return Want(value, TOLERANCE * (float(finite.max()) if finite.numel() else 0.0), torch.float64)
