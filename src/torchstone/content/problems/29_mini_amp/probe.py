"""Run programs with regions, act out iterations with a scaler, and train a small network."""

from __future__ import annotations

import builtins
import copy
import gc
import queue
import threading
import weakref
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

# A submission may rebind what `builtins` holds; the functions below look names up here.
__builtins__ = dict(vars(builtins))

# Captured here, before a submission could replace them.
Tensor, Parameter = torch.Tensor, nn.Parameter
SGD, sgd_step = torch.optim.SGD, torch.optim.SGD.step
clone, detach, numel, item = Tensor.clone, Tensor.detach, Tensor.numel, Tensor.item
is_excluded = torch._C._dispatch_tls_is_dispatch_key_excluded
AUTOCAST = torch._C.DispatchKey.AutocastCPU
Thread, Queue, collect, deepcopy = threading.Thread, queue.Queue, gc.collect, copy.deepcopy
COPIES = ("aten._to_copy.default", "aten.copy_.default", "aten.copy.default")


class Copies(TorchDispatchMode):
    """Count the elements that copies of tensors of one size write."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # Otherwise the first operator imports torch._dynamo, which takes a second.
        return False

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size, self.elements = size, 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if str(func) in COPIES and numel(result) == self.size:
            self.elements += self.size
        return result


class Side:
    """Another thread, which calls functions one by one."""

    def __init__(self) -> None:
        self.calls: Any = Queue()
        self.results: Any = Queue()
        self.thread = Thread(target=self.work, daemon=True)
        self.thread.start()

    def work(self) -> None:
        while (function := self.calls.get()) is not None:
            try:
                self.results.put((function(), None))
            except BaseException as error:  # noqa: BLE001  it belongs to the caller
                self.results.put((None, error))

    def __call__(self, function: Any) -> Any:
        self.calls.put(function)
        result, error = self.results.get()
        if error is not None:
            raise error
        return result

    def end(self) -> None:
        self.calls.put(None)
        self.thread.join()


def layer(kind: Any, *arguments: Any, **tensors: Any) -> Any:
    """Make a module of torch with these frozen parameters."""
    made = kind(*arguments)
    for name, value in tensors.items():
        setattr(made, name, Parameter(value, requires_grad=False))
    return made


def leaf(tensor: Any) -> Any:
    return clone(detach(tensor)).requires_grad_()


class Loss:
    """Hold what an optimizer's step was given, and return a value of its own."""

    def __init__(self) -> None:
        self.param_groups: list[Any] = []
        self.given: list[Any] = []

    def step(self, *args: Any, **kwargs: Any) -> str:
        self.given.append([list(args), [list(pair) for pair in sorted(kwargs.items())]])
        return "the value of step"


def raised_by(tools: Any) -> Any:
    """Return a function that names what a call raises, bases included."""

    def raised(call: Any) -> list[str]:
        found = tools.attempt(lambda: call() and None).get("raised")
        return [] if found is None else [found["type"], *found["bases"]]

    return raised


