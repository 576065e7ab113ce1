"""Know the truth of problem 29: rounded inputs in float64, and the scale by its definition."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from torchstone.judge.kit import COUNT, Case, Exact, Expected, Holds, Want

# The tolerance of what is computed in float32: about a hundred roundings.
FLOAT32 = 1e-5
CAST = (torch.float32, torch.float16, torch.bfloat16)
OWN = {"en": "PyTorch's own autocast is switched on", "zh": "开启了 PyTorch 自带的 autocast"}
KEPT = {"en": "a weight is alive after the region", "zh": "离开区域后权重仍然存活"}
COPIED = {
    "en": "at most {most} elements of the leaf are copied",
    "zh": "叶子被复制的元素不超过 {most} 个",
}
RAISES = {"en": "the call raises {names}", "zh": "该调用抛出 {names}"}
NUMBER = {"en": "a number equal to {value}", "zh": "等于 {value} 的数"}
CLOSE = {
    "en": "losses close to those in float32: {first} at first, {last} at last",
    "zh": "损失接近 float32 的结果：最初 {first}，最后 {last}",
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    return TRUTHS[case.secret["op"]](case.secret)


def builtin(case: Case) -> dict[str, Tensor]:
    """Let PyTorch's own scaler and optimizers run the iterations."""
    if case.secret["op"] != "iterate":
        return {}
    return _iterate_by_torch(case.secret)


def _fill(note: dict[str, str], **values: Any) -> dict[str, str]:
    return {language: text.format(**values) for language, text in note.items()}


def _layer(kind: Any, *arguments: Any, **tensors: Any) -> Any:
    made = kind(*arguments)
    for name, value in tensors.items():
        setattr(made, name, nn.Parameter(value, requires_grad=False))
    return made


@cache
def _compiled(text: str, mode: str) -> Any:
    return compile(text, "<truth>", mode)


def _scope(tensors: dict[str, Tensor], before: str = "") -> dict[str, Any]:
    """Return the names that expressions see."""
    scope = {"torch": torch, "F": F, "nn": nn, "layer": _layer, **tensors}
    exec(_compiled(before, "exec"), scope)
    return scope


def _evaluate(text: str, scope: dict[str, Any]) -> Tensor:
    result: Tensor = eval(_compiled(text, "eval"), scope)
    return result.detach()


def _program(secret: dict[str, Any]) -> Expected:
    tensors, halves = secret["tensors"], {"D": secret["half"], "E": secret["other"]}
    plain, wide = _scope(tensors), {}
    expected: Expected = {}
    for name, truth, rounded, dtype, scale in secret["results"]:
        rounded, dtype = halves.get(rounded, rounded), halves.get(dtype, dtype)
        if rounded not in wide:
            seen = {key: _round(x, rounded, secret) for key, x in tensors.items()}
            wide[rounded] = _scope(seen, secret["before"])
        if dtype:
            value = _evaluate(truth, wide[rounded])
            kind = getattr(torch, dtype)
        else:
            value = _evaluate(truth, plain)
            kind = value.dtype
        aspect = "grad" if name in secret["leaves"] or truth.startswith("g") else "value"
        expected[name] = _want(value, kind, scale, aspect)
    for name, kind, value in secret["facts"]:
        expected[name] = FACTS[kind](value)
    expected["own autocast"] = Exact(False, note=OWN)
    if secret["count"]:
        most = 2 * tensors[secret["count"]].numel()
        expected["copied"] = Holds(
            lambda copied: copied <= most, _fill(COPIED, most=most), takes=COUNT
        )
    if secret["alive"]:
        expected["alive"] = Exact([], note=KEPT)
    return expected


def _round(x: Tensor, to: str, secret: dict[str, Any]) -> Tensor:
    """Return the tensor in float64, rounded before if it is one that is cast."""
    if x.dtype not in CAST:
        return x
    x = x.to(getattr(torch, to)) if to else x
    return x.double().requires_grad_(bool(secret["before"]))


