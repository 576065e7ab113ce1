"""Know the truth of problem 50 in float64, and how far from it rounding alone may lead."""

from __future__ import annotations

import re
from typing import Any

import torch

from torchstone.judge.kit import (
    COUNT,
    Case,
    Exact,
    Expected,
    Holds,
    OneOf,
    Raises,
    Want,
    bound,
    equal,
)

REFUSED = Raises(RuntimeError, ValueError, TypeError, NotImplementedError)
SCHEMA = re.compile(
    r"ts_leaky_bias::leaky_bias\(Tensor x, Tensor bias, float slope(=[\d.e-]+)?\) -> Tensor"
)


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    if "refused" in secret:
        return {f"{where}.raised": REFUSED for where in ("cpu", "meta", "fake")}
    if "schema" in secret:
        return {"schema": _schema()}
    if "promises" in secret:
        return {f"{name}.promise": _promise(**each) for name, each in secret["promises"].items()}
    if "exact" in secret:
        return {key: Exact(value) for key, value in secret["exact"].items()}
    if "huge" in secret:
        return _huge(**secret["huge"])
    expected: Expected = {}
    for record in secret["records"]:
        expected |= _wants(record)
    if "state" in secret:
        return _state(secret["state"], secret["records"], expected)
    if "most bytes" in secret:
        expected["saved.total_bytes"] = _saved(secret["most bytes"])
    if "second" in secret:
        expected["second"] = _second(secret["records"][0], secret["second"])
    return expected


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the same with PyTorch's own operators in float64."""
    found: dict[str, torch.Tensor] = {}
    for record in case.secret.get("records", ()):
        keys = record["keys"]
        x, bias = (record[name].double().requires_grad_() for name in ("x", "bias"))
        y = torch.nn.functional.leaky_relu(x + bias, record["slope"])
        found[keys["out"]] = y.detach()
        if "gradient" in record:
            gradients = torch.autograd.grad(y, (x, bias), record["gradient"].double())
            pairs = zip(("x", "bias"), gradients, strict=True)
            found |= {keys[name]: gradient for name, gradient in pairs if name in keys}
    return found


def _value(x: torch.Tensor, bias: torch.Tensor, slope: float) -> torch.Tensor:
    z = x.double() + bias.double()
    return torch.where(z > 0, z, slope * z)


def _grad_x(
    gradient: torch.Tensor, x: torch.Tensor, bias: torch.Tensor, slope: float
) -> torch.Tensor:
    wide = gradient.double()
    # The sum of two float32 is exact here, and its sign in the other dtype as well.
    return torch.where(x.double() + bias.double() > 0, wide, slope * wide)


def _wants(record: dict[str, Any]) -> Expected:
    x, bias, slope, keys = (record[name] for name in ("x", "bias", "slope", "keys"))
    dtype = x.dtype
    y = _value(x, bias, slope)
    expected: Expected = {keys["out"]: Want(y, bound(y.abs() + 1, 8, dtype), dtype)}
    if "gradient" not in record:
        return expected
    grad_x = _grad_x(record["gradient"], x, bias, slope)
    if "x" in keys:
        limit = bound(grad_x.abs() + 1, 8, dtype)
        expected[keys["x"]] = Want(grad_x, limit, dtype, "grad")
    if "bias" in keys:
        # Each term brings its own rounding, and one of the sum.
        total, size = _over_rows(grad_x), _over_rows(grad_x.abs() + 1)
        expected[keys["bias"]] = Want(total, bound(size, 8, dtype), dtype, "grad")
    return expected


def _over_rows(tensor: torch.Tensor) -> torch.Tensor:
    leading = tuple(range(tensor.ndim - 1))
    return tensor.sum(leading) if leading else tensor


def _state(kind: str, records: list[dict[str, Any]], expected: Expected) -> Expected:
    if kind == "no graph":
        return expected | {f"{at}.requires_grad": Exact(False) for at in range(len(records))}
    if not kind.endswith("in place"):
        return expected
    # Whoever has saved the input must notice, as autograd does for what it saved itself.
    out = {key: item for key, item in expected.items() if key.endswith("out")}
    gradients = {key: item for key, item in expected.items() if key not in out}
    return out | {"gradients": OneOf(gradients, {"0.raised": Raises(RuntimeError)})}


def _saved(most: int) -> Holds:
    wanted = {
        "en": f"more is kept for backward than x and bias have bytes ({most})",
        "zh": f"为反向保存的内容超过了 x 与 bias 的总字节数（{most}）",
    }
    return Holds(lambda came: bool(came <= most), wanted, takes=COUNT)


def _second(record: dict[str, Any], directions: list[torch.Tensor]) -> OneOf:
    """Want the derivative of the gradients along two directions, or a refusal."""
    x, bias, slope = record["x"], record["bias"], record["slope"]
    of_gradient = _grad_x(directions[0] + directions[1], x, bias, slope)
    wide = (directions[0].abs() + directions[1].abs() + 1) * (1 + abs(slope))
    right: Expected = {
        "second.cotangent.0": Want(of_gradient, bound(wide, 8, x.dtype), x.dtype, "grad", True),
        "second.0": Want(torch.zeros_like(x), 0.0, x.dtype, "grad", True),
        "second.1": Want(torch.zeros_like(bias), 0.0, bias.dtype, "grad", True),
    }
    return OneOf(right, {"second.raised": Raises(RuntimeError, NotImplementedError)})


def _schema() -> Holds:
    wanted = {
        "en": "torch.ops.ts_leaky_bias.leaky_bias has another schema than the statement",
        "zh": "torch.ops.ts_leaky_bias.leaky_bias 的 schema 与题面不符",
    }
    return Holds(lambda came: isinstance(came, str) and bool(SCHEMA.fullmatch(came)), wanted)


def _promise(x: torch.Tensor) -> Holds:
    """Want that kernel, meta tensor and fake tensor agree, and have the shape and dtype of x."""
    wanted = {
        "en": "fake or meta tensors promise another shape, dtype or strides than the kernel gives",
        "zh": "fake 或 meta 张量给出的形状、dtype 或 stride 与核函数的实际结果不一致",
    }

    def agrees(came: Any) -> bool:
        if not isinstance(came, dict) or set(came) != {"cpu", "meta", "fake"}:
            return False
        right = [list(x.shape), str(x.dtype)]
        return all(
            isinstance(each, list) and equal(each, came["cpu"]) and equal(each[:2], right)
            for each in came.values()
        )

    return Holds(agrees, wanted)


def _huge(**data: Any) -> Expected:
    rows, columns, bias, slope = (data[name] for name in ("rows", "columns", "bias", "slope"))
    x, gradient = (data[name][rows + columns] for name in ("x", "gradient"))
    record = {"x": x, "bias": bias[columns], "slope": slope, "gradient": gradient}
    return _wants(record | {"keys": {"out": "out", "x": "grad.x"}})
