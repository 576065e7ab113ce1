"""Know the truth of problem 05: a selection, so every answer is exact."""

from __future__ import annotations

from typing import Any

import torch

from torchstone.judge.kit import COUNT, Case, Exact, Expected, Holds, OneOf, Raises, Want, bound

FACTS: dict[str, tuple[Any, str, str]] = {
    "function": (
        True,
        "ReLU is not a subclass of torch.autograd.Function",
        "ReLU 不是 torch.autograd.Function 的子类",
    ),
    "inherited apply": (
        True,
        "apply is overridden; it must be the inherited one",
        "apply 被改写了；必须使用继承来的 apply",
    ),
    "node": (
        "ReLUBackward",
        "grad_fn of the result is not ReLUBackward",
        "结果的 grad_fn 不是 ReLUBackward",
    ),
    "next": (
        ["AccumulateGrad"],
        "the node's only successor must be the leaf's AccumulateGrad",
        "该节点的后继只能是叶子的 AccumulateGrad",
    ),
    "tensors on ctx": (
        False,
        "a tensor is an attribute of ctx; keep it with ctx.save_for_backward",
        "有张量是 ctx 的普通属性；请用 ctx.save_for_backward 保存",
    ),
    "under no_grad": (
        False,
        "under no_grad the result requires grad",
        "在 no_grad 下结果仍需要梯度",
    ),
    "without grad": (
        False,
        "x does not require grad, but the result does",
        "x 不需要梯度，结果却需要",
    ),
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    op = secret.get("op")
    if op == "facts":
        return {
            key: Exact(wanted, note={"en": en, "zh": zh}) for key, (wanted, en, zh) in FACTS.items()
        }
    if op == "chain":
        return _chain(secret)
    if op == "interleaved":
        return {
            "grad": _gate(secret["x"], secret["grad_output"]),
            "grad of the second": _gate(secret["other"], secret["other_grad_output"]),
        }
    if op is not None:
        right = {"grad": _gate(secret["x"], secret["grad_output"])}
        return {"grad": OneOf(right, {"raised": Raises(RuntimeError)})}
    return _called(secret)


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the same with PyTorch's own operator."""
    secret = case.secret
    if "op" in secret:
        return {}
    x = secret["x"]
    found = {"out": torch.relu(x)}
    if secret["cotangent"] is not None:
        found["grad.0"] = torch.ops.aten.threshold_backward(secret["cotangent"], x, 0)
    return found


def _called(secret: dict[str, Any]) -> Expected:
    x, cotangent = secret["x"], secret["cotangent"]
    # NaN stays NaN in a clamp, and a selection by mask would take fifty times as long.
    expected: Expected = {"out": Want(x.clamp(min=0), 0.0, x.dtype)}
    if cotangent is not None:
        expected["grad.0"] = _gate(x, cotangent)
    if secret.get("second"):
        nothing = torch.zeros_like(x)
        expected["second.0"] = Want(nothing, 0.0, x.dtype, aspect="grad", none_is_zero=True)
        expected["second.cotangent.0"] = _gate(x, secret["second"][0])
    if secret.get("saved"):
        size = x.numel() * x.element_size()
        expected["saved.total_bytes"] = Holds(
            lambda got: bool(got <= size),
            {
                "en": f"at most one tensor of x's size ({size} bytes) may be kept for backward",
                "zh": f"为反向保留的数据不得超过一个与 x 同样大小的张量（{size} 字节）",
            },
            takes=COUNT,
        )
    return expected


def _gate(x: torch.Tensor, grad_output: torch.Tensor) -> Want:
    """Pass grad_output where not (x <= 0), as threshold_backward does: a NaN in x passes it."""
    return Want(torch.where(x <= 0, 0, grad_output), 0.0, x.dtype, aspect="grad")


def _chain(secret: dict[str, Any]) -> Expected:
    x = secret["x"].clone().requires_grad_()
    y = torch.relu(torch.relu(x * x - 1) * x)
    (gradient,) = torch.autograd.grad(y, x, secret["grad_output"], create_graph=True)
    (second,) = torch.autograd.grad(gradient, x, secret["direction"])
    size = (1 + x.detach().abs() ** 3) * (1 + secret["grad_output"].abs())
    tolerance = bound(size * (1 + secret["direction"].abs()), 64, torch.float64)
    return {
        "out": Want(y.detach(), tolerance, x.dtype),
        "grad": Want(gradient.detach(), tolerance, x.dtype, aspect="grad"),
        "second": Want(second, tolerance, x.dtype, aspect="grad"),
    }
