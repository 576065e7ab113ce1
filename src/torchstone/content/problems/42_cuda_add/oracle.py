"""Know the truth of problem 42: a sum in float64, and its adjoint."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from torchstone.judge.kit import (
    Case,
    Exact,
    Expectation,
    Expected,
    Holds,
    Star,
    Want,
    in_every_order,
    read_totals,
)

UNIT = 2.0**-24
SIGNED = {
    "en": "A zero has the wrong sign: -0 + 0 is +0, only -0 + -0 is -0.",
    "zh": "零的符号不对：-0 + 0 得 +0，只有 -0 + -0 才得 -0。",
}
COPIED = {
    "en": "grad_a is not grad_out bit for bit: NaN and the signs of zeros count, too.",
    "zh": "grad_a 与 grad_out 并非逐比特相同：NaN 和零的符号也要一致。",
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret, values = case.secret, case.steps[0].data["values"]
    wants = (
        _forward(values, secret)
        if "out" in case.steps[0].data["outputs"]
        else _backward(values, secret, case.steps[0].data["outputs"])
    )
    wanted: dict[str, Expectation] = {**wants}
    if "zeros" in secret:
        wanted["out"] = Holds(partial(_has_signs, wants["out"].value), SIGNED, aspect="value")
    elif "edge" in secret and "grad_a" in wanted:
        wanted["grad_a"] = Holds(partial(_has_bits, values["grad_out"]), COPIED, aspect="grad")
    if "sparse" in secret:
        wanted = _sparse(wants, has_idle=secret["sparse"] == 1)
    expected = in_every_order(case.steps, wanted)
    if secret.get("perf"):
        expected["star"] = _star(secret)
    return expected


def _sparse(wanted: dict[str, Want], *, has_idle: bool) -> dict[str, Expectation]:
    """Want nothing at the beginning of a buffer whose end alone is written.

    Args:
        wanted: What is right at the end.
        has_idle: The last blocks of some right kernels have no work: poison is right, too.
    """
    words = {"en": "an element beyond 2³² is wrong", "zh": "下标超过 2³² 的元素有误"}
    strays = {
        "en": "the last blocks wrote at the beginning of the buffer: an index has wrapped",
        "zh": "末尾的线程块写到了缓冲区开头：下标溢出回绕了",
    }
    aspect = next(iter(wanted.values())).aspect
    expected: dict[str, Expectation] = {"strays": Exact(0, aspect=aspect, note=strays)}
    for name, want in wanted.items():
        right = partial(_is_right_or_poison, want)
        expected[name] = Holds(right, words, aspect=want.aspect) if has_idle else want
    return expected


def _is_right_or_poison(want: Want, got: Any) -> bool:
    if not isinstance(got, torch.Tensor) or got.shape != want.value.shape:
        return False
    # NaN is no right answer of these cases.
    return bool((got.isnan() | ((got.double() - want.value).abs() <= want.bound)).all())


def _has_signs(zeros: torch.Tensor, got: Any) -> bool:
    if not isinstance(got, torch.Tensor) or got.shape != zeros.shape:
        return False
    return bool((got == 0).all()) and torch.equal(got.signbit(), zeros.signbit())


def _has_bits(wanted: torch.Tensor, got: Any) -> bool:
    if not isinstance(got, torch.Tensor) or got.dtype != wanted.dtype:
        return False
    return torch.equal(got.view(torch.int32), wanted.view(torch.int32))


def _index(secret: dict[str, Any], length: int) -> torch.Tensor:
    """Give the place in the smaller operand of each element that is looked at."""
    first = secret["n"] - length
    return (torch.arange(length, dtype=torch.int64) + first) % secret["nb"]


def _overflowed(value: torch.Tensor) -> torch.Tensor:
    """Make infinite what is beyond float32."""
    narrow = value.float().double()
    return torch.where(narrow.isinf(), narrow, value)


def _forward(values: dict[str, Any], secret: dict[str, Any]) -> dict[str, Want]:
    a = values["a"].double()
    # The kernel has alpha as a float.
    alpha = torch.tensor(values["alpha"], dtype=torch.float32).double()
    term = alpha * values["b"].double()[_index(secret, len(a))]
    # Two roundings are at most one unit in the last place from one, which the bound allows.
    truth = (a + term).float().double()
    # Where a term is infinite so is the result, and the bound says nothing.
    bound = (2 * UNIT * (a.abs() + term.abs())).nan_to_num(0.0, 0.0, 0.0) + 2.0**-149
    return {"out": Want(truth, bound, torch.float32)}


def _backward(
    values: dict[str, Any], secret: dict[str, Any], outputs: dict[str, Any]
) -> dict[str, Want]:
    gradient = values["grad_out"].double()
    wanted: dict[str, Want] = {}
    if "grad_a" in outputs:
        wanted["grad_a"] = Want(gradient, 0.0, torch.float32, aspect="grad")
    if "grad_b" in outputs:
        alpha = torch.tensor(values["alpha"], dtype=torch.float32).double()
        place, nb = _index(secret, len(gradient)), secret["nb"]
        terms = alpha * gradient
        total = torch.zeros(nb, dtype=torch.float64).index_add_(0, place, terms)
        size = torch.zeros(nb, dtype=torch.float64).index_add_(0, place, terms.abs())
        k = 4 + 4 * (len(gradient) / nb) ** 0.5
        wanted["grad_b"] = Want(
            _overflowed(total), k * UNIT * size + 2.0**-149, torch.float32, aspect="grad"
        )
    return wanted


def _star(secret: dict[str, Any]) -> Star:
    if secret["op"] == "forward":

        def sectors(answer: dict[str, Any]) -> float | None:
            kernels = read_totals(answer.get("1:random:counters"))
            # Three arrays of n floats, eight to a sector.
            return sum(each["global.sectors"] for each in kernels) / (3 * secret["n"] / 8) or None

        words = {
            "en": "★ The forward moves at most 1.25 times the sectors that its arrays fill.",
            "zh": "★ 前向搬运的 sector 不超过数组所占的 1.25 倍。",
        }
        return Star("sectors", sectors, 1.25, words)

    def atomics(answer: dict[str, Any]) -> float | None:
        kernels = read_totals(answer.get("1:random:counters"))
        if not kernels:
            return None
        blocks = sum(each.num_blocks for each in kernels)
        return sum(each["global atomic.lanes"] for each in kernels) / (blocks * secret["nb"])

    words = {
        "en": "★ The backward makes at most one atomic operation for each block and column.",
        "zh": "★ 反向中每个线程块对每一列至多做一次原子操作。",
    }
    return Star("atomics", atomics, 1.0, words)


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the same with PyTorch's own operator, in float64."""
    data, secret = case.steps[0].data, case.secret
    values = data["values"]
    if "out" not in data["outputs"] or "sparse" in secret:
        return {}
    a, b = values["a"].double(), values["b"].double()
    alpha = float(torch.tensor(values["alpha"], dtype=torch.float32))
    rows = a.reshape(-1, secret["nb"])
    truth = torch.add(rows, b, alpha=alpha).reshape(-1)
    return {"ascending:out": truth.float().double()}
