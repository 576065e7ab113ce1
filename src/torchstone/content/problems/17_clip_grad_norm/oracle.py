"""Know the truth of problem 17 in float64."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import Case, Exact, Expected, Raises, Star, Want

NEW = {
    "en": "the returned norm shares memory with a gradient or a parameter",
    "zh": "返回的范数与某个梯度或参数共用内存",
}
OBJECTS = {
    "en": "a parameter has another gradient object than before: scale it in place",
    "zh": "参数的 `.grad` 换成了另一个对象：应当原地修改",
}
GAPS = {
    "en": "memory between the entries of a gradient was written",
    "zh": "梯度各元素之间的内存被写过",
}
WAITS = {
    "en": "no wait for a number of the device (here: {came})",
    "zh": "没有等待设备上的数（这里：{came} 次）",
}
# So many squares torch's own norm adds up with an error of 3e-14; math.fsum agrees with the oracle.
MANY = 100_000
# Relative to the largest entry, by dtype.
OF_TOTAL = {torch.float32: 1e-5, torch.float64: 1e-12}
OF_GRADIENT = {
    torch.float16: 1.5e-3,
    torch.bfloat16: 1e-2,
    torch.float32: 3e-6,
    torch.float64: 1e-12,
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    data, raises = case.secret["data"], case.secret["raises"]
    expected: Expected = {}
    if raises:
        expected["raised"] = Raises(ValueError if raises == "value" else RuntimeError)
        expected |= _kept(data)
        for i, grad in enumerate(data["grads"]):
            expected[f"gradient {i}"] = Exact(grad)
        return expected
    expected |= _clipped(data, data["grads"])
    if data["again"]:
        second = _clipped(data, data["again"])
        expected |= {f"second {key}": item for key, item in second.items()}
    expected["gaps"] = Exact(True, note=GAPS)
    if data["counts"]:
        expected["star of waiting"] = Star("waiting", _waits, 0.0, WAITS)
    return expected


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Clip with torch's own function in float64, where it does the same."""
    data = case.secret["data"]
    empty = [grad is not None and not grad.numel() for grad in data["grads"]]
    if data["arguments"].get("norm_type") == math.inf and any(empty):
        return {}  # torch's function raises
    if any(grad is not None and grad.numel() > MANY for grad in data["grads"]):
        return {}
    if case.secret["raises"] or len(set(data["passed"])) < len(data["passed"]):
        return {}
    parameters = []
    for grad, shape in zip(data["grads"], data["shapes"], strict=True):
        parameter = torch.zeros(shape, dtype=torch.float64, requires_grad=True)
        parameter.grad = None if grad is None else grad.double()
        parameters.append(parameter)
    given = [parameters[i] for i in data["passed"]]
    total = torch.nn.utils.clip_grad_norm_(given, **data["arguments"]).double()
    found = {f"gradient {i}": p.grad for i, p in enumerate(parameters) if p.grad is not None}
    return found | {"total": total}


def _waits(answer: Any) -> float | None:
    count = answer.get("waits")
    return float(count) if type(count) is int else None


def _kept(data: dict[str, Any]) -> Expected:
    """Expect what nothing may change."""
    expected: Expected = {
        "same gradients": Exact(True, note=OBJECTS),
        "parameters": Exact(True),
    }
    for i, grad in enumerate(data["grads"]):
        if grad is not None:
            expected |= {f"memory {i}": Exact(True), f"graph {i}": Exact(True)}
    return expected


def _clipped(data: dict[str, Any], grads: list[torch.Tensor | None]) -> Expected:
    passed = {i: grads[i].double() for i in data["passed"] if grads[i] is not None}
    arguments = data["arguments"]
    max_norm = arguments["max_norm"]
    total = _total(list(passed.values()), float(arguments.get("norm_type", 2.0)))
    coef = (max_norm / (total + 1e-6)).clamp(max=1.0)
    wide = any(grads[i].dtype == torch.float64 for i in passed)
    dtype = torch.float64 if wide else torch.float32
    limit = _share(OF_TOTAL[dtype], total)
    expected: Expected = {
        "total": Want(total, limit, dtype),
        "total without a graph": Exact(True),
        "total is new": Exact(True, note=NEW),
    }
    # Clearly below the limit the factor is 1, and bytes stay.
    untouched = max_norm > float(total) * (1 + 1e-3) + 1e-5
    for i, grad in enumerate(grads):
        if i not in passed or untouched:
            expected[f"gradient {i}"] = Exact(
                grad, aspect="property" if i not in passed else "value"
            )
            continue
        value = passed[i] * coef
        bound = _share(OF_GRADIENT[grad.dtype], value)
        expected[f"gradient {i}"] = Want(value, bound, grad.dtype)
    return expected | _kept(data)


def _share(tolerance: float, value: torch.Tensor) -> float:
    finite = value[value.isfinite()].abs()
    return tolerance * float(finite.max()) if finite.numel() else 0.0


def _total(grads: list[torch.Tensor], p: float) -> torch.Tensor:
    every = torch.cat([torch.zeros(0, dtype=torch.float64), *(g.reshape(-1) for g in grads)]).abs()
    if not every.numel():
        return torch.zeros((), dtype=torch.float64)
    peak = every.max()
    if p == math.inf or not 0 < float(peak) < math.inf:
        return peak
    # Scaled, so that no power leaves the range.
    return peak * (every / peak).pow(p).sum() ** (1 / p)
