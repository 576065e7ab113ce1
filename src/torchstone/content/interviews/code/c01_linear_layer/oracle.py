"""Know the truth of c01: products in float64, with the bound of the products of absolute values."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import Case, Exact, Expected, Holds, OneOf, Raises, Want, bound

NOTES = {
    "module": ("Linear is not an nn.Module", "Linear 不是 nn.Module"),
    "names": (
        "the state_dict does not hold weight, then bias (bias only if there is one)",
        "state_dict 里应当先是 weight，再是 bias（没有偏置时只有 weight）",
    ),
    "shapes": (
        "a parameter has not the shape of nn.Linear's",
        "有参数的形状与 nn.Linear 不同",
    ),
    "parameters": (
        "weight and bias must be registered as nn.Parameter",
        "weight 和 bias 必须注册为 nn.Parameter",
    ),
    "no bias": (
        "layer.bias must be None exactly if bias=False",
        "当且仅当 bias=False 时，layer.bias 应为 None",
    ),
    "repeats": (
        "the same global seed does not give the same weight",
        "全局种子相同，权重却不同",
    ),
    "varies": ("another seed gives the same weight", "换了种子，权重却不变"),
    "node": (
        "the grad_fn of layer(x) is not the node of LinearFunction",
        "layer(x) 的 grad_fn 不是 LinearFunction 的节点",
    ),
    "under no_grad": ("under no_grad the result requires grad", "在 no_grad 下结果仍需要梯度"),
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    kind = secret.get("kind")
    if kind == "layer":
        return _layer(secret)
    right = _gradients(secret, ("grad.0", "grad.1", "grad.2"))
    if kind == "in place":
        return {"grad": OneOf(right, {"raised": Raises(RuntimeError)})}
    right["out"] = _output(secret)
    if kind is None:
        names = ("grad.0", "grad.state.weight", "grad.state.bias")
        if secret["module"]:
            right = {"out": right["out"]} | _gradients(secret, names)
        else:
            kept = {f"grad.{place}" for place in secret["wrt"]}
            right = {key: item for key, item in right.items() if key == "out" or key in kept}
        if secret["second"]:
            right |= _second(secret)
    return right


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the same with F.linear and autograd."""
    secret = case.secret
    if secret.get("kind") or secret["module"]:
        return {}
    given = [secret[name] for name in ("x", "weight", "bias")]
    leaves = [None if each is None else each.detach().double().requires_grad_() for each in given]
    y = torch.nn.functional.linear(*leaves)
    wrt = [leaves[place] for place in secret["wrt"]]
    found = torch.autograd.grad(y, wrt, secret["g"].double())
    pairs = zip(secret["wrt"], found, strict=True)
    return {"out": y.detach()} | {f"grad.{place}": each for place, each in pairs}


def _product(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Multiply, and return the product of absolute values times what rounding may do to it."""
    a, b = a.detach().double(), b.detach().double()
    return a @ b, (8 + 2 * math.sqrt(a.shape[-1])) * (a.abs() @ b.abs())


def _want(
    parts: list[tuple[torch.Tensor, torch.Tensor]], secret: dict[str, Any], **more: Any
) -> Want:
    """Expect a sum of products."""
    value = sum((value for value, _ in parts[1:]), parts[0][0])
    scale = sum((scale for _, scale in parts[1:]), parts[0][1])
    dtype = secret["x"].dtype
    return Want(value, bound(scale, 1, dtype), dtype, **more)


def _plain(value: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return value.detach().double(), 8 * value.detach().double().abs()


def _rows(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().double().reshape(-1, tensor.shape[-1])


def _output(secret: dict[str, Any]) -> Want:
    parts = [_product(secret["x"], secret["weight"].T)]
    if secret["bias"] is not None:
        parts.append(_plain(secret["bias"]))
    return _want(parts, secret)


def _gradients(secret: dict[str, Any], names: tuple[str, str, str]) -> Expected:
    rows, x_rows = _rows(secret["g"]), _rows(secret["x"])
    found: Expected = {
        names[0]: _want([_product(secret["g"], secret["weight"])], secret, aspect="grad"),
        names[1]: _want([_product(rows.T, x_rows)], secret, aspect="grad"),
    }
    if secret["bias"] is not None:
        ones = torch.ones(1, len(rows), dtype=torch.float64)
        value, scale = _product(ones, rows)
        found[names[2]] = _want([(value[0], scale[0])], secret, aspect="grad")
    return found


def _second(secret: dict[str, Any]) -> Expected:
    """Differentiate <g W, v> + <g^T x, V> + <sum g, u>."""
    v, matrix, *u = secret["second"]
    x, weight, g = secret["x"], secret["weight"], secret["g"]
    along_g = [_product(v, weight.T), _product(x, matrix.T), *map(_plain, u)]
    more = {"aspect": "grad", "none_is_zero": True}
    found: Expected = {
        "second.0": _want([_product(g, matrix)], secret, **more),
        "second.1": _want([_product(_rows(g).T, _rows(v))], secret, **more),
        "second.cotangent.0": _want(along_g, secret, **more),
    }
    if u:
        found["second.2"] = Want(torch.zeros_like(u[0]), 0.0, x.dtype, **more)
    return found


def _layer(secret: dict[str, Any]) -> Expected:
    (in_features, out_features), bias = secret["small"], secret["bias"]
    facts: dict[str, Any] = {
        "module": True,
        "names": ["weight", "bias"] if bias else ["weight"],
        "shapes": [[out_features, in_features], *([[out_features]] if bias else [])],
        "parameters": True,
        "no bias": not bias,
        "repeats": True,
        "varies": True,
        "node": "LinearFunctionBackward",
        "under no_grad": False,
    }
    expected: Expected = {
        key: Exact(value, note=dict(zip(("en", "zh"), NOTES[key], strict=True)))
        for key, value in facts.items()
    }
    wide, tall = secret["large"]
    shapes = {"weight": (tall, wide)} | ({"bias": (tall,)} if bias else {})
    for name, shape in shapes.items():
        words = {
            "en": f"{name} is not float32, uniform in (-1/sqrt(in_features), 1/sqrt(in_features))",
            "zh": f"{name} 应是 float32，并在 (−1/√in_features, 1/√in_features) 上均匀分布",
        }
        expected[f"drawn {name}"] = Holds(_drawn(shape, wide), words)
    return expected


def _drawn(shape: tuple[int, ...], in_features: int) -> Any:
    limit = 1 / math.sqrt(in_features)

    def holds(got: Any) -> bool:
        if not isinstance(got, torch.Tensor) or got.shape != shape or got.dtype != torch.float32:
            return False
        wide = got.double()
        # Six standard errors: a right draw is refused once in a hundred million times.
        centred = abs(float(wide.mean())) <= 6 * limit / math.sqrt(3 * wide.numel())
        variance = float(wide.square().mean()) / (limit**2 / 3)
        spread = abs(variance - 1) <= 6 * math.sqrt(0.8 / wide.numel()) + 1e-6
        return float(wide.abs().max()) <= limit * (1 + 1e-6) and centred and spread

    return holds
