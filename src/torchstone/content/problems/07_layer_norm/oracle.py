"""Know the truth of problem 07 in float64, and how far from it rounding alone may lead."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import Case, Exact, Expected, OneOf, Raises, Want, bound

LEAVES = ("x", "weight", "bias")


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    if "raises" in secret:
        return {"raised": Raises(ValueError, RuntimeError)}
    if "facts" in secret:
        return _facts(secret["facts"])
    expected: Expected = {}
    for record in secret["records"]:
        expected |= _wants(record)
    if secret["second"]:
        expected["second"] = _second(secret["records"][0], secret["second"])
    if "graph" in secret:
        expected |= _graph(secret)
    if secret.get("life") == "load":
        expected |= {"missing": Exact([]), "unexpected": Exact([])}
    return expected


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the same with PyTorch's own operator in float64."""
    found: dict[str, torch.Tensor] = {}
    for record in case.secret.get("records", ()):
        leaves = {name: _leaf(record, name) for name in LEAVES}
        there = {name: leaf for name, leaf in leaves.items() if leaf is not None}
        parts = (record["shape"], leaves["weight"], leaves["bias"], record["eps"])
        y = torch.nn.functional.layer_norm(there["x"], *parts)
        keys = record["keys"]
        found[keys["out"]] = y.detach()
        cotangent = record["cotangent"].double()
        gradients = torch.autograd.grad(y, list(there.values()), cotangent)
        pairs = zip(there, gradients, strict=True)
        found |= {keys[name]: gradient for name, gradient in pairs if name in keys}
    return found


def _leaf(record: dict[str, Any], name: str) -> torch.Tensor | None:
    value = record["x"] if name == "x" else record["state"].get(name)
    return None if value is None else value.double().requires_grad_()


def _wants(record: dict[str, Any]) -> Expected:
    """Return value and gradients of one call, each with its bound.

    c = |mean| / sqrt(variance + eps) is what rounding the input alone costs, in units of y.
    """
    x, dtype, shape = record["x"].double(), record["x"].dtype, record["shape"]
    weight, bias = (record["state"].get(name) for name in ("weight", "bias"))
    dims = tuple(range(-len(shape), 0))
    mean = x.mean(dims, keepdim=True)
    centred = x - mean
    centred = centred - centred.mean(dims, keepdim=True)
    r = torch.rsqrt(centred.square().mean(dims, keepdim=True) + record["eps"])
    x_hat, c = centred * r, mean.abs() * r
    w = torch.ones(shape, dtype=torch.float64) if weight is None else weight.double()
    b = torch.zeros(shape, dtype=torch.float64) if bias is None else bias.double()
    lead = tuple(range(x.ndim - len(shape)))
    rows = math.prod(x.shape[: len(lead)])
    value = x_hat * w + b
    scale = (x_hat.abs() + 1 + c) * w.abs() + b.abs()
    keys = record["keys"]
    # Among many elements the extremes are larger, and one pass over data that is shifted by one
    # of them is right, too.
    k = 8 + 4 * max(0.0, math.log10(max(value.numel(), 1) / 1000))
    expected: Expected = {keys["out"]: Want(value, bound(scale, k, dtype, value), dtype)}
    if "cotangent" not in record or len(keys) == 1:
        return expected
    g = record["cotangent"].double()
    if "x" in keys:
        expected[keys["x"]] = _input_gradient(g * w, x_hat, c, r, dims, dtype)
    k = 8 + 2 * math.sqrt(rows)
    if weight is not None and "weight" in keys:
        of_weight, size = _sum(g * x_hat, lead), _sum(g.abs() * (x_hat.abs() + 0.5 + c), lead)
        expected[keys["weight"]] = _gradient(of_weight, size, k, dtype)
    if bias is not None and "bias" in keys:
        expected[keys["bias"]] = _gradient(_sum(g, lead), _sum(g.abs(), lead), k, dtype)
    return expected


