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
    Scales are float32: two digits of a bound are enough.
    """
    shape, keys, state = record["x"].shape, record["keys"], record["state"]
    x = record["x"].reshape(-1, math.prod(record["shape"]))
    w, b = _row(record, "weight", 1.0), _row(record, "bias", 0.0)
    x_hat, r, c = _normalise(x, record["eps"])
    size, w_size = x_hat.float().abs_(), w.abs().float()

    def want(name: str, value: torch.Tensor, scale: torch.Tensor, k: float) -> None:
        whole = record["shape"] if name in state else shape
        limit = bound(scale, k, x.dtype, value).view(whole)
        aspect = "value" if name == "out" else "grad"
        expected[keys[name]] = Want(value.view(whole), limit, x.dtype, aspect=aspect)

    expected: Expected = {}
    # Among many elements the extremes are larger, and one pass over data that is shifted by one
    # of them is right, too.
    k = 8 + 4 * max(0.0, math.log10(max(x.numel(), 1) / 1000))
    scale = (size + (1 + c)).mul_(w_size).add_(b.abs().float())
    want("out", torch.addcmul(b, x_hat, w), scale, k)
    if len(keys) == 1:
        return expected
    g = record["cotangent"].double().reshape(x.shape)
    g_size, products, k = g.float().abs_(), g * x_hat, 8 + 2 * math.sqrt(len(x))
    sizes = g_size * size
    if "weight" in keys and "weight" in state:
        scale = sizes.sum(0) + (0.5 + c[:, 0]) @ g_size
        want("weight", products.sum(0), scale, k)
    if "bias" in keys and "bias" in state:
        want("bias", g.sum(0), g_size.sum(0), k)
    if "x" in keys:
        # r (h - mean(h) - x_hat mean(h x_hat)) with h = g w
        along, mean = (each.matmul(w).unsqueeze(1) / len(w) for each in (products, g))
        value = (g * w).sub_(mean).addcmul_(x_hat, along, value=-1).mul_(r)
        # r (1 + c) (|h| + m + (|x_hat| + c) p + c m (1 + |x_hat|)), by what varies within a row
        p, m = (each.matmul(w_size).unsqueeze(1) / len(w) for each in (sizes, g_size))
        scale = (g_size * w_size).add_(m + c * (p + m)).addcmul_(size, p + c * m)
        want("x", value, scale.mul_(r.float() * (1 + c)), 16)
    return expected


def _row(record: dict[str, Any], name: str, absent: float) -> torch.Tensor:
    value = record["state"].get(name)
    if value is None:
        return torch.full((math.prod(record["shape"]),), absent, dtype=torch.float64)
    return value.double().reshape(-1)


def _normalise(x: torch.Tensor, eps: float) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the normalised rows, 1 / root, and c as float32."""
    x_hat = x.to(torch.float64, copy=True)
    mean = x_hat.mean(1, keepdim=True)
    x_hat -= mean
    x_hat -= x_hat.mean(1, keepdim=True)
    norm = torch.linalg.vector_norm(x_hat, dim=1, keepdim=True)
    r = torch.rsqrt(norm * norm / x.shape[1] + eps)
    x_hat *= r
    return x_hat, r, (mean.abs() * r).float()


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