def _want(value: Tensor, dtype: torch.dtype, scale: float, aspect: str) -> Want:
    if not dtype.is_floating_point:
        return Want(value, 0, dtype)
    if scale == 0:
        return Want(value.double(), 0.0, dtype, aspect=aspect)
    # In units of the last place for half precision; relative to the largest element otherwise. The
    # terms of a sum in float32 are about 1, however small the sum is.
    unit = torch.finfo(dtype).eps if scale >= 1 else 1.0
    finite = value.double().abs().nan_to_num(posinf=0.0)
    most = float(finite.max()) if finite.numel() else 0.0
    limit = scale * unit * (max(most, 1.0) if scale == FLOAT32 else most)
    return Want(value.double(), limit, dtype, aspect=aspect)


def _raises(names: list[str]) -> Holds:
    def holds(came: Any) -> bool:
        return isinstance(came, list) and any(
            type(name) is str and (name in names or "Exception" in names) for name in came
        )

    return Holds(holds, _fill(RAISES, names=" / ".join(names)), truth=names)


def _number(value: float) -> Holds:
    def holds(came: Any) -> bool:
        return type(came) in (int, float) and abs(came - value) <= 1e-6 * value

    return Holds(holds, _fill(NUMBER, value=value), truth=value)


def _near(value: float) -> Holds:
    def holds(came: Any) -> bool:
        return type(came) in (int, float) and abs(came - value) <= 1e-6

    return Holds(holds, _fill(NUMBER, value=value), truth=value)


FACTS = {"equal": Exact, "raises": _raises, "number": _number, "near": _near}


