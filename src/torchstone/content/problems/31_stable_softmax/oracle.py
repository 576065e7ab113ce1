"""Know the truth of problem 31, and how far from it rounding alone may lead.

With d = x - max and S = sum(exp(d)) of a row, the three results are exp(d) / S, d - log S and
max + log S. A rounding of d by half a unit in the last place changes them by |d| eps / 2: that
much relatively for the softmax, absolutely for its logarithm. exp, log, the sum and the division
round by a few eps more. So the bound is (8 + |d|) eps of the dtype that is computed in, and one
unit in the last place of the result, or two. It contains no |x|: a common offset costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from torchstone.judge.kit import EPS, Case, Expected, Raises, Want, ulp

HALF = (torch.float16, torch.bfloat16)
REFUSALS = {"dim": IndexError, "mask dtype": TypeError, "mask shape": ValueError, "x": TypeError}

Array = np.ndarray[Any, np.dtype[Any]]

# A truth in float64 would be no better than an answer in float64.
assert np.finfo(np.longdouble).nmant >= 63, "the oracle of 31 needs a longdouble of 80 bits or more"


@dataclass(frozen=True, slots=True)
class Truth:
    """Hold a row's results, in float64 and with ``dim`` kept.

    Attributes:
        p: The softmax.
        log_p: The log-softmax.
        lse: The logarithm of the sum of the exponentials.
        gap: max - x where an entry takes part, 0 elsewhere; of a long row the largest alone.
        absent: Where an entry cannot change a result: it is masked, or its row is dead.
    """

    p: torch.Tensor
    log_p: torch.Tensor
    lse: torch.Tensor
    gap: torch.Tensor
    absent: torch.Tensor | None


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    if "raises" in secret:
        error = REFUSALS[secret["raises"]]
        return {f"{name}.raised": Raises(error) for name in secret["calls"]}
    truth = find_truth(secret)
    expected: Expected = {"out": _value(secret, truth)}
    if secret["wrt"] is not None:
        expected[f"grad.{secret['wrt']}"] = _gradient(secret, truth)
        if secret["second"]:
            expected |= _second(secret, truth)
    return _repeated(expected, secret["held"]) if "held" in secret else expected


def _repeated(expected: Expected, repeats: torch.Tensor) -> Expected:
    """Expect some rows of an answer, and that each row is as near to the one that it repeats."""
    found: Expected = {}
    for key, want in expected.items():
        assert isinstance(want, Want), "a large case expects tensors alone"
        limit = torch.as_tensor(want.bound).expand(want.value.shape)
        # Both rows may be off.
        apart = 2 * limit.reshape(len(limit), -1).amax(1)[repeats]
        found[f"1:{key}"] = want
        found[f"1:{key}.apart"] = Want(
            torch.zeros_like(apart), apart, want.dtype, aspect=want.aspect
        )
    return found


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the same with PyTorch's own operators in float64, where no row is dead."""
    secret = case.secret
    if "x" not in secret:
        return {}
    x = _cast_input(secret).double().requires_grad_()
    dim, mask = secret["dim"], secret["mask"]
    kept = x if mask is None else x.masked_fill(~mask, -math.inf)
    if kept.numel() and bool((kept == -math.inf).all(dim).any()):
        return {}
    if secret["of"] == "lse":
        # Its gradient is exp(x - lse), which loses digits where scores are large: shift them.
        top = kept.detach().amax(dim, True) if kept.numel() else torch.zeros(())
        top = top.masked_fill(~top.isfinite(), 0.0)
        y = torch.logsumexp(kept - top, dim, keepdim=True) + top
        y = y if secret["keepdim"] or not x.ndim else y.squeeze(dim)
    elif kept.isnan().any() or (kept == math.inf).any():
        return {}  # PyTorch spreads NaN to masked entries, too
    else:
        y = (torch.softmax if secret["of"] == "softmax" else torch.log_softmax)(kept, dim)
    # Half precision cannot hold what float64 can.
    limit = torch.finfo(secret["dtype"] or secret["x"].dtype).max
    step = "1:" if "held" in secret else ""
    found = {f"{step}out": torch.where(y.detach() < -limit, -math.inf, y.detach())}
    if secret["wrt"] is not None:
        (gradient,) = torch.autograd.grad(y, x, secret["cotangent"].double())
        found[f"{step}grad.{secret['wrt']}"] = gradient
    return found


