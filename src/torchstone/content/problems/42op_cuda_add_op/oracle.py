"""Know the truth of the operator over the addition kernel."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import COUNT, Case, Exact, Expected, Holds, Raises, Want

SCHEMA = "ts42::add(Tensor a, Tensor b, float alpha=1.) -> Tensor"
ULP = 2.0**-23
TESTS = {
    "test_schema": (
        "the operator does what its schema rules out: it writes to an argument or returns one",
        "算子做了 schema 不允许的事：改写了参数，或者返回了参数本身",
    ),
    "test_autograd_registration": (
        "the gradient is not registered where autograd looks for it",
        "梯度没有注册在 autograd 查找的位置",
    ),
    "test_faketensor": (
        "with FakeTensor it does not run, or promises other shapes, strides or dtypes",
        "用 FakeTensor 无法运行，或者形状、stride、dtype 与真实结果不同",
    ),
    "test_aot_dispatch_dynamic": (
        "compiled with dynamic shapes it gives other values or gradients, or does not compile",
        "以动态形状编译后，值或梯度不同，或者无法编译",
    ),
}
NOT_LAUNCHED = {
    "en": "The kernel was not launched: something else has computed the answer.",
    "zh": "核函数没有被启动：结果是别的东西算出来的。",
}
MARKS = {
    "en": "The kernel wrote this number everywhere, and something else came out: the result is "
    "not the kernel's.",
    "zh": "核函数处处写入的是这个数，得到的却是别的：结果并非来自核函数。",
}
SAVES = {
    "en": "The gradient of a sum needs neither of its terms, and yet something is saved for it.",
    "zh": "加法的梯度不需要任何一个加数，这里却保存了数据。",
}
SILENT = {
    "en": "The second derivative is neither right nor an error.",
    "zh": "二阶导数既不正确，也没有报错。",
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    kind = secret["kind"]
    if kind == "schema":
        return {"schema": Exact(SCHEMA)}
    if kind == "errors":
        return {
            f"{name}.raised": Raises(RuntimeError, ValueError, TypeError, NotImplementedError)
            for name in secret["names"]
        }
    if kind == "value":
        return {"out": _sum(secret)}
    if kind in ("vjp", "need"):
        grads = _gradients(secret, secret["alpha"])
        wanted = {f"grad.{at}": grads["ab"[at]] for at in secret["wrt"]}
        return {"out": _sum(secret)} | wanted
    return _examined(kind, secret)


def _examined(kind: str, secret: dict[str, Any]) -> Expected:
    if kind == "state":
        return {
            f"{number}.{name}": want
            for number, alpha in enumerate(secret["alphas"])
            for name, want in _gradients(secret, alpha).items()
        }
    if kind == "launches":
        launched = Holds(lambda count: bool(count > 0), NOT_LAUNCHED, takes=COUNT)
        return {"forward": launched, "backward": launched}
    if kind == "marks":
        forward, backward = secret["marks"]
        return {
            "forward": Exact(torch.full(secret["a"].shape, forward), note=MARKS),
            "backward": Exact(torch.full(secret["b"].shape, backward), note=MARKS),
        }
    if kind == "memory":
        return {"saved": Exact(0, note=SAVES)}
    if kind in ("meta", "strides"):
        shape = list(secret["a"].shape)
        stride = list(torch.empty(shape, device="meta").stride())
        return {
            "shape": Exact(shape, aspect="shape"),
            "stride": Exact(stride),
            "dtype": Exact(torch.float32, aspect="dtype"),
        }
    if kind == "double":
        return {name: Holds(_is_second(secret, name), SILENT, aspect="grad") for name in ("a", "b")}
    if kind == "gradcheck":
        note = {
            "en": "torch.autograd.gradcheck finds another gradient by finite differences",
            "zh": "torch.autograd.gradcheck 用有限差分得到的梯度与之不同",
        }
        return {"gradcheck": Exact(True, aspect="grad", note=note)}
    if kind == "compile":
        grads = _gradients(secret, secret["alpha"])
        doubled = secret | {"a": secret["a"] * 2}
        return {
            "out": _sum(doubled),
            "a": Want(2 * secret["grad"].double(), 0.0, torch.float32, aspect="grad"),
            "b": grads["b"],
        }
    return {
        name: Exact(
            "SUCCESS", note={"en": f"opcheck, {name}: {en}", "zh": f"opcheck，{name}：{zh}"}
        )
        for name, (en, zh) in TESTS.items()
    }


def _sum(secret: dict[str, Any]) -> Want:
    a, b, alpha = secret["a"].double(), secret["b"].double(), secret["alpha"]
    bound = ULP * (a.abs() + (alpha * b).abs()) + 1e-45
    return Want(a + alpha * b, bound.nan_to_num(0.0, posinf=0.0), torch.float32)


def _gradients(secret: dict[str, Any], alpha: float) -> dict[str, Want]:
    grad, rows = secret["grad"].double(), secret["b"].shape
    terms = (alpha * grad).reshape(-1, *rows) if math.prod(rows) else grad.new_zeros(1, *rows)
    bound = (4 + 4 * math.sqrt(len(terms))) * ULP / 2 * terms.abs().sum(0) + 1e-45
    return {
        "a": Want(grad, 0.0, torch.float32, aspect="grad"),
        "b": Want(terms.sum(0), bound, torch.float32, aspect="grad"),
    }


def _is_second(secret: dict[str, Any], name: str) -> Any:
    toward = secret["toward"]["ab".index(name)].double()
    factor = 1.0 if name == "a" else secret["alpha"]
    wanted = (factor * toward).expand(secret["a"].shape)

    def holds(came: Any) -> bool:
        if not isinstance(came, torch.Tensor):
            return bool(came == "an error")
        return came.shape == wanted.shape and torch.allclose(
            came.double(), wanted, rtol=1e-4, atol=1e-5
        )

    return holds


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the same with PyTorch's own operator."""
    secret = case.secret
    if secret["kind"] not in ("value", "vjp", "need"):
        return {}
    a, b = secret["a"].double(), secret["b"].double()
    return {"out": torch.add(a, b, alpha=secret["alpha"])}
