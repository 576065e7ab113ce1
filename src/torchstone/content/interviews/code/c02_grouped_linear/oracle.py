"""Know the truth of c02: one product for each group, in float64, with the bound of its terms."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import Case, Exact, Expected, Holds, OneOf, Raises, Want, bound

NOTES = {
    "module": ("Linear is not an nn.Module", "Linear 不是 nn.Module"),
    "names": ("the state_dict does not hold weight alone", "state_dict 里应当只有 weight"),
    "shapes": (
        "the weight is not (groups, out / groups, in / groups + 1)",
        "权重的形状应为 (groups, out / groups, in / groups + 1)",
    ),
    "parameters": ("weight must be the only nn.Parameter", "weight 应是唯一的 nn.Parameter"),
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
# A value, and the sum of the absolute values of its terms with the number of roundings.
Near = tuple[torch.Tensor, torch.Tensor]


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    kind = secret.get("kind")
    if kind == "layer":
        return _layer(secret)
    if kind == "refused":
        return {f"{sizes}.raised": Raises(ValueError) for sizes in secret["sizes"]}
    x, weight, g = (secret[name].detach().double() for name in ("x", "weight", "g"))
    dtype = secret["x"].dtype
    gradients = (_of_x(g, weight), _of_weight(g, x, weight))
    if kind == "in place":
        right = {f"grad.{n}": _want(near, dtype, aspect="grad") for n, near in enumerate(gradients)}
        return {"grad": OneOf(right, {"raised": Raises(RuntimeError)})}
    expected: Expected = {"out": _want(_output(x, weight), dtype)}
    names = ("grad.0", "grad.state.weight" if secret.get("module") else "grad.1")
    for place in secret.get("wrt", [0, 1]):
        expected[names[place]] = _want(gradients[place], dtype, aspect="grad")
    if secret.get("second"):
        v, matrix = secret["second"]
        along_g = _sum(_output(v, _without_bias(weight)), _output(x, matrix))
        more = {"aspect": "grad", "none_is_zero": True}
        expected["second.0"] = _want(_of_x(g, matrix), dtype, **more)
        # The column of the bias does not meet x, so a direction of x gives it nothing.
        matrix_alone = _of_weight(g, v, weight)
        for part in matrix_alone:
            part[..., -1] = 0
        expected["second.1"] = _want(matrix_alone, dtype, **more)
        expected["second.cotangent.0"] = _want(along_g, dtype, **more)
    return expected


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the same with a convolution of groups, and autograd."""
    secret = case.secret
    if secret.get("kind") or secret["module"] or not secret["x"].numel():
        return {}
    x, weight = (secret[name].detach().double().requires_grad_() for name in ("x", "weight"))
    groups, outer, columns = weight.shape
    matrix = weight[..., :-1].reshape(groups * outer, columns - 1, 1)
    rows = x.reshape(-1, x.shape[-1], 1)
    y = torch.nn.functional.conv1d(rows, matrix, weight[..., -1].reshape(-1), groups=groups)
    y = y.reshape(*x.shape[:-1], groups * outer)
    found = torch.autograd.grad(y, (x, weight), secret["g"].double())
    return {"out": y.detach()} | {f"grad.{place}": found[place] for place in secret["wrt"]}


def _output(x: torch.Tensor, weight: torch.Tensor) -> Near:
    """Return the output of each group beside each other."""
    columns = weight.shape[2]
    values, scales = [], []
    for matrix, part in zip(weight, x.split(columns - 1, -1), strict=True):
        values.append(part @ matrix[:, :-1].T + matrix[:, -1])
        scales.append(part.abs() @ matrix[:, :-1].abs().T + matrix[:, -1].abs())
    return torch.cat(values, -1), _roundings(columns) * torch.cat(scales, -1)


def _of_x(g: torch.Tensor, weight: torch.Tensor) -> Near:
    outer = weight.shape[1]
    values, scales = [], []
    for matrix, part in zip(weight[..., :-1], g.split(outer, -1), strict=True):
        values.append(part @ matrix)
        scales.append(part.abs() @ matrix.abs())
    return torch.cat(values, -1), _roundings(outer) * torch.cat(scales, -1)


def _of_weight(g: torch.Tensor, x: torch.Tensor, weight: torch.Tensor) -> Near:
    _, outer, columns = weight.shape
    values, scales = [], []
    for g_part, x_part in zip(g.split(outer, -1), x.split(columns - 1, -1), strict=True):
        rows = g_part.reshape(-1, outer)
        with_ones = torch.cat([x_part, torch.ones_like(x_part[..., :1])], -1).reshape(-1, columns)
        values.append(rows.T @ with_ones)
        scales.append(rows.abs().T @ with_ones.abs())
    return torch.stack(values), _roundings(g[..., 0].numel()) * torch.stack(scales)


def _without_bias(weight: torch.Tensor) -> torch.Tensor:
    return torch.cat([weight[..., :-1], torch.zeros_like(weight[..., -1:])], -1)


def _roundings(num_terms: int) -> float:
    return 8 + 2 * math.sqrt(num_terms)


def _sum(one: Near, other: Near) -> Near:
    return one[0] + other[0], one[1] + other[1]


def _want(near: Near, dtype: torch.dtype, **more: Any) -> Want:
    return Want(near[0], bound(near[1], 1, dtype), dtype, **more)


def _layer(secret: dict[str, Any]) -> Expected:
    in_features, out_features, groups = secret["small"]
    facts: dict[str, Any] = {
        "module": True,
        "names": ["weight"],
        "shapes": [[groups, out_features // groups, in_features // groups + 1]],
        "parameters": ["weight"],
        "repeats": True,
        "varies": True,
        "node": "LinearFunctionBackward",
        "under no_grad": False,
    }
    expected: Expected = {
        key: Exact(value, note=dict(zip(("en", "zh"), NOTES[key], strict=True)))
        for key, value in facts.items()
    }
    wide, tall, groups = secret["large"]
    words = {
        "en": "the weight is not float32, uniform in (-1/sqrt(in/groups), 1/sqrt(in/groups))",
        "zh": "权重应是 float32，并在 (−1/√(in/groups), 1/√(in/groups)) 上均匀分布",
    }
    shape = (groups, tall // groups, wide // groups + 1)
    return expected | {"drawn": Holds(_drawn(shape), words)}


def _drawn(shape: tuple[int, int, int]) -> Any:
    limit = 1 / math.sqrt(shape[2] - 1)

    def is_uniform(values: torch.Tensor) -> bool:
        # Six standard errors: a right draw is refused once in a hundred million times.
        centred = abs(float(values.mean())) <= 6 * limit / math.sqrt(3 * values.numel())
        variance = float(values.square().mean()) / (limit**2 / 3)
        spread = abs(variance - 1) <= 6 * math.sqrt(0.8 / values.numel()) + 1e-6
        return float(values.abs().max()) <= limit * (1 + 1e-6) and centred and spread

    def holds(got: Any) -> bool:
        if not isinstance(got, torch.Tensor) or got.shape != shape or got.dtype != torch.float32:
            return False
        return is_uniform(got.double()) and is_uniform(got[..., -1].double())

    return holds