def find_truth(secret: dict[str, Any]) -> Truth:
    """Compute the results in float64; for float64 scores with 11 bits more."""
    x, dim, mask = _cast_input(secret), secret["dim"], secret["mask"]
    wide = np.longdouble if x.dtype == torch.float64 else np.float64
    # A number is a row of one entry.
    shape = x.shape or (1,)
    kept = x.double().numpy().astype(wide).reshape(shape)
    hidden = None if mask is None else ~mask.expand(x.shape).numpy().reshape(shape)
    if hidden is not None:
        kept = np.where(hidden, -np.inf, kept)
    with np.errstate(invalid="ignore", over="ignore"):
        return _truth_of(kept, dim, hidden, x.shape, is_long=_is_long(secret))


def _truth_of(
    kept: Array, dim: int, hidden: Array | None, shape: torch.Size, *, is_long: bool
) -> Truth:
    """Compute the results of scores, of which the hidden ones are -inf."""
    of_rows = kept.sum(dim, keepdims=True).shape if shape else shape
    if kept.shape[dim] == 0:
        none = torch.full(of_rows, -math.inf, dtype=torch.float64)
        empty = _tensor(kept, shape)
        return Truth(empty, empty, none, empty, None)
    top = kept.max(dim, keepdims=True)
    dead = top == -np.inf
    shifted = kept - np.where(dead, 0.0, top)
    weights = np.exp(shifted)
    total = np.where(dead, 1.0, weights.sum(dim, keepdims=True))
    log_total = np.log(total)
    p, log_p = weights / total, shifted - log_total
    lse = np.where(top == np.inf, top, top + log_total)
    nearest = shifted.min(dim, keepdims=True) if is_long else shifted
    gap = np.where(np.isfinite(nearest), -nearest, 0.0)
    if hidden is not None:
        p[hidden], log_p[hidden] = 0.0, -np.inf
    absent = None
    if hidden is not None or dead.any():
        absent = torch.from_numpy(
            dead.reshape(of_rows) if hidden is None else (dead | hidden).reshape(shape)
        )
    return Truth(
        _tensor(p, shape),
        _tensor(log_p, shape),
        _tensor(lse, of_rows),
        _tensor(gap, of_rows if is_long else shape),
        absent,
    )


def _tensor(array: Array, shape: Sequence[int]) -> torch.Tensor:
    return torch.from_numpy(array.astype(np.float64, copy=False).reshape(tuple(shape)))


def _cast_input(secret: dict[str, Any]) -> torch.Tensor:
    """Cast as the parameter ``dtype`` demands."""
    x: torch.Tensor = secret["x"]
    return x if secret["dtype"] is None else x.to(secret["dtype"])


def _length(secret: dict[str, Any]) -> int:
    x: torch.Tensor = secret["x"]
    return x.shape[secret["dim"]] if x.ndim else 1


def _is_long(secret: dict[str, Any]) -> bool:
    """Return whether bounds are taken for a whole row: one for each entry would cost too much."""
    return _length(secret) > 10_000


def _units(secret: dict[str, Any]) -> float:
    """Return how many eps the roundings take that do not depend on d."""
    n = _length(secret)
    # The error of a sum grows with the root of its length, most where a product with ones adds
    # very long rows term after term.
    return 8 + 0.05 * math.sqrt(n) + (math.sqrt(n) / 2 if _is_long(secret) else 0.0)


def _value(secret: dict[str, Any], truth: Truth) -> Want:
    dtype = secret["dtype"] or secret["x"].dtype
    eps, units = EPS[dtype], _units(secret)
    if secret["of"] == "lse":
        lse = truth.lse
        if not secret["keepdim"] and secret["x"].ndim:
            lse = lse.squeeze(secret["dim"])
        # In float64 the truth is rounded as the answer is, half a unit in the last place.
        last_places = 2 if dtype == torch.float64 else 1
        return Want(lse, last_places * ulp(lse, dtype) + units * eps, dtype)
    if dtype not in HALF and _is_long(secret):
        # A unit in the last place is eps of the value at most: |d| + log n for the logarithm.
        gap, units, last_place = 2 * truth.gap, units + 1 + math.log(_length(secret)), 0.0
    else:
        gap, value = truth.gap, truth.p if secret["of"] == "softmax" else truth.log_p
        last_place = ulp(value, dtype)
    relative = (gap + units) * eps
    if secret["of"] == "log":
        if dtype not in HALF:
            return Want(truth.log_p, relative + last_place, dtype)
        # Half precision ends before float64 does: below that the result is -inf.
        too_low = truth.log_p < -torch.finfo(dtype).max
        return Want(truth.log_p.masked_fill(too_low, -math.inf), relative + last_place, dtype)
    # exp may flush what is below the smallest normal number of the dtype that is computed in.
    smallest = torch.finfo(torch.float32 if dtype in HALF else dtype).smallest_normal
    limit = truth.p * relative + (last_place + smallest)
    if truth.absent is not None or not _is_long(secret):
        limit.masked_fill_(truth.log_p == -math.inf, 0.0)
    return Want(truth.p, limit, dtype)


