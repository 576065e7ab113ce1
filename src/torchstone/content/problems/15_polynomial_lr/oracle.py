"""Know the truth of problem 15 from the definition, in Python's floats."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import EPS, Case, Exact, Expected, Raises, Want

RELATIVE, FLOOR = 1e-9, 1e-3
# Roundings of an answer that computes in the dtype of a rate that is a tensor.
ROUNDINGS = 4


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    if "calls" in case.secret:
        return _refusals(case.secret["calls"])
    scenes = case.secret["scenes"]
    names = [""] if len(scenes) == 1 else [f"{number}." for number in range(len(scenes))]
    expected: Expected = {}
    for name, scene in zip(names, scenes, strict=True):
        truth = Rerun(scene)
        expected |= {f"{name}{key}": item for key, item in truth.wants().items()}
    return expected


class Rerun:
    """The script, run with the definition."""

    def __init__(self, scene: dict[str, Any]) -> None:
        self.groups, self.options = scene["groups"], scene["options"]
        self.dtypes = [group.get("dtype") for group in self.groups]
        self.bases = [
            group.get("initial_lr", self.rounded(group["lr"], index))
            for index, group in enumerate(self.groups)
        ]
        self.t = 0
        self.rows: dict[str, list[Any]] = {
            key: [] for key in ("lr", "initial_lr", "last_lr", "last_epoch")
        }
        self.bounds: dict[str, list[Any]] = {"lr": [], "last_lr": []}
        self.way = [0.0] * len(self.groups)
        self.way_bounds = [0.0] * len(self.groups)
        self.write()
        self.read()
        for name, *arguments in scene["script"]:
            getattr(self, f"do_{name}")(*arguments)

    def rounded(self, rate: float, index: int) -> float:
        dtype = self.dtypes[index]
        return rate if dtype is None else float(torch.tensor(rate, dtype=dtype))

    def write(self) -> None:
        """Compute the rates of this step, and how far an answer may be from each."""
        exact = [rate(base, self.t, self.options) for base in self.bases]
        limits = [self.limit(value, base) for value, base in zip(exact, self.bases, strict=True)]
        self.lr = [self.rounded(value, index) for index, value in enumerate(exact)]
        self.lr_bounds, self.last = limits, list(self.lr)
        # As a number it may be the rate before it was rounded.
        spaces = [EPS[dtype] if dtype else 0.0 for dtype in self.dtypes]
        self.last_bounds = [
            bound + 2 * eps * abs(value)
            for bound, eps, value in zip(limits, spaces, self.lr, strict=True)
        ]
        self.roundings = [
            ROUNDINGS * eps * max(base, self.options.get("end_lr", 0.0))
            if eps > EPS[torch.float64]
            else 0.0
            for eps, base in zip(spaces, self.bases, strict=True)
        ]
        if not self.is_at_end():
            pairs = list(zip(limits, self.roundings, strict=True))
            self.lr_bounds = [bound + more for bound, more in pairs]
            self.last_bounds = [
                bound + more for bound, more in zip(self.last_bounds, self.roundings, strict=True)
            ]

    def is_at_end(self) -> bool:
        return self.t >= self.options["total_iters"] and self.options.get("power", 1.0) > 0

    def limit(self, value: float, base: float) -> float:
        return 0.0 if self.is_at_end() else RELATIVE * max(abs(value), FLOOR * base)

    def read(self) -> None:
        self.rows["lr"].append(list(self.lr))
        self.rows["initial_lr"].append(list(self.bases))
        self.rows["last_lr"].append(list(self.last))
        self.rows["last_epoch"].append(self.t)
        self.bounds["lr"].append(list(self.lr_bounds))
        self.bounds["last_lr"].append(list(self.last_bounds))

    def go_on(self) -> None:
        self.t += 1
        self.write()

    def do_train(self, count: int) -> None:
        for _ in range(count):
            for index, value in enumerate(self.lr):
                self.way[index] -= value
                # Rates of this size are added up, exact ones as well.
                self.way_bounds[index] += self.lr_bounds[index] + 1e-3 * RELATIVE * abs(value)
            self.go_on()
            self.read()

    def do_steps(self, count: int) -> None:
        if count:
            self.t += count - 1
            self.go_on()
        self.read()

    def do_edit(self, index: int, value: float) -> None:
        self.lr[index] = self.rounded(value, index)
        self.lr_bounds[index] = 0.0
        self.read()

    def do_resume(self, options: Any, others: Any, order: str) -> None:
        # A new optimizer holds the rates that were saved.
        self.read()

    def do_count_on(self, options: dict[str, Any], others: Any) -> None:
        # The same schedule, one step further.
        self.go_on()
        self.read()

    def wants(self) -> Expected:
        wide = torch.float64
        tables = {
            key: torch.tensor(self.rows[key], dtype=wide) for key in ("lr", "initial_lr", "last_lr")
        }
        expected: Expected = {
            key: Want(tables[key], torch.tensor(self.bounds[key], dtype=wide), wide)
            for key in ("lr", "last_lr")
        }
        expected["initial_lr"] = Want(tables["initial_lr"], 0.0, wide)
        expected["weights"] = Want(
            torch.tensor(self.way, dtype=wide), torch.tensor(self.way_bounds, dtype=wide), wide
        )
        expected["last_epoch"] = Exact(self.rows["last_epoch"], aspect="value")
        kinds = [["float"] if dtype is None else ["Tensor"] for dtype in self.dtypes]
        expected["types"] = Exact(kinds, note=NOTES["types"])
        for fact in ("only_rates_written", "same_tensor", "no_alias", "plain_state"):
            expected[fact] = Exact(True, note=NOTES[fact])
        return expected


def rate(base: float, t: int, options: dict[str, Any]) -> float:
    """Return the rate of a group after t steps."""
    iters, warmup = options["total_iters"], options.get("warmup_iters", 0)
    if t < warmup:
        return base * ((t + 1) / (warmup + 1))
    end, power = options.get("end_lr", 0.0), options.get("power", 1.0)
    # From the other side than the statement: a mean of base and end, weighted.
    share = math.pow((iters - min(t, iters)) / (iters - warmup), power)
    return base * share + end * (1.0 - share)


def _refusals(calls: dict[str, Any]) -> Expected:
    expected: Expected = {}
    for name, each in calls.items():
        error = ValueError
        if each["given"] != "optimizer":
            error = TypeError
        elif "last_epoch" in each["options"]:
            error = KeyError
        expected[f"{name}.raised"] = Raises(error)
        expected[f"{name}.untouched"] = Exact(True, note=NOTES["untouched"])
    return expected


NOTES = {
    "types": {
        "en": "the types of the rates in each group: a float stays a float, a tensor a tensor",
        "zh": "各组学习率的类型：浮点数仍为 float，张量仍为张量",
    },
    "only_rates_written": {
        "en": "something other than lr and initial_lr was written into a group",
        "zh": "写入了参数组中 `lr` 与 `initial_lr` 以外的内容",
    },
    "same_tensor": {
        "en": "the tensor of a group's lr was replaced; it must be filled in place",
        "zh": "某组的 `lr` 张量被换掉了；应当原地写入",
    },
    "no_alias": {
        "en": "initial_lr shares the memory of lr; it must be a copy",
        "zh": "`initial_lr` 与 `lr` 共享内存；它应是一份拷贝",
    },
    "plain_state": {
        "en": "state_dict() cannot be written as JSON",
        "zh": "`state_dict()` 不能写成 JSON",
    },
    "untouched": {
        "en": "the groups were changed before the error was raised",
        "zh": "抛出错误之前就改动了参数组",
    },
}
