"""Know the truth of c10: the same updates by hand in float64, and the calls that belong to them."""

from __future__ import annotations

import itertools
from typing import Any

import torch

from torchstone.judge.kit import COUNT, Case, Exact, Expected, Holds, Want

State = dict[str, torch.Tensor]
TOLERANCE = 1e-9
NOTES = {
    "log": (
        "not one forward and backward for each batch, and a step after the last of an update",
        "应当逐批一次前向、一次反向，每次更新的最后一批之后走一步",
    ),
    "keys": ("the history has other keys", "history 的键不对"),
    "skipped": (
        "not the numbers of the updates with NaN in the gradient",
        "不是梯度含 NaN 的那些更新的编号",
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
    state = {name: value.clone() for name, value in data["state"].items()}
    velocity = {name: torch.zeros_like(value) for name, value in state.items()}
    log: list[str] = []
    stepped: list[list[float]] = []
    expected: Expected = {}
    for number, options in enumerate(data["calls"]):
        run = Run(data, options, state, velocity)
        for step in range(options.get("start", 0), options.get("stop", options["steps"])):
            run.update(step)
        log += run.log
        stepped += run.stepped
        expected |= {f"call {number}: {key}": item for key, item in run.expected().items()}
    expected |= {
        "log": _exact("log", log),
        "graphs": Holds(lambda count: count <= 1, GRAPHS, takes=COUNT),
        "rates of the steps": _want(stepped),
    }
    return expected | {f"final {name}": _want(value) for name, value in state.items()}


class Run:
    """The updates of one call; they change the state and the velocity."""

    def __init__(
        self, data: dict[str, Any], options: dict[str, Any], state: State, velocity: State
    ) -> None:
        self.data, self.options, self.state, self.velocity = data, options, state, velocity
        self.batches = itertools.cycle(data["batches"])
        self.log: list[str] = []
        self.stepped: list[list[float]] = []
        self.losses: list[float] = []
        self.shares: list[float] = []
        self.rates: list[list[float]] = []
        self.skipped: list[int] = []

    def update(self, step: int) -> None:
        """Make one update."""
        size, limit = self.options["accumulate"], self.options["max_value"]
        parts = [_gradient(self.state, next(self.batches)) for _ in range(size)]
        self.log += ["forward, train", "backward"] * size
        self.losses.append(sum(loss for loss, _ in parts) / size)
        mean = {name: sum(part[name] for _, part in parts) / size for name in self.state}
        every = torch.cat([each.flatten() for each in mean.values()])
        self.shares.append(int((every.abs() > limit).sum()) / every.numel())
        self.rates.append([lr * _factor(step, self.options) for lr in self.data["lr"]])
        if bool(every.isnan().any()):
            self.skipped.append(step)
            return
        self.log.append("step")
        self.stepped.append(self.rates[-1])
        for name, each in mean.items():
            clipped = each.clamp(-limit, limit)
            self.velocity[name] = self.data["momentum"] * self.velocity[name] + clipped
            lr = self.rates[-1][0 if name.startswith("first") else 1]
            self.state[name] = self.state[name] - lr * self.velocity[name]

    def expected(self) -> Expected:
        """Return what this call must have returned and left."""
        found: Expected = {
            "keys": _exact("keys", ["clipped", "loss", "lr", "skipped"]),
            "skipped": _exact("skipped", self.skipped),
            "loss": _want(self.losses),
            "clipped": _want(self.shares),
            "lr": _want(self.rates),
        }
        found |= {f"{name} of floats": _exact("floats", True) for name in ("loss", "clipped", "lr")}
        if self.rates:
            found["rates left"] = _want(self.rates[-1])
        return found


def _factor(step: int, options: dict[str, Any]) -> float:
    steps, warmup = options["steps"], options["warmup"]
    if step < warmup:
        return (step + 1) / warmup
    return max(options.get("floor", 0.0), 1 - (step - warmup) / (steps - warmup))


def _gradient(state: State, pair: Any) -> tuple[float, State]:
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