def _gradient(secret: dict[str, Any], truth: Truth) -> Want:
    """Return the VJP: p (g - sum(p g)), g - p sum(g), or p g.

    p (1 - p) cancels: the error is that of the terms, a few eps of max p times max |g|, and that of
    the sums, which stays below 160 eps of the row's largest gradient.
    """
    dim, x, p = secret["dim"], secret["x"], truth.p
    g, dtype = secret["cotangent"].double(), secret["dtype"] or secret["x"].dtype
    if p.numel() == 0:
        return Want(p, 0.0, x.dtype, aspect="grad")
    if secret["of"] == "lse":
        g = g if secret["keepdim"] or not x.ndim else g.unsqueeze(dim)
        value, size = p * g, g.abs().expand(truth.lse.shape)
    elif secret["of"] == "softmax":
        weighted = p * g
        value = weighted - p * weighted.sum(dim, keepdim=True)
        size = g.abs().amax(dim, keepdim=True)
    else:
        value = g - p * g.sum(dim, keepdim=True)
        size = g.abs().sum(dim, keepdim=True)
    coarse = sum(torch.finfo(half).eps for half in {dtype, x.dtype} & set(HALF))
    eps = max(EPS[dtype], EPS[x.dtype])
    largest = value.abs().amax(dim, keepdim=True)
    limit = (2 * coarse + 160 * eps) * largest
    # A saved result in half precision is 4 units away, 8 if it is a logarithm.
    limit = limit + (8 * coarse + 16 * eps) * p.amax(dim, keepdim=True) * size
    # What flows through a maximum that is not detached cancels but for the rounding of its sum, and
    # lands where the maximum is attained; of a log-sum-exp, g comes and goes there.
    residue = value.abs().sum(dim, keepdim=True)
    residue = 16 * eps * (residue + size if secret["of"] == "lse" else residue)
    limit = limit + (p == p.amax(dim, keepdim=True)) * residue
    return Want(value, _only_present(limit, truth), x.dtype, aspect="grad")


def _second(secret: dict[str, Any], truth: Truth) -> Expected:
    """Return the gradient of <v, VJP>, for x and for the cotangent, by their formulas.

    Two products of a row with p are subtracted from another one: each term is at most
    max |g| max |v| n, rounded a few dozen times.
    """
    dim, p, v = secret["dim"], truth.p, secret["second"][0].double()
    g = secret["cotangent"].double()
    if secret["of"] == "lse":
        g = g if secret["keepdim"] else g.unsqueeze(dim)
    mean_v = (p * v).sum(dim, keepdim=True)
    centred = p * (v - mean_v)
    if secret["of"] == "lse":
        of_x = g * centred
        of_g = mean_v if secret["keepdim"] else mean_v.squeeze(dim)
    elif secret["of"] == "softmax":
        mean_g = (p * g).sum(dim, keepdim=True)
        product = p * (g * v - (p * g * v).sum(dim, keepdim=True))
        of_x = product - p * (g - mean_g) * mean_v - mean_g * centred
        of_g = centred
    else:
        of_x = -g.sum(dim, keepdim=True) * centred
        of_g = v - mean_v
    scale = g.abs().amax() * v.abs().amax() * p.shape[dim]
    limit = 256 * EPS[torch.float64] * scale * torch.ones_like(of_x)
    dtype = torch.float64
    key = f"second.{secret['wrt']}"
    found: Expected = {key: Want(of_x, _only_present(limit, truth), dtype, aspect="grad")}
    # What a cotangent at -inf counts for is a convention: it is left open.
    if secret["of"] != "log" or not bool((truth.log_p == -math.inf).any()):
        limit = 256 * EPS[dtype] * v.abs().amax() * p.shape[dim]
        found["second.cotangent.0"] = Want(of_g, limit, dtype, aspect="grad")
    return found


def _only_present(limit: torch.Tensor, truth: Truth) -> torch.Tensor:
    """Demand an exact 0 where an entry is absent."""
    if truth.absent is None:
        return limit
    return limit.expand(truth.p.shape).masked_fill(truth.absent, 0.0)
