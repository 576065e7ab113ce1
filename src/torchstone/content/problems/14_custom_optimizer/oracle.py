"""Know the trajectories of problem 14 in float64, with a bound on the rounding of an honest answer.

Beside every quantity stands the error that rounding may have put into it; both are carried on in
each step. A rounding costs half an eps at most. The bound is three times the sum of what an honest
order of operations can lose; in float64, where the oracle rounds as well, six times.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import torch

from torchstone.judge.child import driver
from torchstone.judge.kit import EPS, Case, Exact, Expected, Raises, Want
from torchstone.judge.kit.problem import load_module

Tensor = torch.Tensor
# Or a number: what is 0 everywhere needs no array.
Array = Any
Pair = tuple[Array, Array]
ADAM = {
    "lr": 1e-3,
    "betas": (0.9, 0.999),
    "eps": 1e-8,
    "weight_decay": 0.0,
    "amsgrad": False,
    "decoupled_weight_decay": False,
}
RMSPROP = {
    "lr": 1e-2,
    "alpha": 0.99,
    "eps": 1e-8,
    "weight_decay": 0.0,
    "momentum": 0.0,
    "centered": False,
}
DEFAULTS = {"Adam": ADAM, "RMSprop": RMSPROP}
NOTES = {
    "version": {
        "en": "the version counter of a parameter did not move: an old graph cannot notice",
        "zh": "参数的版本计数器没有变化：保存了旧值的计算图无从察觉",
    },
    "idle": {
        "en": "a parameter without a gradient was touched",
        "zh": "没有梯度的参数被动过",
    },
    "gradient": {
        "en": "step changed, replaced or removed a gradient",
        "zh": "step 改写、替换或清除了梯度",
    },
    "mode": {
        "en": "the grad mode after step is another than before",
        "zh": "step 之后的梯度模式与之前不同",
    },
    "closure": {
        "en": "the closure was not called exactly once with gradients enabled",
        "zh": "闭包没有恰好在启用梯度的状态下被调用一次",
    },
    "returned": {
        "en": "step did not return the closure's value, or None without a closure",
        "zh": "step 没有返回闭包的值；没有闭包时应返回 None",
    },
    "zero": {
        "en": "zero_grad did not do what set_to_none asks for",
        "zh": "zero_grad 没有按 set_to_none 的要求去做",
    },
    "place": {
        "en": "a parameter is no longer the same leaf over the same storage",
        "zh": "参数不再是同一块存储上的同一个叶子张量",
    },
}


class Slot:
    """What one optimizer keeps for one tensor, and the error that each part of it may have."""

    def __init__(self) -> None:
        self.count = 0
        self.state: dict[str, Array] = {}
        self.errors: dict[str, Array] = {}


class Track:
    """One tensor: its value, the error that it may have, and its slot in every optimizer.

    In NumPy, whose calls on a few elements cost a third of torch's: there are thousands of them.
    """

    def __init__(self, value: Tensor) -> None:
        self.dtype, self.unit = value.dtype, EPS[value.dtype]
        self.p = value.double().numpy().copy()
        self.p_error = np.zeros_like(self.p)
        self.slots: dict[str, Slot] = {}
        self.rows: list[Array] = []
        self.bounds: list[Array] = []

    def step(self, name: str, kind: str, gradient: Array | None, group: dict[str, Any]) -> None:
        """Take one step of an optimizer, and record where the tensor is."""
        if gradient is not None:
            slot = self.slots.setdefault(name, Slot())
            slot.count += 1
            (self._adam if kind == "Adam" else self._rmsprop)(slot, gradient, group)
        self.rows.append(self.p)
        self.bounds.append(self.p_error)

    def _mean(self, slot: Slot, name: str, decay: float, new: Array, error: Array) -> Pair:
        """Mix a new value into a running average: ``decay * old + (1 - decay) * new``."""
        kept, added = decay * slot.state.get(name, 0.0), (1 - decay) * new
        # The factor is rounded to the dtype, then the product, then the sum.
        rounding = self.unit * (1.5 * abs(kept) + 2 * abs(added))
        slot.errors[name] = decay * slot.errors.get(name, 0.0) + (1 - decay) * error + rounding
        slot.state[name] = kept + added
        return slot.state[name], slot.errors[name]

    def _with_decay(self, g: Array, group: dict[str, Any]) -> Pair:
        decay = group["weight_decay"]
        if not decay or group.get("decoupled_weight_decay"):
            return g, 0.0
        pull = decay * self.p
        g = g + pull
        return g, decay * self.p_error + self.unit * (abs(g) + 1.5 * abs(pull))

    def _square(self, g: Array, error: Array) -> Pair:
        square = g * g
        return square, (2 * abs(g) + error) * error + self.unit * square

    def _root(self, x: Array, error: Array) -> Pair:
        """Take a root; near 0 its slope is steep, so its error is the difference of two roots."""
        root = np.sqrt(x)
        below = root - np.sqrt(np.maximum(x - error, 0))
        return root, np.maximum(below, np.sqrt(x + error) - root) + 1.5 * self.unit * root

    def _over(self, a: Array, a_error: Array, d: Array, d_error: Array) -> Pair:
        """Divide; where the denominator is nearly lost the quotient is, too."""
        quotient = a / d
        error = (a_error + abs(quotient) * d_error) / np.maximum(d - d_error, d / 8)
        return quotient, error + self.unit * abs(quotient)

    def _move(self, lr: float, q: Array, error: Array) -> None:
        step = lr * q
        self.p = self.p - step
        rounding = self.unit * (1.5 * abs(step) + abs(self.p))
        self.p_error = self.p_error + lr * error + rounding

    def _adam(self, slot: Slot, g: Array, group: dict[str, Any]) -> None:
        lr, (beta1, beta2) = group["lr"], group["betas"]
        if group["weight_decay"] and group["decoupled_weight_decay"]:
            factor = 1 - lr * group["weight_decay"]
            self.p = factor * self.p
            self.p_error = abs(factor) * self.p_error + 1.5 * self.unit * abs(self.p)
        g, g_error = self._with_decay(g, group)
        mean, mean_error = self._mean(slot, "exp_avg", beta1, g, g_error)
        square, error = self._mean(slot, "exp_avg_sq", beta2, *self._square(g, g_error))
        if group["amsgrad"]:
            square = np.maximum(slot.state.get("max_exp_avg_sq", 0.0), square)
            error = np.maximum(slot.errors.get("max_exp_avg_sq", 0.0), error)
            slot.state["max_exp_avg_sq"], slot.errors["max_exp_avg_sq"] = square, error
        correction1, correction2 = 1 - beta1**slot.count, 1 - beta2**slot.count
        root, error = self._root(square / correction2, error / correction2)
        error = error + self.unit * (root + 0.5 * group["eps"])
        q, error = self._over(mean, mean_error, root + group["eps"], error)
        self._move(lr / correction1, q, error)

    def _rmsprop(self, slot: Slot, g: Array, group: dict[str, Any]) -> None:
        alpha, momentum = group["alpha"], group["momentum"]
        g, g_error = self._with_decay(g, group)
        square, error = self._mean(slot, "square_avg", alpha, *self._square(g, g_error))
        if group["centered"]:
            mean, mean_error = self._mean(slot, "grad_avg", alpha, g, g_error)
            mean, mean_error = self._square(mean, mean_error)
            # A difference of squares: what is left of it carries the errors of both.
            square = np.maximum(square - mean, 0)
            error = error + mean_error + self.unit * square
        root, error = self._root(square, error)
        error = error + self.unit * (root + 0.5 * group["eps"])
        q, error = self._over(g, g_error, root + group["eps"], error)
        if momentum > 0:
            kept = momentum * slot.state.get("momentum_buffer", 0.0)
            q, error = kept + q, momentum * slot.errors.get("momentum_buffer", 0.0) + error
            error = error + self.unit * (1.5 * abs(kept) + 0.5 * abs(q))
            slot.state["momentum_buffer"], slot.errors["momentum_buffer"] = q, error
        self._move(group["lr"], q, error)


class Play:
    """Act out a script as the probe does, with tracks in place of tensors."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data, self.tracks, self.expected = data, {}, {}
        self.actors: dict[str, dict[str, Any]] = {}
        self.is_sample = data.get("is_sample", False)
        for index, tensor in enumerate(data["tensors"]):
            if tensor is not None:
                self.tracks[index] = Track(tensor)
        self.gradients = [each.double().numpy() for each in data["gradients"]]

    def make(self, name: str, kind: str, form: str, groups: Any, options: dict[str, Any]) -> None:
        defaults = DEFAULTS[kind] | options
        layout = [defaults | spec for spec in groups]
        self.actors[name] = {"kind": kind, "defaults": defaults, "groups": layout}

    def write(self, name: str, group: int, key: str, value: Any) -> None:
        self.actors[name]["groups"][group][key] = value

    def add(self, name: str, spec: dict[str, Any]) -> None:
        actor = self.actors[name]
        actor["groups"].append(actor["defaults"] | spec)

    def zero(self, name: str, set_to_none: bool | None) -> None:
        pass

    def steps(self, name: str, count: int, how: str = "assign") -> None:
        actor = self.actors[name]
        for group in actor["groups"]:
            for index in group["params"]:
                present, track = self.data["present"][index], self.tracks[index]
                for turn in range(len(track.rows), len(track.rows) + count):
                    given = present is None or present[turn]
                    gradient = self.gradients[index][turn] if given else None
                    track.step(name, actor["kind"], gradient, group)

    def resume(self, source: str, name: str, via: str, indices: list[int]) -> None:
        old = self.actors[source]
        actor = copy.deepcopy(old)
        actor["defaults"] = DEFAULTS[old["kind"]] | {"lr": 123.0}
        waiting = list(indices)
        for group, former in zip(actor["groups"], old["groups"], strict=True):
            group["params"] = [waiting.pop(0) for _ in former["params"]]
            for index, origin in zip(group["params"], former["params"], strict=True):
                former_track = self.tracks[origin]
                if index not in self.tracks:
                    self.tracks[index] = track = copy.copy(former_track)
                    track.slots, track.rows, track.bounds = {}, [], []
                if source in former_track.slots:
                    slot = copy.deepcopy(former_track.slots[source])
                    self.tracks[index].slots[name] = slot
        self.actors[name] = actor

    def state(self, name: str, names: list[str]) -> None:
        groups = self.actors[name]["groups"]
        order = [self.tracks[index] for group in groups for index in group["params"]]
        slots = {
            key: (track.slots[name], track.unit)
            for key, track in enumerate(order)
            if name in track.slots and track.p.size
        }
        self.expected |= {f"{name}.form": Exact(True), f"{name}.keys": Exact([*slots])}
        for key, (slot, unit) in slots.items():
            self.expected[f"{name}.{key}.names"] = Exact(sorted(["step", *slot.state]))
            self.expected[f"{name}.{key}.step"] = Exact(float(slot.count))
            for label, value in slot.state.items():
                limit = self.margin(unit) * slot.errors[label]
                self.expected[f"{name}.{key}.{label}"] = _want(value, limit, torch.float64)
        self.expected[f"{name}.hyper"] = Exact(_hyper(groups, names))
        if self.data.get("indices", True):
            numbers = iter(range(len(order)))
            self.expected[f"{name}.indices"] = Exact(
                [[next(numbers) for _ in group["params"]] for group in groups]
            )

    def groups(self, name: str, names: list[str]) -> None:
        groups = self.actors[name]["groups"]
        held = [list(group["params"]) for group in groups]
        self.expected |= {f"{name}.held": Exact(held), f"{name}.live": Exact(_hyper(groups, names))}

    @staticmethod
    def margin(unit: float) -> float:
        """In float64 the oracle rounds as often as the answer."""
        return 3.0 if unit > 1e-10 else 6.0

    def end(self) -> Expected:
        for index, track in self.tracks.items():
            if track.rows:
                limit = self.margin(track.unit) * np.stack(track.bounds)
                self.expected[f"value.{index}"] = _want(np.stack(track.rows), limit, track.dtype)
        for fact, note in NOTES.items():
            # Whether gradients stay is a lesson of a later group.
            if fact != "gradient" or not self.is_sample:
                self.expected[f"fact.{fact}"] = Exact([], note=note)
        return self.expected


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    if "raises" in case.secret:
        return {
            f"{name}.raised": Raises(_ERRORS[kind]) for name, kind in case.secret["raises"].items()
        }
    play = Play(case.secret["data"])
    with np.errstate(all="ignore"):
        for action, *arguments in play.data["script"]:
            getattr(play, action)(*arguments)
        return play.end()


def builtin(case: Case) -> dict[str, Tensor]:
    """Act out the script with torch.optim, in float64."""
    if "raises" in case.secret:
        return {}
    data = copy.deepcopy(case.secret["data"])
    for name in ("tensors", "gradients"):
        data[name] = [None if item is None else item.double() for item in data[name]]
    probe = load_module(Path(__file__).with_name("probe.py"))
    answer = probe.act(probe.Scene(torch.optim, data, driver))
    return {key: item for key, item in answer.items() if key.startswith("value.")}


_ERRORS = {"ValueError": ValueError, "TypeError": TypeError, "RuntimeError": RuntimeError}


def _want(value: Array, limit: Array, dtype: torch.dtype) -> Want:
    return Want(torch.tensor(value), torch.tensor(limit), dtype)


def _hyper(groups: list[dict[str, Any]], names: list[str]) -> list[Any]:
    return [[_number(group[key]) for key in names] for group in groups]


def _number(value: Any) -> Any:
    return [_number(item) for item in value] if type(value) in (tuple, list) else float(value)