class Scale:
    """The scale and its count, by their definition."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.value = torch.tensor(options["init_scale"])
        self.growth, self.backoff = options["growth_factor"], options["backoff_factor"]
        self.interval, self.count = options["growth_interval"], 0

    def update(self, *, bad: bool) -> None:
        self.count = 0 if bad else self.count + 1
        if bad:
            self.value = self.value * self.backoff
        elif self.count == self.interval:
            self.value, self.count = self.value * self.growth, 0


def _iterations(secret: dict[str, Any]) -> Expected:
    scale = Scale(secret["options"])
    # Of each optimizer, all parameters and all momenta, one after the other.
    values = [_flat(group) for group in secret["start"]]
    speeds = [torch.zeros_like(value) for value in values]
    saved: Any = None
    scales, parameters, gradients = [], [], []
    for number, step in enumerate(secret["steps"]):
        if number == secret["save"]:
            saved = scale.value, scale.count
        if number == secret["load"]:
            scale.value, scale.count = saved
        seen, bad = _step(secret, step, scale, values, speeds)
        if step["new"] is not None:
            scale.value = torch.tensor(float(step["new"]))
        else:
            scale.update(bad=bad)
        scales.append(float(scale.value))
        parameters.append(torch.cat(values))
        gradients.append(torch.cat(seen))
    expected: Expected = {
        "scales": Want(torch.tensor(scales).double(), 1e-6 * torch.tensor(scales).double(), WIDE),
        "parameters": _all_close(torch.stack(parameters)),
        "same objects": Exact(True),
    }
    if secret["look"]:
        expected["gradients"] = _all_close(torch.stack(gradients), aspect="grad")
    return expected


WIDE = torch.float64


def _all_close(value: Tensor, aspect: str = "value") -> Want:
    finite = value.nan_to_num(posinf=0.0, neginf=0.0).abs()
    return Want(value, 1e-5 * finite.amax(1, keepdim=True), WIDE, aspect=aspect)


def _flat(group: list[Tensor]) -> Tensor:
    return torch.cat([x.reshape(-1) for x in group]).double()


def _step(
    secret: dict[str, Any],
    step: dict[str, Any],
    scale: Scale,
    values: list[Tensor],
    speeds: list[Tensor],
) -> tuple[list[Tensor], bool]:
    """Do one iteration of SGD with both optimizers; return the gradients that can be seen."""
    seen, bads = [], []
    for at, group in enumerate(step["gradients"]):
        start = secret["start"][at]
        # What has no gradient is seen as it is after the step.
        none = [torch.full([x.numel()], g is None) for x, g in zip(start, group, strict=True)]
        is_left = torch.cat(none) if any(g is None for g in group) else None
        given = [torch.zeros_like(x) if g is None else g for x, g in zip(start, group, strict=True)]
        # The float32 reciprocal is exact enough.
        plain = _flat(given) / float(scale.value)
        bads.append(not bool(plain.isfinite().all()))
        if step["unscale"][at] and step["clip"]:
            plain = plain.clamp(-step["clip"], step["clip"])
        if not bads[-1]:
            speed = secret["momentum"][at] * speeds[at] + plain
            speeds[at] = speed if is_left is None else torch.where(is_left, speeds[at], speed)
            value = values[at] - 0.01 * speeds[at]
            values[at] = value if is_left is None else torch.where(is_left, values[at], value)
        seen.append(plain if is_left is None else torch.where(is_left, values[at], plain))
    return seen, any(bads)


def _iterate_by_torch(secret: dict[str, Any]) -> dict[str, Tensor]:
    groups = [[nn.Parameter(x.double()) for x in group] for group in secret["start"]]
    optimizers = [
        torch.optim.SGD(group, lr=0.01, momentum=momentum)
        for group, momentum in zip(groups, secret["momentum"], strict=True)
    ]
    scaler, state = torch.amp.GradScaler("cpu", **secret["options"]), {}
    scales, parameters = [], []
    for number, step in enumerate(secret["steps"]):
        if number == secret["save"]:
            state = scaler.state_dict()
        if number == secret["load"]:
            scaler = torch.amp.GradScaler("cpu")
            scaler.load_state_dict(state)
        scaler.scale(torch.ones(()))
        for at, group in enumerate(groups):
            for parameter, gradient in zip(group, step["gradients"][at], strict=True):
                parameter.grad = None if gradient is None else gradient.double()
            if step["unscale"][at]:
                scaler.unscale_(optimizers[at])
                for parameter in group:
                    if step["clip"] and parameter.grad is not None:
                        parameter.grad.clamp_(-step["clip"], step["clip"])
        for optimizer in optimizers:
            scaler.step(optimizer)
        scaler.update(step["new"])
        scales.append(scaler.get_scale())
        parameters.append(torch.cat([p.detach().reshape(-1) for g in groups for p in g]))
    return {
        "scales": torch.tensor(scales, dtype=torch.float64),
        "parameters": torch.stack(parameters),
    }


def _training(secret: dict[str, Any]) -> Expected:
    """Train in float64, without casts and without a scale."""
    weights = [x.double().requires_grad_() for x in secret["weights"]]
    x, losses = secret["x"].double(), []
    for _ in range(secret["steps"]):
        hidden = F.relu(F.linear(x, weights[0], weights[1]))
        loss = F.cross_entropy(F.linear(hidden, weights[2], weights[3]), secret["y"])
        gradients = torch.autograd.grad(loss, weights)
        with torch.no_grad():
            for weight, gradient in zip(weights, gradients, strict=True):
                weight -= secret["lr"] * gradient.clamp(-secret["clip"], secret["clip"])
        losses.append(loss.item())
    size = sum(weight.numel() for weight in weights)

    def near(came: Any) -> bool:
        if type(came) is not list or len(came) != len(losses):
            return False
        return all(
            type(loss) is float and math.isfinite(loss) and abs(loss - truth) <= 0.02 + 0.05 * truth
            for loss, truth in zip(came, losses, strict=True)
        )

    def plain(came: Any) -> bool:
        return isinstance(came, Tensor) and came.shape == (size,) and came.dtype == WIDE

    wanted = _fill(CLOSE, first=f"{losses[0]:.3g}", last=f"{losses[-1]:.3g}")
    return {
        "losses": Holds(near, wanted, aspect="value", truth=losses),
        "weights": Holds(plain, {"en": "the weights", "zh": "权重"}),
    }


TRUTHS = {"program": _program, "iterate": _iterations, "train": _training}
