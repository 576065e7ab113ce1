"""Know the truth of problem 41: one addition, rounded once, in memory laid out as torch does."""

from __future__ import annotations

from typing import Any

import torch

from torchstone.judge.kit import Case, Exact, Expected, Holds, OneOf, Raises, Want

SCHEMAS = [
    "ts41::add_constant(Tensor x, float c) -> Tensor",
    "ts41::add_constant_backward(Tensor grad) -> Tensor",
]
HALVES = (torch.float16, torch.bfloat16)
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
FACTS = {
    "an input": (
        False,
        "a result shares memory with an argument; the schema promises new memory",
        "结果与参数共享内存；schema 承诺的是新内存",
    ),
    "one another": (
        False,
        "the results of two calls share memory; each must own its storage",
        "两次调用的结果共享内存；每个结果都应拥有自己的存储",
    ),
    "inputs": (
        True,
        "an argument was changed: its bytes, its version or its storage",
        "参数被改动了：字节、版本号或存储",
    ),
    "first": (
        True,
        "a later call changed the result of an earlier one",
        "后面的调用改变了先前调用的结果",
    ),
}
SIGNED = {
    "en": "The sum of zeros is not what IEEE says, sign and all: -0 + 0 is +0, only -0 + -0 is -0.",
    "zh": "零的和（包括符号）不符合 IEEE：-0 + 0 得 +0，只有 -0 + -0 才得 -0。",
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    kind = secret["kind"]
    if kind == "value":
        return _sum(secret["x"], secret["c"])
    if kind == "vjp":
        return _sum(secret["x"], secret["c"]) | {"grad.0": _gradient(secret["grad"])}
    if kind == "backward":
        return {"out": _gradient(secret["grad"])}
    if kind in ("strides", "meta"):
        return _descriptions(secret, "meta" if kind == "meta" else "cpu")
    if kind == "state":
        return {
            name: Exact(wanted, note={"en": en, "zh": zh})
            for name, (wanted, en, zh) in FACTS.items()
        }
    if kind == "refused":
        return {f"{name}.raised": Raises(RuntimeError) for name in secret["names"]}
    if kind == "signed":
        return _signed(secret["x"], secret["c"])
    return _examined(kind, secret)


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the same with PyTorch's own operator."""
    secret = case.secret
    if secret["kind"] not in ("value", "vjp") or secret["x"].dtype not in (
        torch.float32,
        torch.float64,
    ):
        return {}
    return {"out": torch.add(secret["x"], secret["c"])}


def _examined(kind: str, secret: dict[str, Any]) -> Expected:
    if kind == "schemas":
        return {"schemas": Exact(SCHEMAS)}
    if kind == "sum":
        return {"grad": _gradient(torch.ones(secret["shape"], dtype=secret["x"].dtype))}
    if kind == "gradcheck":
        note = {
            "en": "torch.autograd.gradcheck finds another gradient by finite differences",
            "zh": "torch.autograd.gradcheck 用有限差分得到的梯度与之不同",
        }
        return {"gradcheck": Exact(True, aspect="grad", note=note)}
    notes = {
        name: {"en": f"opcheck, {name}: {en}", "zh": f"opcheck，{name}：{zh}"}
        for name, (en, zh) in TESTS.items()
        if name in secret["tests"]
    }
    return {name: Exact("SUCCESS", note=note) for name, note in notes.items()}


def _sum(x: torch.Tensor, c: float) -> Expected:
    """Want x + c; where the roundings that are allowed differ, want one of them throughout."""
    found: list[torch.Tensor] = []
    for value in _roundings(x, c):
        if not any(_same(value, other) for other in found):
            found.append(value)
    wants: list[Expected] = [{"out": Want(value, 0.0, x.dtype)} for value in found]
    return wants[0] if len(wants) == 1 else {"out": OneOf(*wants)}


def _roundings(x: torch.Tensor, c: float) -> list[torch.Tensor]:
    """List the sums that are right; the last one is that of the dtype's own arithmetic."""
    if not x.dtype.is_floating_point:
        # Both wrap: the sum modulo 2^64, and what is left of it in int32.
        return [(x.to(torch.int64) + int(c)).to(x.dtype)]
    exact = x.double() + c
    if x.dtype == torch.float64:
        return [exact]
    # Through double, and with the constant in float.
    narrow = [exact.float(), x.float() + torch.tensor(c, dtype=torch.float64).float()]
    if x.dtype == torch.float32:
        return narrow
    # Double to half at once rounds once; by way of float it may do so twice.
    return [each.to(x.dtype) for each in (_to_odd(exact), *narrow)]


def _to_odd(exact: torch.Tensor) -> torch.Tensor:
    """Give the float to whose right or left a double lies and whose last bit is 1.

    Rounding that to half gives what rounding the double would.
    """
    near = exact.float()
    wide = near.double()
    there = torch.where(exact > wide, torch.inf, -torch.inf).float()
    other = torch.nextafter(near, there)
    is_even = near.view(torch.int32) % 2 == 0
    return torch.where((wide != exact) & is_even & near.isfinite(), other, near)


def _same(a: torch.Tensor, b: torch.Tensor) -> bool:
    return bool(((a == b) | (a.isnan() & b.isnan())).all())


def _gradient(grad: torch.Tensor) -> Want:
    return Want(grad, 0.0, grad.dtype, aspect="grad")


def _signed(x: torch.Tensor, c: float) -> Expected:
    wanted = x.double() + c

    def is_right(got: Any) -> bool:
        if not isinstance(got, torch.Tensor) or got.dtype != x.dtype or got.shape != x.shape:
            return False
        return torch.equal(got.double(), wanted) and torch.equal(got.signbit(), wanted.signbit())

    return {"out": Holds(is_right, SIGNED, aspect="value")}


def _descriptions(secret: dict[str, Any], device: str) -> Expected:
    """Want what `empty_like` promises; strides count where there is a second element to reach."""
    size, stride, offset = secret["geometry"]
    reach = sum((n - 1) * step for n, step in zip(size, stride, strict=True) if n)
    expected: Expected = {}
    for name in secret["dtypes"]:
        dtype = getattr(torch, name)
        storage = torch.empty(offset + reach + 1, dtype=dtype, device="meta")
        wanted = torch.empty_like(storage.as_strided(size, stride, offset)).stride()
        steps = [step if n > 1 else None for n, step in zip(size, wanted, strict=True)]
        steps_or_none = steps if 0 not in size else None
        expected |= {
            f"{name}.device": Exact(device),
            f"{name}.dtype": Exact(dtype, aspect="dtype"),
            f"{name}.shape": Exact(size, aspect="shape"),
            f"{name}.stride": Exact(steps_or_none, note=_words(name, stride, steps_or_none)),
        }
    return expected


def _words(name: str, given: list[int], wanted: list[int | None] | None) -> dict[str, str]:
    text = "(" + ", ".join("any" if step is None else str(step) for step in wanted or []) + ")"
    return {
        "en": f"{name}, x.stride() = {tuple(given)}: the result must have the strides of "
        f"torch.empty_like(x), {text}.",
        "zh": f"{name}，x.stride() = {tuple(given)}：结果的 stride 应与 torch.empty_like(x) 相同，"
        f"即 {text.replace('any', '任意')}。",
    }