def run(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Run a program; answer with its names ``y0``, ``y1``, ... and with its facts."""
    facts: dict[str, Any] = {}
    sides: list[Side] = []

    def side() -> Side:
        sides.append(Side())
        return sides[-1]

    scope = {
        **{"torch": torch, "F": F, "nn": nn, "layer": layer, "leaf": leaf, "Loss": Loss},
        **{"autocast": submission.autocast, "GradScaler": submission.GradScaler, "side": side},
        **{"facts": facts, "raised": raised_by(tools), "SGD": SGD, "deepcopy": deepcopy},
        **{name: leaf(x) if name in data["leaves"] else x for name, x in data["tensors"].items()},
        "__builtins__": __builtins__,
    }
    code = compile(data["program"], "<program>", "exec")
    counter = Copies(numel(scope[data["count"]])) if data.get("count") else None
    try:
        if counter is None:
            exec(code, scope)
        else:
            with counter:
                exec(code, scope)
    finally:
        for each in sides:
            each.end()
    found = dict(facts)
    found["own autocast"] = not is_excluded(AUTOCAST)
    if counter is not None:
        found["copied"] = counter.elements
    for name in data["results"]:
        value = scope.get(name)
        found[name] = tools.sendable(detach(value)) if tools.is_plain(value) else name_of(value)
    watched = {name: weakref.ref(scope[name]) for name in data.get("alive", ())}
    if watched:
        for name in [name for name in scope if name != "region"]:
            del scope[name]
        value = None
        if any(reference() is not None for reference in watched.values()):
            collect()
        found["alive"] = [name for name, reference in watched.items() if reference() is not None]
    return found


def name_of(value: Any) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


class Iterations:
    """Two optimizers under one scaler, and what was read after every iteration."""

    def __init__(self, submission: Any, data: dict[str, Any], tools: Any) -> None:
        self.make, self.tools, self.data = submission.GradScaler, tools, data
        self.parameters = [[Parameter(clone(x)) for x in group] for group in data["start"]]
        self.optimizers = [
            SGD(group, lr=0.01, momentum=momentum)
            for group, momentum in zip(self.parameters, data["momentum"], strict=True)
        ]
        self.scaler = self.make(**data["options"])
        self.state: Any = None
        self.scales: list[float] = []
        self.values: list[Tensor] = []
        self.gradients: list[Tensor] = []
        self.same = True

    def go(self) -> dict[str, Any]:
        for number, step in enumerate(self.data["steps"]):
            if number == self.data["save"]:
                self.state = self.scaler.state_dict()
            if number == self.data["load"]:
                # Another scaler goes on from where the first one was.
                self.scaler = self.make()
                self.scaler.load_state_dict(self.state)
            self.iterate(step)
        return {
            "scales": torch.tensor(self.scales, dtype=torch.float64),
            "parameters": torch.stack(self.values),
            **({"gradients": torch.stack(self.gradients)} if self.data["look"] else {}),
            "same objects": self.same,
        }

    def iterate(self, step: dict[str, Any]) -> None:
        # Called as losses are, although the gradients are planted.
        self.scaler.scale(torch.ones(()))
        given = [gradient for group in step["gradients"] for gradient in group]
        parameters = [parameter for group in self.parameters for parameter in group]
        for parameter, gradient in zip(parameters, given, strict=True):
            parameter.grad = None if gradient is None else clone(gradient)
        held = [parameter.grad for parameter in parameters]
        for optimizer, explicit in zip(self.optimizers, step["unscale"], strict=True):
            if explicit:
                self.scaler.unscale_(optimizer)
                if step["clip"]:
                    clip([p for g in optimizer.param_groups for p in g["params"]], step["clip"])
        for optimizer in self.optimizers:
            self.scaler.step(optimizer)
        self.same &= all(p.grad is g for p, g in zip(parameters, held, strict=True))
        if step["new"] is not None:
            self.scaler.update(step["new"])
        else:
            self.scaler.update()
        self.scales.append(float(self.scaler.get_scale()))
        self.values.append(flat(parameters))
        if self.data["look"]:
            zeros = [p if p.grad is None else p.grad for p in parameters]
            self.gradients.append(flat(zeros))


def flat(tensors: list[Any]) -> Tensor:
    return torch.cat([detach(x).reshape(-1) for x in tensors]).double()


def clip(parameters: list[Any], limit: float) -> None:
    """Clip by value, which needs no sum over all gradients."""
    for parameter in parameters:
        if parameter.grad is not None:
            parameter.grad.clamp_(-limit, limit)


def iterate(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    return Iterations(submission, data, tools).go()


def train(submission: Any, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Train a small network on labelled vectors; answer with the loss of every step."""
    weights = [leaf(x) for x in data["weights"]]
    optimizer, scaler = SGD(weights, lr=data["lr"]), submission.GradScaler(**data["options"])
    losses = []
    for _ in range(data["steps"]):
        for weight in weights:
            weight.grad = None
        with submission.autocast(data["dtype"]):
            hidden = F.relu(F.linear(data["x"], weights[0], weights[1]))
            logits = F.linear(hidden, weights[2], weights[3])
            loss = F.cross_entropy(logits, data["y"])
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        clip(weights, data["clip"])
        scaler.step(optimizer)
        scaler.update()
        losses.append(float(item(loss)))
    return {"losses": losses, "weights": flat(weights)}


OPERATIONS = {"program": run, "iterate": iterate, "train": train}


def probe(submission: Any, op: str, data: dict[str, Any], tools: Any) -> dict[str, Any]:
    """Answer one operation of this problem."""
    return OPERATIONS[op](submission, data, tools)
