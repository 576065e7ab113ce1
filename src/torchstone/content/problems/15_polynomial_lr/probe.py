"""Act out a script with a scheduler and an optimizer, and read what the groups hold after each."""

from __future__ import annotations

import copy
import json
import math
import warnings
from typing import Any

import torch

# Captured before a submission could replace them.
SGD = torch.optim.SGD
item = torch.Tensor.item
fill = torch.Tensor.fill_
dumps, loads, deepcopy = json.dumps, json.loads, copy.deepcopy
Tensor = torch.Tensor
OWN = ("lr", "initial_lr", "params")


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Answer one operation of this problem."""
    with warnings.catch_warnings():
        # LRScheduler warns when it is stepped without the optimizer, as some scripts do.
        warnings.simplefilter("ignore")
        if op == "refuse":
            return refuse(submission.PolynomialLR, data, tools)
        scenes = [Scene(submission.PolynomialLR, each, tools) for each in data["scenes"]]
        for actions in zip(*(each["script"] for each in data["scenes"]), strict=True):
            for scene, action in zip(scenes, actions, strict=True):
                scene.act(*action)
    names = [""] if len(scenes) == 1 else [f"{number}." for number in range(len(scenes))]
    pairs = zip(names, scenes, strict=True)
    return {f"{name}{key}": v for name, scene in pairs for key, v in scene.answer().items()}


def make_optimizer(groups: list[dict[str, Any]]) -> Any:
    """Make an SGD whose weights have the constant gradient 1; a dtype makes the rate a tensor."""
    made = []
    for group in groups:
        weight = torch.zeros((), dtype=torch.float64, requires_grad=True)
        weight.grad = torch.ones((), dtype=torch.float64)
        own = {key: group[key] for key in ("lr", "initial_lr") if key in group}
        if group.get("dtype") is not None:
            own["lr"] = torch.tensor(group["lr"], dtype=group["dtype"])
        made.append({"params": [weight], **own})
    return SGD(made, lr=1.0)


class Scene:
    """One optimizer with its scheduler, and what was read of them."""

    def __init__(self, scheduler: Any, data: dict[str, Any], tools: Any) -> None:
        self.make, self.data, self.tools = scheduler, data, tools
        self.rows: dict[str, list[Any]] = {
            key: [] for key in ("lr", "initial_lr", "last_lr", "last_epoch")
        }
        self.types: list[set[str]] = [set() for _ in data["groups"]]
        self.facts = {"only_rates_written": True, "same_tensor": True, "no_alias": True}
        self.plain = True
        self.begin(data["groups"])
        self.scheduler = scheduler(self.optimizer, **data["options"])
        self.read()

    def begin(self, groups: list[dict[str, Any]], weights: list[float] | None = None) -> None:
        self.optimizer = make_optimizer(groups)
        self.weights = [group["params"][0] for group in self.optimizer.param_groups]
        for weight, value in zip(self.weights, weights or [], strict=False):
            with torch.no_grad():
                fill(weight, value)
        self.settle()

    def settle(self) -> None:
        """Remember what must stay as it is."""
        groups = self.optimizer.param_groups
        self.rates = [group["lr"] for group in groups]
        self.others = [{k: v for k, v in group.items() if k not in OWN} for group in groups]

    def act(self, name: str, *arguments: Any) -> None:
        getattr(self, f"do_{name}")(*arguments)

    def do_train(self, count: int) -> None:
        # As a loop does: a scheduler must leave the methods of the optimizer to it.
        for _ in range(count):
            self.optimizer.zero_grad()
            for weight in self.weights:
                weight.backward()
            self.optimizer.step()
            self.scheduler.step()
            self.read()

    def do_steps(self, count: int) -> None:
        for _ in range(count):
            self.scheduler.step()
        self.read()

    def do_edit(self, index: int, value: float) -> None:
        group = self.optimizer.param_groups[index]
        if isinstance(group["lr"], Tensor):
            fill(group["lr"], value)
        else:
            group["lr"] = value
        self.read()

    def do_resume(self, options: dict[str, Any], others: list[Any], order: str) -> None:
        """Load the saved state into a new optimizer and a new scheduler."""
        states = self.optimizer.state_dict(), self.scheduler.state_dict()
        of_optimizer, of_scheduler = (self.travel(state) for state in states)
        self.begin(others, [item(weight) for weight in self.weights])
        self.scheduler = self.make(self.optimizer, **options)
        if order == "scheduler first":
            self.scheduler.load_state_dict(of_scheduler)
        self.optimizer.load_state_dict(of_optimizer)
        if order != "scheduler first":
            self.scheduler.load_state_dict(of_scheduler)
        self.settle()
        self.read()

    def do_count_on(self, options: dict[str, Any], others: list[Any]) -> None:
        """Load the state of the optimizer alone; the scheduler is told where it stands."""
        state = self.travel(self.optimizer.state_dict())
        self.begin(others, [item(weight) for weight in self.weights])
        self.optimizer.load_state_dict(state)
        self.settle()
        self.scheduler = self.make(self.optimizer, **{**self.data["options"], **options})
        self.read()

    def travel(self, state: Any) -> Any:
        """Send a state through JSON where the rates are floats."""
        if any(group.get("dtype") is not None for group in self.data["groups"]):
            return deepcopy(state)
        try:
            return loads(dumps(state))
        except (TypeError, ValueError):
            self.plain = False
            return state

    def read(self) -> None:
        groups = self.optimizer.param_groups
        plain = type(groups) is list and all(type(group) is dict for group in groups)
        if not plain or len(groups) != len(self.rates):
            raise self.tools.Fault("value_type", type=type(groups[0] if groups else None).__name__)
        for index, group in enumerate(groups):
            self.look_at(group, index)
        self.rows["lr"].append([number(group["lr"]) for group in groups])
        self.rows["initial_lr"].append([number(group.get("initial_lr")) for group in groups])
        last = self.scheduler.get_last_lr()
        right = type(last) is list and len(last) == len(groups)
        self.rows["last_lr"].append(
            [number(v) for v in last] if right else [math.nan] * len(groups)
        )
        at = self.scheduler.last_epoch
        self.rows["last_epoch"].append(at if type(at) is int else type(at).__name__)

    def look_at(self, group: dict[str, Any], index: int) -> None:
        rate, before = group["lr"], self.rates[index]
        self.types[index].add(type(rate).__name__)
        others = {key: value for key, value in group.items() if key not in OWN}
        if others != self.others[index] or group["params"][0] is not self.weights[index]:
            self.facts["only_rates_written"] = False
        if isinstance(before, Tensor) and rate is not before:
            self.facts["same_tensor"] = False
        base = group.get("initial_lr")
        if isinstance(base, Tensor) and isinstance(rate, Tensor):
            if self.tools.same_storage(base, rate):
                self.facts["no_alias"] = False

    def answer(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            key: torch.tensor(self.rows[key], dtype=torch.float64)
            for key in ("lr", "initial_lr", "last_lr")
        }
        found["last_epoch"] = self.rows["last_epoch"]
        found["weights"] = torch.tensor([item(w) for w in self.weights], dtype=torch.float64)
        found["types"] = [sorted(each) for each in self.types]
        found["plain_state"] = self.plain
        return found | self.facts


def number(value: Any) -> float:
    """Read a rate as a float; NaN where it is none."""
    if type(value) in (float, int):
        return float(value)
    if type(value) is Tensor and value.numel() == 1 and not value.is_complex():
        return float(item(value))
    return math.nan


def refuse(scheduler: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Make schedulers that must not be made; report the errors, and whether groups changed."""
    found: dict[str, Any] = {}
    for name, each in data["calls"].items():
        optimizer = make_optimizer(each["groups"])
        before = [dict(group) for group in optimizer.param_groups]
        given = OTHERS.get(each["given"], lambda optimizer: optimizer)(optimizer)
        attempted = tools.attempt(
            lambda given=given, each=each: scheduler(given, **each["options"]) and None
        )
        if "raised" in attempted:
            found[f"{name}.raised"] = attempted["raised"]
        found[f"{name}.untouched"] = before == [dict(group) for group in optimizer.param_groups]
    return found


OTHERS = {
    "nothing": lambda optimizer: None,
    "groups": lambda optimizer: optimizer.param_groups,
    "class": lambda optimizer: SGD,
    "module": lambda optimizer: torch.nn.Identity(),
}
