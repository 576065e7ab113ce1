"""Know the truth of c07: the same training by hand in float64, and the calls that belong to it."""

from __future__ import annotations

from typing import Any

import torch

from torchstone.judge.kit import COUNT, Case, Exact, Expected, Holds, Raises, Want

State = dict[str, torch.Tensor]
TOLERANCE = 1e-9
EPS, MOMENTUM = 1e-5, 0.1
# Parameters and buffers by their names; only those are trained.
BUFFERS = ("norm.running_mean", "norm.running_var", "norm.num_batches_tracked")
NOTES = {
    "modes": (
        "afterwards the model is not in the mode in which it came",
        "结束之后，模型不在它进来时的模式",
    ),
    "log": (
        "forward, backward and step were not called in this order, mode and number",
        "前向、反向与更新的次序、模式或次数不对",
    ),
    "passes": (
        "each epoch goes over each loader once, to the end: [begun, ended] for both",
        "每一轮应把每个加载器完整走一遍：两者的 [开始次数, 走完次数]",
    ),
    "keys": ("the history has other keys", "history 的键不对"),
    "floats": ("the losses are not a list of floats", "损失应是由 float 组成的列表"),
    "best_epoch": (
        "not the earliest epoch with the smallest validation loss",
        "不是验证损失最小的最早一轮",
    ),
    "best_state": ("not the names of the state_dict", "键与 state_dict 不同"),
}
GRAPHS = {
    "en": "graphs of earlier batches are alive; at most that of the last one may be",
    "zh": "先前批次的计算图还活着；至多允许上一批的一个",
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    data = case.secret
    modes = _exact("modes", [data["mode"]])
    if data["raises_at"]:
        return {"raised": Raises(ArithmeticError), "modes": modes}
    state = {name: value.clone() for name, value in data["state"].items()}
    velocity = {name: torch.zeros_like(value) for name, value in state.items()}
    train, val, states = [], [], []
    for _ in range(data["epochs"]):
        train.append(
            _mean([(_step(state, velocity, pair, data), len(pair[0])) for pair in data["train"]])
        )
        val.append(_mean([(_loss(_forward(state, x, False), y), len(x)) for x, y in data["val"]]))
        states.append({name: value.clone() for name, value in state.items()})
    best = min(range(len(val)), key=val.__getitem__) if val else None
    epoch = ["forward, train, grad", "backward", "step"] * len(data["train"])
    epoch += ["forward, eval, no grad"] * len(data["val"])
    expected: Expected = {
        "log": _exact("log", epoch * data["epochs"]),
        "passes": _exact("passes", [[data["epochs"]] * 2] * 2),
        "keys": _exact("keys", ["best_epoch", "best_state", "train_loss", "val_loss"]),
        "train_loss of floats": _exact("floats", True),
        "val_loss of floats": _exact("floats", True),
        "train_loss": _want(torch.tensor(train, dtype=torch.float64)),
        "val_loss": _want(torch.tensor(val, dtype=torch.float64)),
        "best_epoch": _exact("best_epoch", best),
        "best_state": _exact("best_state", None if best is None else list(state)),
        "graphs": Holds(lambda count: count <= 1, GRAPHS, takes=COUNT),
        "modes": modes,
    }
    expected |= {f"final {name}": _want(value) for name, value in state.items()}
    if best is not None:
        expected |= {f"best {name}": _want(value) for name, value in states[best].items()}
    return expected


def _exact(key: str, value: Any) -> Exact:
    return Exact(value, note=dict(zip(("en", "zh"), NOTES[key], strict=True)))


def _want(value: torch.Tensor) -> Want:
    if not value.is_floating_point():
        return Want(value, 0.0, value.dtype)
    largest = float(value.abs().max()) if value.numel() else 0.0
    return Want(value, TOLERANCE * (1 + largest), torch.float64)


def _mean(losses: list[tuple[float, int]]) -> float:
    return sum(loss * count for loss, count in losses) / sum(count for _, count in losses)


def _loss(output: torch.Tensor, y: torch.Tensor) -> float:
    return float((output - y).square().mean())


def _forward(state: State, x: torch.Tensor, is_training: bool) -> torch.Tensor:
    hidden = x @ state["first.weight"].T + state["first.bias"]
    if "norm.weight" in state:
        mean, var = state["norm.running_mean"], state["norm.running_var"]
        if is_training:
            mean, var = hidden.mean(0), hidden.var(0, unbiased=False)
        hidden = (hidden - mean) / (var + EPS).sqrt() * state["norm.weight"] + state["norm.bias"]
        if is_training:
            _track(state, mean.detach(), var.detach() * len(x) / (len(x) - 1))
    return hidden.tanh() @ state["last.weight"].T + state["last.bias"]


def _track(state: State, mean: torch.Tensor, var: torch.Tensor) -> None:
    for name, seen in (("norm.running_mean", mean), ("norm.running_var", var)):
        state[name] = (1 - MOMENTUM) * state[name] + MOMENTUM * seen
    state["norm.num_batches_tracked"] = state["norm.num_batches_tracked"] + 1


def _step(state: State, velocity: State, pair: Any, data: dict[str, Any]) -> float:
    """Train on one batch; return the loss before the step."""
    leaves = {n: v.clone().requires_grad_() for n, v in state.items() if n not in BUFFERS}
    whole = state | leaves
    loss = (_forward(whole, pair[0], True) - pair[1]).square().mean()
    gradients = torch.autograd.grad(loss, list(leaves.values()))
    state |= {name: whole[name] for name in BUFFERS if name in whole}
    for name, gradient in zip(leaves, gradients, strict=True):
        velocity[name] = data["momentum"] * velocity[name] + gradient
        state[name] = state[name] - data["lr"] * velocity[name]
    return float(loss.detach())