def _input_gradient(
    h: torch.Tensor,
    x_hat: torch.Tensor,
    c: torch.Tensor,
    r: torch.Tensor,
    dims: tuple[int, ...],
    dtype: torch.dtype,
) -> Want:
    along = (h * x_hat).mean(dims, keepdim=True)
    want = r * (h - h.mean(dims, keepdim=True) - x_hat * along)
    size = h.abs().mean(dims, keepdim=True)
    scale = h.abs() + size + (x_hat.abs() + c) * (h * x_hat).abs().mean(dims, keepdim=True)
    scale = r * (1 + c) * (scale + c * size * (1 + x_hat.abs()))
    return _gradient(want, scale, 16, dtype)


def _gradient(want: torch.Tensor, scale: torch.Tensor, k: float, dtype: torch.dtype) -> Want:
    return Want(want, bound(scale, k, dtype, want), dtype, aspect="grad")


def _sum(terms: torch.Tensor, lead: tuple[int, ...]) -> torch.Tensor:
    # sum(()) would reduce everything.
    return terms.sum(lead) if lead else terms


def _second(record: dict[str, Any], vectors: list[torch.Tensor]) -> OneOf:
    """Accept the right second derivative, or an honest refusal."""
    leaves = [leaf for leaf in (_leaf(record, name) for name in LEAVES) if leaf is not None]
    cotangent = record["cotangent"].double().requires_grad_()
    x, w, b = leaves
    dims = tuple(range(-len(record["shape"]), 0))
    centred = x - x.mean(dims, keepdim=True)
    r = torch.rsqrt(centred.square().mean(dims, keepdim=True) + record["eps"])
    y = centred * r * w + b
    gradients = torch.autograd.grad(y, leaves, cotangent, create_graph=True)
    loss = sum((g * v.double()).sum() for g, v in zip(gradients, vectors, strict=True))
    found = torch.autograd.grad(loss, [*leaves, cotangent], allow_unused=True)
    names = ["second.0", "second.state.weight", "second.state.bias", "second.cotangent.0"]
    wants: Expected = {}
    for name, leaf, value in zip(names, [*leaves, cotangent], found, strict=True):
        value = torch.zeros_like(leaf) if value is None else value
        size = 1e-11 * (1 + float(value.abs().max()))
        wants[name] = Want(value, size, torch.float64, aspect="grad", none_is_zero=True)
    return OneOf(wants, {"second.raised": Raises(RuntimeError)})


def _graph(secret: dict[str, Any]) -> Expected:
    wanted = secret["graph"]
    note = None
    if not wanted:
        note = {
            "en": "the result requires grad although nothing that went in does",
            "zh": "没有任何输入需要梯度，结果却带有计算图",
        }
    positions = range(len(secret["records"]))
    expected: Expected = {f"requires_grad.{at}": Exact(wanted, note=note) for at in positions}
    for position, record in enumerate(secret["records"]):
        for name in (name for name in LEAVES if name not in record["keys"]):
            expected[f"grad.{position}.{name}"] = Exact(None, aspect="grad")
    return expected


def _facts(facts: dict[str, Any]) -> Expected:
    kinds = {name: "parameter" if name in facts["names"] else "None" for name in ("weight", "bias")}
    expected: Expected = {
        "is_module": Exact(True),
        "normalized_shape": Exact(facts["shape"]),
        "eps": Exact(facts["eps"]),
        "state_dict": Exact(facts["names"]),
        "parameters": Exact(facts["names"]),
        "num_buffers": Exact(0),
    }
    expected |= {f"{name}.kind": Exact(kind) for name, kind in kinds.items()}
    for name in facts["names"]:
        fill = torch.ones if name == "weight" else torch.zeros
        initial = fill(facts["shape"], dtype=torch.float64)
        expected[f"{name}.value"] = Want(initial, 0.0, facts["dtype"])
        expected[f"{name}.requires_grad"] = Exact(True)
    return expected
