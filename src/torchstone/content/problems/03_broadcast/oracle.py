"""Know the truth of problem 03: PyTorch's own views, and sums in float64."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import EPS, Case, Exact, Expected, Holds, Raises, Want, ulp

HALF = (torch.float16, torch.bfloat16)


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    if secret["op"] == "refused":
        return {"raised": Raises(ValueError, RuntimeError)}
    return TRUTHS[secret["op"]](secret)


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the gradients with PyTorch's own operators in float64."""
    secret = case.secret
    if secret["op"] == "vjp" and secret["cotangent"] is not None:
        x = secret["x"].double().requires_grad_()
        y = x.expand(secret["shape"])
        (gradient,) = torch.autograd.grad(y, x, secret["cotangent"].double())
        return {"out": y.detach(), "grad.0": gradient}
    if secret["op"] == "unbroadcast" and secret["grad"].is_floating_point():
        return {"out": secret["grad"].double().sum_to_size(secret["shape"])}
    return {}


def _shapes(secret: dict[str, Any]) -> Expected:
    expected: Expected = {}
    for number, wanted in enumerate(secret["wanted"]):
        expected |= {f"{number}.shape": Exact(wanted), f"{number}.is_tuple": Exact(True)}
    return expected


def _refusals(secret: dict[str, Any]) -> Expected:
    refused = Raises(ValueError, RuntimeError)
    return {f"{number}.raised": refused for number in range(secret["num_wishes"])}


def _expand(secret: dict[str, Any]) -> Expected:
    return _views(secret)


def _tensors(secret: dict[str, Any]) -> Expected:
    count = len(secret["bases"])
    return {"is_tuple": Exact(True), "count": Exact(count)} | _views(secret)


def _views(secret: dict[str, Any]) -> Expected:
    """Want views: metadata first, then cells before and after the write to their storage."""
    expected: Expected = {}
    for position, (x, storage) in enumerate(zip(secret["bases"], secret["storages"], strict=True)):
        y = x.expand(secret["final"])
        expected |= {
            f"{position}.shape": Exact(list(y.shape), aspect="shape"),
            f"{position}.dtype": Exact(x.dtype, aspect="dtype"),
            f"{position}.stride": _strides(x, y),
            f"{position}.cells": Exact(_cells(y, secret["cells"][0]), aspect="value"),
        }
        if y.numel():
            expected |= _sharing(position)
        if y.numel() <= 4096:
            expected[f"{position}.values"] = Exact(y.contiguous(), aspect="value")
        written = torch.as_strided(storage, x.shape, x.stride(), x.storage_offset())
        after = _cells(written.expand(secret["final"]), secret["cells"][1])
        expected[f"1:{position}.cells"] = Exact(after, note=STALE)
    return expected


STALE = {
    "en": "a write to the input did not show in the result: the result is a copy, not a view",
    "zh": "写入输入后结果没有随之变化：结果是副本而不是视图",
}


def _sharing(position: int) -> Expected:
    note = {
        "en": "the result does not look at the storage of the input from the same first element",
        "zh": "结果没有从同一个首元素开始共享输入的存储",
    }
    return {
        f"{position}.same_storage": Exact(True, note=note),
        f"{position}.same_pointer": Exact(True, note=note),
    }


def _strides(x: torch.Tensor, y: torch.Tensor) -> Holds:
    """Want stride 0 where a dimension is new or stretched, the stride of x where it is kept.

    Strides of dimensions of size 1 and of empty results say nothing and are free.
    """
    free = y.numel() == 0
    wanted = [None if free or n == 1 else s for n, s in zip(y.shape, y.stride(), strict=True)]
    text = "(" + ", ".join("any" if stride is None else str(stride) for stride in wanted) + ")"

    def fits(got: Any) -> bool:
        if not isinstance(got, list) or len(got) != len(wanted):
            return False
        return all(type(g) is int and w in (None, g) for w, g in zip(wanted, got, strict=True))

    note = {
        "en": f"strides {text} are wanted: 0 where a dimension is new or stretched",
        "zh": f"步长应为 {text}：新增或被拉伸的维步长为 0",
    }
    return Holds(fits, note)


def _cells(y: torch.Tensor, cells: list[list[int]]) -> list[Any]:
    return [y[tuple(index)].item() for index in cells]


def _vjp(secret: dict[str, Any]) -> Expected:
    x = secret["x"]
    expected: Expected = {"out": Want(x.expand(secret["shape"]), 0.0, x.dtype)}
    if secret["cotangent"] is not None:
        expected["grad.0"] = _summed(secret["cotangent"], x.shape, aspect="grad")
    if secret["second"] is not None:
        # Linear in x: the VJP does not depend on x, and its own VJP broadcasts once more.
        v = secret["second"]
        expected["second.0"] = Want(torch.zeros(x.shape), 0.0, x.dtype, aspect="grad")
        again = v.expand(secret["shape"])
        # Exact in one step; through several views autograd divides and multiplies by the copies.
        limit = 16 * EPS[x.dtype] * again.abs()
        expected["second.cotangent.0"] = Want(again, limit, x.dtype, aspect="grad")
    return expected


def _tensors_vjp(secret: dict[str, Any]) -> Expected:
    expected: Expected = {"out.len": Exact(len(secret["tensors"]))}
    pairs = zip(secret["tensors"], secret["cotangents"], strict=True)
    for position, (x, cotangent) in enumerate(pairs):
        expected[f"out.{position}"] = Want(x.expand(secret["shape"]), 0.0, x.dtype)
        expected[f"grad.{position}"] = _summed(cotangent, x.shape, aspect="grad")
    return expected


def _unbroadcast(secret: dict[str, Any]) -> Expected:
    grad, shape = secret["grad"], secret["shape"]
    expected: Expected = {"out": _summed(grad, shape, secret.get("sum"), aspect="value")}
    if secret["cotangent"] is not None:
        again = secret["cotangent"].expand(grad.shape)
        expected["grad.0"] = Want(again, 0.0, grad.dtype, aspect="grad")
    if secret["second"] is not None:
        expected["second.0"] = Want(torch.zeros(grad.shape), 0.0, grad.dtype, aspect="grad")
        expected["second.cotangent.0"] = _summed(secret["second"], shape, aspect="grad")
    return expected


def _summed(
    grad: torch.Tensor, shape: Any, known: torch.Tensor | None = None, *, aspect: str
) -> Want:
    """Want the exact sum; ``aspect`` grad: as autograd's own formula rounds it."""
    if not grad.is_floating_point():
        return Want(grad.sum_to_size(shape), 0.0, grad.dtype, aspect=aspect)
    want = grad.double().sum_to_size(shape) if known is None else known
    # The scale of a tolerance need not be exact; halves would overflow.
    size = (grad.float() if grad.dtype in HALF else grad).abs().sum_to_size(shape).double()
    num_terms = grad.numel() / max(1, want.numel())
    bound = (4 + 0.4 * math.sqrt(num_terms)) * EPS[grad.dtype] * size
    if grad.dtype in HALF:
        if aspect == "grad":
            # The derivative of as_strided accumulates in half precision.
            bound = 1.5 * torch.finfo(grad.dtype).eps * size
        else:
            bound = bound + 2 * ulp(want, grad.dtype)
    return Want(want, bound, grad.dtype, aspect=aspect)


TRUTHS = {
    "shapes": _shapes,
    "refusals": _refusals,
    "expand": _expand,
    "tensors": _tensors,
    "vjp": _vjp,
    "tensors_vjp": _tensors_vjp,
    "unbroadcast": _unbroadcast,
}
