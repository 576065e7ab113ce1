"""Know for every case of problem 10 whether the claimed derivative is right, by a safe margin."""

from __future__ import annotations

import builtins
from typing import Any

import torch

from torchstone.judge.kit import COUNT, Case, Exact, Expectation, Expected, Holds, OneOf, Raises

# An error counts as planted from three times its tolerance, and as absent up to a third of it.
MARGIN = 3.0

ACCEPTED = {
    "en": "the gradient is right within the tolerances: True was wanted",
    "zh": "梯度在容差内是正确的：应返回 True",
}
REFUSED = {
    "en": "the gradient is wrong: GradcheckError was wanted (False with raise_exception=False)",
    "zh": "梯度有错：应抛出 GradcheckError（raise_exception=False 时返回 False）",
}
REFUSED_AGAIN = {
    "en": "in the second call the same tensors have other values, at which the gradient is wrong: "
    "GradcheckError was wanted",
    "zh": "第二次调用时，同样的张量换了新值，梯度在新值处有错：应抛出 GradcheckError",
}
NOT_FINITE = {
    "en": "NaN or infinity in the numerical or the analytical Jacobian is a failure, even where "
    "both agree: expected GradcheckError (False with raise_exception=False)",
    "zh": "数值或解析雅可比矩阵中出现 NaN 或无穷即为失败，两边相同也一样："
    "应抛出 GradcheckError（raise_exception=False 时返回 False）",
}
FACTS = {
    "arguments": {
        "en": "fn did not get tensors of the original dtype, shape, strides and requires_grad",
        "zh": "传给 fn 的张量改变了类型、形状、步长或 requires_grad",
    },
    "grad mode": {"en": "fn was called with grad mode off", "zh": "调用 fn 时关闭了梯度模式"},
    "restored": {"en": "the grad mode was not restored", "zh": "梯度模式没有恢复"},
    "grad": {"en": "the .grad of an input was changed", "zh": "输入的 .grad 被改动"},
    "error": {
        "en": "GradcheckError is not a RuntimeError",
        "zh": "GradcheckError 不是 RuntimeError 的子类",
    },
}


def expect(case: Case) -> Expected:
    """Return what the checker must answer."""
    secret = case.secret
    if "raises" in secret:
        return {"raised": _error(secret, case)}
    right = secret["wanted"]
    if "program" in secret:
        assert right == _is_right(secret), "a case does not say what its program does"
    quiet = secret["options"].get("raise_exception") is False
    wanted = "accepted" if right else "returned False" if quiet else "refused"
    singular = secret.get("singular", False)
    note = ACCEPTED if right else NOT_FINITE if singular else REFUSED
    expected: Expected = {"verdict": Exact(wanted, aspect="value", note=note)}
    if "again" in secret:
        assert not _is_right(secret | {"inputs": secret["again"]}), "it is right there, too"
        expected["again"] = Exact("refused", aspect="value", note=REFUSED_AGAIN)
    if secret["group"] in ("layout", "plain"):
        expected["arguments"] = Exact(True, note=FACTS["arguments"])
    if secret["group"] == "state":
        expected |= {key: Exact(True, note=note) for key, note in FACTS.items()}
        expected["calls"] = _few_calls(sum(x.numel() for x in secret["inputs"]))
    return expected


def _error(secret: dict[str, Any], case: Case) -> Expectation:
    if secret["passes"]:
        return Raises(getattr(builtins, secret["raises"]))
    if not any(0 in x.stride() for x in case.steps[0].data["inputs"]):
        return Raises(ValueError)
    # For an input that overlaps itself a RuntimeError is right, and GradcheckError is one.
    refused = {"verdict": Exact("refused", aspect="property")}
    return OneOf({"raised": Raises(ValueError, RuntimeError)}, refused)


def _few_calls(num_elements: int) -> Holds:
    most = 2 * num_elements + 4
    return Holds(
        lambda calls: bool(calls <= most),
        {
            "en": f"for {num_elements} elements fn may be called at most {most} times",
            "zh": f"共 {num_elements} 个元素，fn 至多调用 {most} 次",
        },
        takes=COUNT,
    )


def _is_right(secret: dict[str, Any]) -> bool:
    """Derive from the program itself whether its claims are within the tolerances."""
    program, options = secret["program"], secret["options"]
    z = torch.cat([x.reshape(-1) for x in secret["inputs"]])
    weights, eps = secret["true"], options.get("eps", 1e-6)
    # The central difference of a cubic term is off by exactly eps^2 times its factor.
    numerical = _jacobian(weights[1:], z) + weights[3] * eps**2 + 0 * weights[0][:, None]
    claimed = _one_hot_rows(program, _jacobian(secret["claims"], z), secret["inputs"])
    limit = options.get("atol", 1e-5) + options.get("rtol", 1e-3) * numerical.abs()
    ratio = float(((claimed - numerical).abs() / limit).nan_to_num(nan=torch.inf).max())
    shaking = 2 * float(program["noise"].max())
    nondet_tol = options.get("nondet_tol", 0.0)
    bent = any(program["bends"][2:])
    if ratio <= 1 / MARGIN and not bent and shaking * MARGIN <= nondet_tol:
        return True
    assert ratio >= MARGIN or bent or shaking >= MARGIN * nondet_tol > -1, ratio
    return False


def _jacobian(factors: list[torch.Tensor], z: torch.Tensor) -> torch.Tensor:
    return factors[0] + 2 * factors[1] * z + 3 * factors[2] * z * z


def _one_hot_rows(
    program: dict[str, Any], claims: torch.Tensor, inputs: list[torch.Tensor]
) -> torch.Tensor:
    """Return what backward answers to one-hot cotangents, noise apart."""
    bends = program["bends"]
    rows = sum(bends[1:]) * claims + bends[0] * claims.sum(0)
    rows = rows + program["shift"]
    if not all(x.is_contiguous() for x in inputs):
        rows = rows * program["stretch"]
    given = [torch.full((x.numel(),), g) for x, g in zip(inputs, program["given"], strict=True)]
    sizes = [torch.Size(shape).numel() for shape in program["shapes"]]
    attached = [torch.full((s,), a) for s, a in zip(sizes, program["attached"], strict=True)]
    return torch.where(torch.cat(attached)[:, None] & torch.cat(given), rows, 0.0)
