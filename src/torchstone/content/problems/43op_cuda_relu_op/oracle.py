"""Know the truth of the operator over the ReLU kernel: exact in every bit that is judged."""

from __future__ import annotations

from typing import Any

import torch

from torchstone.judge.kit import Case, Exact, Expected, Holds, Raises, Want

SCHEMA = "ts43::relu(Tensor x) -> Tensor"
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
MARKS = {
    "en": "The kernel wrote this number everywhere, and something else came out: the result is "
    "not the kernel's.",
    "zh": "核函数处处写入的是这个数，得到的却是别的：结果并非来自核函数。",
}
SAVES = {
    "en": "The output is all that the backward needs; something else is kept as well.",
    "zh": "反向只需要输出，这里却还留下了别的数据。",
}
CHANGED = {
    "input": {
        "en": "The input was overwritten between forward and backward: that must not matter, for "
        "the output says all that the gradient needs.",
        "zh": "前向与反向之间输入被改写：这不应有影响，梯度所需的信息输出里都有。",
    },
    "output": {
        "en": "The output was overwritten between forward and backward: the right gradient or an "
        "error was wanted.",
        "zh": "前向与反向之间输出被改写：应给出正确的梯度，或者报错。",
    },
}
SILENT = {
    "en": "The second derivative is neither right nor an error.",
    "zh": "二阶导数既不正确，也没有报错。",
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    return EXPECTED[secret["kind"]](secret)


def _relu(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x < 0, torch.zeros_like(x), x)


def _passed(x: torch.Tensor, grad: torch.Tensor) -> torch.Tensor:
    # Where x is NaN the gradient passes.
    return torch.where(x <= 0, torch.zeros_like(grad), grad)


def _value(x: torch.Tensor) -> Want:
    return Want(_relu(x).double(), 0.0, torch.float32)


def _grad(x: torch.Tensor, grad: torch.Tensor) -> Want:
    return Want(_passed(x, grad).double(), 0.0, torch.float32, aspect="grad")


def _expect_marks(secret: dict[str, Any]) -> Expected:
    shape = secret["x"].shape
    forward, backward = (torch.full(shape, mark) for mark in secret["marks"])
    return {
        "forward": Exact(forward, note=MARKS),
        "backward": Exact(backward, note=MARKS),
    }


def _expect_state(secret: dict[str, Any]) -> Expected:
    return {str(at): _grad(x, secret["grad"]) for at, x in enumerate(secret["inputs"])}


def _expect_later(secret: dict[str, Any]) -> Expected:
    changed = secret["changed"]
    is_right = _is_right(_passed(secret["x"], secret["grad"]), or_error=changed == "output")
    return {"grad": Holds(is_right, CHANGED[changed], aspect="grad")}


def _expect_shape(secret: dict[str, Any]) -> Expected:
    shape = list(secret["x"].shape)
    return {
        "shape": Exact(shape, aspect="shape"),
        "stride": Exact(list(torch.empty(shape, device="meta").stride())),
        "dtype": Exact(torch.float32, aspect="dtype"),
    }


def _expect_double(secret: dict[str, Any]) -> Expected:
    x, grad, toward = secret["x"], secret["grad"], secret["toward"]
    by_input = _passed(x, grad * toward) + grad * toward
    by_gradient = _passed(x, toward) + 2 * grad
    return {
        "by_input": Holds(_is_right(by_input, or_error=True), SILENT, aspect="grad"),
        "by_gradient": Holds(_is_right(by_gradient, or_error=True), SILENT, aspect="grad"),
    }


def _is_right(wanted: torch.Tensor, *, or_error: bool) -> Any:
    def holds(came: Any) -> bool:
        if not isinstance(came, torch.Tensor):
            return or_error and bool(came == "an error")
        return came.shape == wanted.shape and torch.allclose(came, wanted, rtol=1e-5, atol=1e-6)

    return holds


def _expect_opcheck(secret: dict[str, Any]) -> Expected:
    return {
        name: Exact(
            "SUCCESS", note={"en": f"opcheck, {name}: {en}", "zh": f"opcheck，{name}：{zh}"}
        )
        for name, (en, zh) in TESTS.items()
    }


def _expect_gradcheck(secret: dict[str, Any]) -> Expected:
    note = {
        "en": "torch.autograd.gradcheck finds another gradient by finite differences",
        "zh": "torch.autograd.gradcheck 用有限差分得到的梯度与之不同",
    }
    return {"gradcheck": Exact(True, aspect="grad", note=note)}


def _expect_compiled(secret: dict[str, Any]) -> Expected:
    out, grad = 3 * _relu(2 * secret["x"]), 2 * _passed(secret["x"], 3 * secret["grad"])
    return {
        "out": Want(out.double(), 0.0, torch.float32),
        "grad": Want(grad.double(), 0.0, torch.float32, aspect="grad"),
    }


def _expect_errors(secret: dict[str, Any]) -> Expected:
    refused = Raises(RuntimeError, ValueError, TypeError, NotImplementedError)
    return {f"{name}.raised": refused for name in secret["calls"]}


EXPECTED = {
    "schema": lambda secret: {"schema": Exact(SCHEMA)},
    "value": lambda secret: {"out": _value(secret["x"])},
    "vjp": lambda secret: {
        "out": _value(secret["x"]),
        "grad.0": _grad(secret["x"], secret["grad"]),
    },
    "launches": _expect_marks,
    "state": _expect_state,
    "later": _expect_later,
    "memory": lambda secret: {"saved": Exact(0, note=SAVES)},
    "errors": _expect_errors,
    "meta": _expect_shape,
    "strides": _expect_shape,
    "double": _expect_double,
    "gradcheck": _expect_gradcheck,
    "opcheck": _expect_opcheck,
    "compile": _expect_compiled,
}


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the same with PyTorch's own operator."""
    if case.secret["kind"] not in ("value", "vjp"):
        return {}
    return {"out": torch.relu(case.secret["x"].double())}
