"""Know the truth of c08: the same training by hand in float64, and the calls that belong to it."""

from __future__ import annotations

from typing import Any

import torch

from torchstone.judge.kit import COUNT, Case, Exact, Expected, Holds, Want

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
    "stopped": (
        "True exactly if patience ended the training before all epochs",
        "当且仅当耐心用尽而没有训练满时为 True",
    ),
    "same parameters": (
        "the model has other parameters than the optimizer: copy the best state into them",
        "模型的参数不再是优化器持有的那些：应把最好状态复制进去",
    ),
}
GRAPHS = {
    "en": "graphs of earlier batches are alive; at most that of the last one may be",
    "zh": "先前批次的计算图还活着；至多允许上一批的一个",
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    data = case.secret
    options = data["options"]
    state = {name: value.clone() for name, value in data["state"].items()}
    velocity = {name: torch.zeros_like(value) for name, value in state.items()}
    log: list[str] = []
    train, val, states = [], [], []
    best, stopped = 0, False
    for epoch in range(data["epochs"]):
        train.append(_epoch(state, velocity, data, log))
        log += ["forward, eval, no grad"] * len(data["val"])
        counts = [len(x) for x, _ in data["val"]]
        losses = data["script"][epoch * len(counts) :]
        val.append(_mean(list(zip(losses, counts, strict=False))))
        states.append({name: value.clone() for name, value in state.items()})
        best = min(range(len(val)), key=val.__getitem__)
        if epoch - best >= options.get("patience", data["epochs"]):
            stopped = epoch + 1 < data["epochs"]
            break
    final = states[best] if states else state
    expected: Expected = {
        "log": _exact("log", log),
        "passes": _exact("passes", [[len(val)] * 2] * 2),
        "keys": _exact("keys", ["best_epoch", "stopped", "train_loss", "val_loss"]),
        "train_loss of floats": _exact("floats", True),
        "val_loss of floats": _exact("floats", True),
        "train_loss": _want(torch.tensor(train, dtype=torch.float64)),
        "val_loss": _want(torch.tensor(val, dtype=torch.float64)),
        "best_epoch": _exact("best_epoch", best if val else None),
        "stopped": _exact("stopped", stopped),
        "graphs": Holds(lambda count: count <= 1, GRAPHS, takes=COUNT),
        "modes": _exact("modes", [data["mode"]]),
        "same parameters": _exact("same parameters", True),
    }
    expected |= {f"final {name}": _want(value) for name, value in final.items()}
    for number, name in enumerate(name for name in state if name not in BUFFERS):
        kept = _want(velocity[name]) if val else Exact(None)
        expected[f"momentum {number}"] = kept
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


def _epoch(state: State, velocity: State, data: dict[str, Any], log: list[str]) -> float:
    """Train for an epoch; return the mean of the losses."""
    size, losses = data["options"]["accumulate"], []
    for first in range(0, len(data["train"]), size):
        part = data["train"][first : first + size]
        gradients = []
        for pair in part:
            loss, gradient = _gradient(state, pair)
            losses.append((loss, len(pair[0])))
            gradients.append((gradient, len(pair[0])))
            log += ["forward, train, grad", "backward"]
        count = sum(number for _, number in gradients)
        for name in gradients[0][0]:
            mean = sum(each[name] * number for each, number in gradients) / count
            velocity[name] = data["momentum"] * velocity[name] + mean
            state[name] = state[name] - data["lr"] * velocity[name]
        log.append("step")
    return _mean(losses)


def _gradient(state: State, pair: Any) -> tuple[float, State]:
    """Return the loss of a batch and its gradient; batch norm's statistics move on."""
    leaves = {n: v.clone().requires_grad_() for n, v in state.items() if n not in BUFFERS}
    whole = state | leaves
    loss = (_forward(whole, pair[0], True) - pair[1]).square().mean()
    gradients = torch.autograd.grad(loss, list(leaves.values()))
    state |= {name: whole[name] for name in BUFFERS if name in whole}
    return float(loss.detach()), dict(zip(leaves, gradients, strict=True))
