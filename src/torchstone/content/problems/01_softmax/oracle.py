"""Know the truth of problem 01 in float64, and how far from it rounding alone may lead."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import EPS, Case, Exact, Expected, Raises, Want, ulp

HALF = (torch.float16, torch.bfloat16)
NO_GRAPH = {
    "en": "x does not require grad, but the result does",
    "zh": "x 不需要梯度，结果却需要",
}
GRAPH = {"en": "x requires grad, but the result does not", "zh": "x 需要梯度，结果却不需要"}
NOT_NEW = {
    "en": "the result is x itself; it must be a new tensor",
    "zh": "返回值就是 x 本身；应当是新张量",
}
OVERLAPS = {
    "en": "entries of the result share memory (a stride of 0); each must have a place of its own",
    "zh": "返回值的元素共享内存（步长为 0）；每个元素都应有自己的位置",
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    if "raises" in secret:
        wanted = (IndexError,) if secret["raises"] == "dim" else (TypeError, RuntimeError)
        return {f"{name}.raised": Raises(*wanted) for name in secret["calls"]}
    if "graph" in secret:
        facts = {
            "without": Exact(False, note=NO_GRAPH),
            "within": Exact(True, note=GRAPH),
            "itself": Exact(False, note=NOT_NEW),
            "overlaps": Exact(False, note=OVERLAPS),
        }
        return {f"{x}.{name}": fact for x in secret["graph"] for name, fact in facts.items()}
    if "pair" in secret:
        first, second = ({"x": x, "dim": 1, "dtype": None, "wrt": None} for x in secret["pair"])
        return {"out": _value(first)[0], "1:out": _value(second)[0]}
    want, y, gap = _value(secret)
    expected: Expected = {"out": want}
    if secret["wrt"] is not None:
        expected[f"grad.{secret['wrt']}"] = _gradient(secret, y, gap)
        if secret["second"]:
            expected |= _second(secret)
    return expected


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the same with PyTorch's own operator in float64."""
    secret = case.secret
    if "x" not in secret:
        return {}
    x = _cast_input(secret).double().requires_grad_()
    y = torch.softmax(x, secret["dim"])
    found = {"out": y.detach()}
    if secret["wrt"] is not None:
        (gradient,) = torch.autograd.grad(y, x, secret["cotangent"].double())
        found[f"grad.{secret['wrt']}"] = gradient
    return found


def _cast_input(secret: dict[str, Any]) -> torch.Tensor:
    """Cast as the parameter ``dtype`` demands."""
    x: torch.Tensor = secret["x"]
    return x.to(secret["dtype"]) if secret["dtype"] is not None else x


def _softmax(x: torch.Tensor, dim: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return probabilities and m - x, both float64."""
    if x.numel() == 0:
        return x.double(), x.double()
    # The subtraction widens x as it goes, exactly.
    gap = x.amax(dim, keepdim=True).double() - x
    y = gap.neg().exp_()
    return y.div_(y.sum(dim, keepdim=True)), gap


def _value(secret: dict[str, Any]) -> tuple[Want, torch.Tensor, torch.Tensor]:
    """Return what is wanted of the result, and the probabilities and m - x for the gradient."""
    x, dim = _cast_input(secret), secret["dim"]
    dtype = secret["dtype"] or secret["x"].dtype
    y, gap = _softmax(x, dim)
    n = x.shape[dim] if x.ndim else 1
    # exp amplifies the rounding of m - x by |m - x|.
    unit = (2 + 0.05 * math.sqrt(n) + _naive_sum(n) / 2) * EPS[dtype]
    bound = torch.add(8.0 * unit, gap, alpha=unit).mul_(y)
    # Below the smallest normal number relative precision is gone: flushing to zero is right, too.
    smallest = torch.finfo(dtype).smallest_normal
    if y.numel() and not float(y.amin()) >= 2 * smallest:
        bound.masked_fill_(y < 2 * smallest, smallest)
        bound.masked_fill_(gap == math.inf, 0.0)
    if dtype in HALF:
        bound.add_(ulp(y, dtype))
    return Want(y, bound, dtype), y, gap


def _naive_sum(n: int) -> float:
    # A product with ones may add up very long slices term after term, where `sum` adds in pairs.
    return math.sqrt(n) if n > 10_000 else 0.0


def _gradient(secret: dict[str, Any], y: torch.Tensor, gap: torch.Tensor) -> Want:
    dim, g = secret["dim"], secret["cotangent"].double()
    x, dtype = secret["x"], secret["dtype"] or secret["x"].dtype
    if y.numel() == 0:
        return Want(y, 0.0, x.dtype, aspect="grad")
    weighted = y * g
    want = weighted.addcmul(y, weighted.sum(dim, keepdim=True), value=-1)
    # scale_i = y_i (|g_i| + sum_j y_j |g_j|)
    scale = weighted.abs_()
    scale.addcmul_(y, scale.sum(dim, keepdim=True))
    # The rounding residue of a maximum that is not detached lands where the maximum is attained.
    residue = scale.sum(dim, keepdim=True).div_(4)
    scale.add_(scale.amax(dim, keepdim=True), alpha=0.5)
    scale.addcmul_((gap == 0).double(), residue)
    n = x.shape[dim] if x.ndim else 1
    bound = scale * ((16 + 3 * _naive_sum(n)) * max(EPS[dtype], EPS[x.dtype]))
    # Saving the rounded result, as PyTorch does, is right: four units of the half dtype.
    for half in {dtype, x.dtype} & set(HALF):
        bound.add_(ulp(scale, half), alpha=4)
    if float(gap.amax()) == math.inf:
        bound.masked_fill_(gap == math.inf, 0.0)
    return Want(want, bound, x.dtype, aspect="grad")


def _second(secret: dict[str, Any]) -> Expected:
    dim = secret["dim"]
    x = secret["x"].double().requires_grad_()
    g = secret["cotangent"].double().requires_grad_()
    v = secret["second"][0].double()
    y = torch.softmax(x, dim)
    (gradient,) = torch.autograd.grad(y, x, g, create_graph=True)
    of_x, of_g = torch.autograd.grad(gradient, (x, g), v)
    size = 64 * EPS[torch.float64] * g.detach().abs().amax() * v.abs().amax() * x.shape[dim]
    return {
        f"second.{secret['wrt']}": Want(of_x, size, torch.float64, aspect="grad"),
        "second.cotangent.0": Want(of_g, size, torch.float64, aspect="grad"),
    }
