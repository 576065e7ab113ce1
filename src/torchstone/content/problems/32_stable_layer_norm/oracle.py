"""Know the truth of problem 32 with 11 bits more than the answer has, and what may be lost.

float64 is not enough for the truth of float64. Rows of float64 are therefore computed in the 80
bits of ``longdouble``, whose exponent also holds their squares, and all others in float64.
"""

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import torch

from torchstone.judge.kit import EPS, Case, Exact, Expected, Raises, Want, ulp

assert np.finfo(np.longdouble).nmant >= 63, "the oracle of 32 needs a longdouble of 80 bits or more"

LEAVES = ("x", "weight", "bias")
ERRORS = {"TypeError": TypeError, "ValueError": ValueError}
# Half of the spacing of the subnormal numbers of float16 is lost by rounding; this is all of it.
SUBNORMAL = 6e-8

Array = np.ndarray[Any, np.dtype[Any]]


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    if "raises" in secret:
        wanted = secret["raises"].items()
        return {f"{name}.raised": Raises(ERRORS[error]) for name, error in wanted}
    if "facts" in secret:
        return _facts(secret["facts"])
    expected: Expected = {}
    for record in secret["records"]:
        expected |= _wants(record)
    if secret["second"]:
        expected |= _second(secret["records"][0], secret["second"])
    if "graph" in secret:
        expected |= _graph(secret)
    if "state" in secret:
        expected |= _state(secret["records"][0])
    return expected


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the same with PyTorch's own operator in float64, where that is exact enough.

    Its variance needs rows near zero, and its squares numbers near one.
    """
    found: dict[str, torch.Tensor] = {}
    for record in case.secret.get("records", ()):
        size = record["x"].double().abs()
        is_plain = size.numel() and 1e-4 < float(size.amax()) < 1e3 and "copies" not in record
        # Of one column PyTorch's own has a variance of rounding errors.
        if not is_plain or math.prod(record["shape"]) == 1:
            continue
        leaves = {name: _leaf(record, name) for name in LEAVES}
        there = {name: leaf for name, leaf in leaves.items() if leaf is not None}
        parts = (record["shape"], leaves["weight"], leaves["bias"], record["eps"])
        y = torch.nn.functional.layer_norm(there["x"], *parts)
        keys = record["keys"]
        found[keys["out"]] = y.detach()
        gradients = torch.autograd.grad(y, list(there.values()), record["cotangent"].double())
        pairs = zip(there, gradients, strict=True)
        found |= {keys[name]: gradient for name, gradient in pairs if name in keys}
    return found


def _leaf(record: dict[str, Any], name: str) -> torch.Tensor | None:
    value = record["x"] if name == "x" else record["state"].get(name)
    return None if value is None else value.double().requires_grad_()


def _wide(tensor: torch.Tensor, dtype: type) -> Array:
    return tensor.detach().double().numpy().astype(dtype)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    """The problem as a matrix: R rows, D columns, in the wide type.

    Attributes:
        record: The inputs as they were drawn.
        x_hat: The normalised rows; of a constant row 0.
        r: 1 / sqrt(variance + eps) of each row, (R, 1).
        w, b: The parameters, (D,).
        is_constant: Which rows are constant, (R, 1).
    """

    record: dict[str, Any]
    x_hat: Array
    r: Array
    w: Array
    b: Array
    is_constant: Array

    @classmethod
    def of(cls, record: dict[str, Any]) -> Self:
        dtype = np.longdouble if record["x"].dtype == torch.float64 else np.float64
        columns = math.prod(record["shape"])
        x = _wide(record["x"], dtype).reshape(-1, columns)
        state = record["state"]
        w = _wide(state["weight"], dtype).reshape(-1) if "weight" in state else np.ones(1, dtype)
        b = _wide(state["bias"], dtype).reshape(-1) if "bias" in state else np.zeros(1, dtype)
        with np.errstate(invalid="ignore", divide="ignore"):
            # Numbers of float64 that are near each other, and all of float32, differ exactly.
            deviation = x - x[:, :1]
            is_constant = (deviation == 0).all(1, keepdims=True)
            deviation -= deviation.mean(1, keepdims=True)
            deviation -= deviation.mean(1, keepdims=True)
            variance = (deviation * deviation).mean(1, keepdims=True)
            r = 1 / np.sqrt(variance + dtype(record["eps"]))
            x_hat = np.where(is_constant, 0, deviation * r)
        x_hat[~np.isfinite(x).all(1)] = np.nan
        return cls(record=record, x_hat=x_hat, r=r, w=w, b=b, is_constant=is_constant)

    @property
    def dtype(self) -> torch.dtype:
        dtype: torch.dtype = self.record["x"].dtype
        return dtype

    def value(self) -> Want:
        """Give w x_hat + b.

        An error of x_hat is a few roundings of the largest of its row: of the deviation, which is
        that of a difference and of a mean, and of the factor, which half of the variance's error
        enters. That makes about 6 eps, and a fourth of the bound. The rounding at the end costs
        half a unit; three quarters leave room for a product that is rounded before a sum.
        """
        product = self.w * self.x_hat
        largest = (np.abs(product) + np.abs(self.b)).max(1, keepdims=True)
        value = _tensor(product + self.b)
        limit = 0.75 * ulp(value, self.dtype) + 24 * EPS[self.dtype] * _tensor(largest)
        if self.dtype == torch.float16:
            limit += SUBNORMAL
        # A constant row is the bias to the last bit.
        rounded = _tensor(self.b).to(self.dtype).double().expand(value.shape)
        is_constant = torch.from_numpy(self.is_constant)
        value = torch.where(is_constant & value.isfinite(), rounded, value)
        return self._want(value, torch.where(is_constant, 0.0, limit), "value")

    def gradient(self, g: Array) -> Want:
        """Give r (h - mean(h) - x_hat mean(h x_hat)) with h = g w, and r max|h| as its scale."""
        h = g * self.w
        along, mean = ((each).mean(1, keepdims=True) for each in (h * self.x_hat, h))
        value = _tensor(self.r * (h - mean - self.x_hat * along))
        scale = _tensor(self.r * np.abs(h).max(1, keepdims=True))
        limit = scale * (2 * _eps(self.dtype) + 96 * EPS[self.dtype])
        if self.dtype == torch.float16:
            limit = limit + SUBNORMAL
        return self._want(value, limit.expand(value.shape), "grad")

    def parameter(self, name: str, g: Array) -> Want:
        """Give the sum of g x_hat, or of g, over the rows.

        The scale is the largest sum. Where all of them nearly cancel, the error of x_hat is what
        counts, 24 eps of the largest of its row, with a sign of its own in each row.
        """
        terms, largest = g, np.ones_like(self.r)
        if name == "weight":
            terms, largest = g * self.x_hat, np.abs(self.x_hat).max(1, keepdims=True)
            # What rounding leaves of a constant row is small compared with 1, not with 0.
            largest = np.where(self.is_constant, 1, largest)
        copies = self.record.get("copies", 1)
        value = _tensor(terms.sum(0) * copies)
        most = float(value.abs().max())
        noise = float(np.sqrt(np.square(g * largest).sum(0).max() * copies))
        dtype = self.record["state"][name].dtype
        limit = 2 * _eps(dtype) * most + EPS[self.dtype] * (256 * most + 24 * noise)
        if dtype == torch.float16:
            limit += SUBNORMAL
        shape = tuple(self.record["shape"])
        return Want(value.reshape(shape), torch.tensor(limit), dtype, aspect="grad")

    def _want(self, value: torch.Tensor, limit: torch.Tensor, aspect: str) -> Want:
        """Give a matrix the shape of x; where it has copies, that of one of them."""
        shape = self.record["x"].shape
        shape = (1, *shape) if "copies" in self.record else shape
        return Want(value.reshape(shape), limit.reshape(shape), self.dtype, aspect=aspect)


def _tensor(array: Array) -> torch.Tensor:
    return torch.from_numpy(np.asarray(array, dtype=np.float64))


def _eps(dtype: torch.dtype) -> float:
    return torch.finfo(dtype).eps


def _wants(record: dict[str, Any]) -> Expected:
    """Return value and gradients of one call, each with its bound."""
    keys = record["keys"]
    if not record["x"].numel():
        return {keys["out"]: Want(record["x"].double(), 0.0, record["x"].dtype)}
    rows = _Rows.of(record)
    expected: Expected = {keys["out"]: rows.value()}
    g = _wide(record["cotangent"], rows.x_hat.dtype.type).reshape(rows.x_hat.shape)
    if "x" in keys:
        expected[keys["x"]] = rows.gradient(g)
    if "copies" in record:
        for key, want in list(expected.items()):
            # Two copies may be off, each by the bound of its worst entry.
            apart = 2 * torch.as_tensor(want.bound).amax().expand(record["copies"])
            expected[f"{key}.apart"] = Want(
                torch.zeros_like(apart), apart, want.dtype, aspect=want.aspect
            )
    for name in ("weight", "bias"):
        if name in keys:
            expected[keys[name]] = rows.parameter(name, g)
    return expected


def _second(record: dict[str, Any], vectors: list[torch.Tensor]) -> Expected:
    """Return the derivatives of <gradients, vectors>, which autograd knows on ordinary data."""
    leaves = {name: leaf for name in LEAVES if (leaf := _leaf(record, name)) is not None}
    cotangent = record["cotangent"].double().requires_grad_()
    dims = tuple(range(-len(record["shape"]), 0))
    deviation = leaves["x"] - leaves["x"].mean(dims, keepdim=True)
    y = deviation * torch.rsqrt(deviation.square().mean(dims, keepdim=True) + record["eps"])
    y = y * leaves.get("weight", 1.0) + leaves.get("bias", 0.0)
    gradients = torch.autograd.grad(y, list(leaves.values()), cotangent, create_graph=True)
    loss = sum((g * v.double()).sum() for g, v in zip(gradients, vectors, strict=True))
    inputs = {f"second.{record['keys'][name][5:]}": leaf for name, leaf in leaves.items()}
    inputs["second.cotangent.0"] = cotangent
    found = torch.autograd.grad(loss, list(inputs.values()), allow_unused=True)
    wants: Expected = {}
    for (name, leaf), value in zip(inputs.items(), found, strict=True):
        value = torch.zeros_like(leaf) if value is None else value
        # Some hundred roundings of numbers near the largest; rows of few columns may be narrow.
        limit = 1e-10 * (1 + float(value.abs().max()))
        wants[name] = Want(value, limit, torch.float64, aspect="grad", none_is_zero=True)
    return wants


def _graph(secret: dict[str, Any]) -> Expected:
    note = None
    if not secret["graph"]:
        note = {
            "en": "the result requires grad although nothing that went in does",
            "zh": "没有任何输入需要梯度，结果却带有计算图",
        }
    expected: Expected = {}
    for record in secret["records"]:
        key = record["keys"]["out"].removesuffix(".out")
        expected[f"{key}.requires_grad"] = Exact(secret["graph"], note=note)
        for name in (name for name in LEAVES if name not in record["keys"]):
            expected[f"{key}.{name}"] = Exact(None, aspect="grad")
    return expected


def _state(record: dict[str, Any]) -> Expected:
    lists = ("missing", "unexpected", "back.missing", "back.unexpected")
    expected: Expected = {name: Exact([]) for name in lists}
    for name, value in record["state"].items():
        expected[f"back.{name}"] = Want(value.double(), 0.0, value.dtype)
    return expected


def _facts(facts: dict[str, Any]) -> Expected:
    kinds = {name: "parameter" if name in facts["names"] else "None" for name in LEAVES[1:]}
    expected: Expected = {
        "is_module": Exact(True),
        "state_dict": Exact(facts["names"]),
        "parameters": Exact(facts["names"]),
    }
    expected |= {f"{name}.kind": Exact(kind) for name, kind in kinds.items()}
    for name in facts["names"]:
        fill = torch.ones if name == "weight" else torch.zeros
        initial = fill(facts["shape"], dtype=torch.float64)
        expected[f"{name}.value"] = Want(initial, 0.0, facts["dtype"])
        expected[f"{name}.requires_grad"] = Exact(True)
    return expected
