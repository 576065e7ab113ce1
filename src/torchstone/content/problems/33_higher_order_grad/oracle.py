"""Know the truth of problem 33: reverse over reverse in float64, row by row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from torchstone.judge.kit import COUNT, Case, Exact, Expected, Holds, Raises, Want
from torchstone.judge.kit.problem import load_module

PROBE = load_module(Path(__file__).with_name("probe.py"))

# Relative to the largest entry of the result plus 1, the size of a coefficient: what cancels in an
# entry is of the size of others. About 30 products, sums and activations lead to it: each
# is off by 6e-8 in float32, 2e-6 together at worst; right answers stay below 4e-7, and the exact
# result in half precision is off by 2e-4. In float64 the same count gives 3e-15; 1e-9 leaves room
# for sums in any order, and a result in float32 is off by 3e-8. A difference of two gradients with
# the best step is off by 1e-10: it is refused because it calls f elsewhere, and twice.
RELATIVE = {torch.float32: 1e-5, torch.float64: 1e-9}
# Two passes reach the inputs in the usual way, three with a dummy cotangent.
MOST_PASSES = 20

FACTS = {
    "calls": Exact(1, note={"en": "f must be called exactly once", "zh": "f 必须恰好调用一次"}),
    "arguments": Exact(
        True,
        note={
            "en": "f was called with other values, shapes or dtypes than those of the inputs",
            "zh": "调用 f 时传入的数值、形状或类型与输入不同",
        },
    ),
    "traces": Exact(
        True,
        note={
            "en": "the .grad of an input or of a parameter was changed",
            "zh": "某个输入或参数的 .grad 被改动",
        },
    ),
}
NO_GRAPH = Exact(
    False,
    note={
        "en": "with create_graph=False a result must not require grad",
        "zh": "create_graph=False 时，结果不应需要梯度",
    },
)
FEW_PASSES = Holds(
    lambda count: count <= MOST_PASSES,
    {
        "en": f"at most {MOST_PASSES} backward passes through f, however many unknowns",
        "zh": f"不论未知数有多少，经过 f 的反向至多 {MOST_PASSES} 次",
    },
    takes=COUNT,
    truth=2,
)


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    if "refused" in secret:
        return {f"{name}.raised": Raises(ValueError) for name in secret["refused"]}
    op, data = secret["op"], secret["data"]
    expected = _wants(op, data)
    if "again" in data:
        names = ("params", "inputs", "others")
        values = iter(data["again"])
        again = {name: [next(values) for _ in data[name]] for name in names}
        found = _wants(op, data | again)
        expected |= {f"again:{key}": item for key, item in found.items()}
    return expected


def _wants(op: str, data: dict[str, Any]) -> Expected:
    dtype = data["inputs"][0].dtype
    truth = Truth(op, data)
    scale = 1 + max((float(y.detach().abs().max()) for y in truth.outs if y.numel()), default=0.0)
    expected: Expected = {"passes": FEW_PASSES} if data["counts"] else {}
    expected |= FACTS | {
        "tuple": Exact(op == "hvp" and not data["single"]),
        "out.len": Exact(len(truth.outs)),
    }
    if not data["graph"]:
        expected["graph"] = NO_GRAPH
    for position, value in enumerate(truth.outs):
        bound = RELATIVE[dtype] * scale
        expected[f"out.{position}"] = Want(value.detach(), bound, dtype)
    if truth.point is not None:
        size = float(truth.point.abs().max()) + 2
        expected["point"] = Want(truth.point, RELATIVE[dtype] * size, dtype)
    return expected | _third(truth, data, dtype)


def _third(truth: Truth, data: dict[str, Any], dtype: torch.dtype) -> Expected:
    """Return the derivatives of the results with respect to all that requires grad."""
    if not data["cotangents"]:
        return {}
    pairs = zip(truth.outs, data["cotangents"], strict=True)
    total = torch.stack([(y * g.double()).sum() for y, g in pairs]).sum()
    params = truth.params if data["trains"] else []
    wanted = {f"third.p{i}": p for i, p in enumerate(params)}
    wanted |= {
        f"third.x{i}": x
        for i, (x, kind) in enumerate(zip(truth.inputs, data["grads"], strict=True))
        if kind != "none"
    }
    if data["others_train"]:
        wanted |= {f"third.other{i}": other for i, other in enumerate(truth.others)}
    values = [each.detach() for each in gradients(total, list(wanted.values()))]
    scale = 1 + max((float(each.abs().max()) for each in values if each.numel()), default=0.0)
    return {
        name: Want(value, RELATIVE[dtype] * scale, dtype, aspect="grad", none_is_zero=True)
        for name, value in zip(wanted, values, strict=True)
    }


class Truth:
    """Hold the results of one call in float64, with a graph to leaves of its own.

    Attributes:
        outs: The results.
        params: The coefficients of the function.
        inputs: What the results are differentiated to.
        point: Where a critic is evaluated; None for other functions.
    """

    def __init__(self, op: str, data: dict[str, Any]) -> None:
        self.params, self.inputs = ([_leaf(x) for x in data[name]] for name in ("params", "inputs"))
        self.others = [_leaf(x) for x in data["others"]]
        self.options, self.point = data["options"], None
        families = PROBE.FAMILIES[PROBE.KINDS[op]]
        self.f = families[data["family"]]
        self.outs: list[Tensor] = getattr(self, f"_{op}")()

    def _hvp(self) -> list[Tensor]:
        first = gradients(self.f(self.params, *self.inputs), self.inputs)
        terms = [(g * v).sum() for g, v in zip(first, self.others, strict=True)]
        return gradients(torch.stack(terms).sum(), self.inputs)

    def _hessian(self) -> list[Tensor]:
        (x,) = self.inputs
        (first,) = gradients(self.f(self.params, x), [x])
        rows = [gradients(g, [x])[0] for g in first.reshape(-1)]
        return [torch.stack(rows).reshape(x.shape + x.shape)]

    def _laplacian(self) -> list[Tensor]:
        (x,) = self.inputs
        (first,) = gradients(self.f(self.params, x).sum(), [x])
        columns = [gradients(first[:, d].sum(), [x])[0][:, d] for d in range(x.shape[1])]
        return [torch.stack(columns).sum(0)]

    def _gradient_penalty(self) -> list[Tensor]:
        real, fake = (x.detach() for x in self.inputs)
        alpha = self.others[0].detach().reshape(-1, *[1] * (real.ndim - 1))
        self.point = alpha * real + (1 - alpha) * fake
        x = self.point.clone().requires_grad_()
        (first,) = gradients(self.f(self.params, x).sum(), [x])
        # Where all of a sample's gradient is 0, the norm has the subgradient 0.
        squares = first.flatten(1).square().sum(1)
        flat = squares.detach() == 0
        norms = torch.where(flat, 0.0, torch.where(flat, 1.0, squares).sqrt())
        return [(norms - self.options.get("target", 1.0)).square().mean()]


def _leaf(x: Tensor) -> Tensor:
    return x.double().clone().requires_grad_()


def gradients(y: Tensor, xs: list[Tensor]) -> list[Tensor]:
    """Differentiate one number once, keeping the graph; where there is none, zeros."""
    if not y.requires_grad or not xs:
        return [torch.zeros_like(x) for x in xs]
    found = torch.autograd.grad(y, xs, create_graph=True, allow_unused=True)
    return [torch.zeros_like(x) if g is None else g for x, g in zip(xs, found, strict=True)]


def builtin(case: Case) -> dict[str, Tensor]:
    """Compute the same with torch.autograd.functional in float64."""
    secret = case.secret
    if "refused" in secret or secret["data"]["counts"]:
        return {}
    op, data = secret["op"], secret["data"]
    truth = Truth(op, data)
    xs = tuple(x.detach() for x in truth.inputs)
    functional = torch.autograd.functional
    if op == "hvp":
        _, found = functional.hvp(
            lambda *xs: truth.f(truth.params, *xs), xs, tuple(v.detach() for v in truth.others)
        )
        return {f"out.{i}": each.detach() for i, each in enumerate(found)}
    if op == "hessian":
        return {"out.0": functional.hessian(lambda x: truth.f(truth.params, x), xs[0]).detach()}
    point = xs[0] if truth.point is None else truth.point
    if not len(point):
        return {}
    if op == "laplacian":
        whole = [functional.hessian(lambda r: truth.f(truth.params, r[None])[0], r) for r in point]
        return {"out.0": torch.stack([each.detach().trace() for each in whole])}
    jacobian = functional.jacobian(lambda x: truth.f(truth.params, x).sum(), point).detach()
    norms = torch.linalg.vector_norm(jacobian.flatten(1), dim=1)
    return {"out.0": (norms - truth.options.get("target", 1.0)).square().mean()}
