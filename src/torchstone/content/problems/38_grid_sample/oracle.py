"""Know the truth of problem 38 in float64: an unpadded formula on an image that never ends.

A border repeats the outermost pixels for ever, a reflection repeats mirrored images: bilinear and
bicubic samples are interpolated between pixels of that endless image. Only the nearest pixel is
chosen after the position has been moved back inside, because ties are rounded there.

Legend: x positions in pixels along one axis, n pixels of that axis, t fractions.
"""

from __future__ import annotations

import itertools
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchstone.judge.kit import Case, Expected, Raises, Want

# 250 units of float32, of the largest pixel: the positions of a float32 case have no rounding (see
# cases.py), a cubic weight has a dozen of them, 16 products add theirs. 45 000 units of float64:
# whatever loses half of the digits is seen.
UNIT = {torch.float32: 3e-5, torch.float64: 1e-11}
# A gradient sums over the channels or over all samples that hit a pixel.
OF_GRADIENT = 30.0
# Beyond this a position means the same, and an integer can hold it.
FARTHEST = 2.0**40
CUBIC = -0.75
# A step along the directions of a second derivative moves no sample by more than 0.04 pixels.
STEP, NUM_STEPS = 2.0**-10, 4


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    if "raises" in secret:
        return {f"{name}.raised": Raises(ValueError) for name in secret["raises"]}
    if "product" in secret:
        return _far_pixels(secret)
    return _sampled(secret)


def builtin(case: Case) -> dict[str, Tensor]:
    """Compute the same with PyTorch's own operator in float64.

    Its second derivative does not exist; it is the derivative of the first along a line. Along it
    the results are polynomials of a degree below 8, for which the differences are exact.
    """
    secret = case.secret
    if "cotangent" not in secret or not secret["cotangent"].numel():
        return {}
    # PyTorch's kernels for images give NaN at inf: a weight of NaN times a pixel that is not there.
    grid = secret["grid"].double().nan_to_num(posinf=1e20, neginf=-1e20)
    at, cotangent = [secret["input"].double(), grid], secret["cotangent"].double()

    def differentiate(step: float) -> list[Tensor]:
        leaves = [
            (value + step * way if way is not None else value).clone().requires_grad_()
            for value, way in zip(at, ways, strict=True)
        ]
        out = F.grid_sample(*leaves, **secret["options"])
        return [out.detach(), *torch.autograd.grad(out, leaves, cotangent)]

    ways: list[Tensor | None] = [way.double() for way in secret["second"]] or [None, None]
    out, *gradients = differentiate(0.0)
    found = {"out": out} | {f"grad.{wrt}": gradients[wrt] for wrt in secret["wrt"]}
    if secret["second"]:
        names = ("second.cotangent.0", "second.0", "second.1")
        found |= dict(zip(names, _slopes(differentiate), strict=True))
    return found


def _slopes(function: Any) -> list[Tensor]:
    """Extrapolate central differences to a step of 0."""
    rows = []
    for k in range(NUM_STEPS):
        step = STEP / 2**k
        pairs = zip(function(step), function(-step), strict=True)
        rows.append([(ahead - behind) / (2 * step) for ahead, behind in pairs])
    for order in range(1, NUM_STEPS):
        factor = 4.0**order
        rows = [
            [(factor * fine - rough) / (factor - 1) for rough, fine in zip(*pair, strict=True)]
            for pair in itertools.pairwise(rows)
        ]
    return rows[0]


# The endless image


def interpolate(
    input: Tensor, grid: Tensor, mode: str, padding_mode: str, align_corners: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the samples (N, C, ...), and of each the pixels and their weights, both (N, P, K)."""
    sizes = input.shape[2:]
    places = [each.flatten(1) for each in grid.unbind(-1)]
    index, weight = torch.zeros(1, 1, 1, dtype=torch.int64), torch.ones(1, 1, 1)
    # From the slowest axis, whose coordinate is the last one.
    for place, n in zip(reversed(places), sizes, strict=True):
        x = (place + 1) / 2 * (n - 1) if align_corners else ((place + 1) * n - 1) / 2
        found, factor = _neighbours(x, n, mode, padding_mode, align_corners)
        index = (index[..., None] * n + found[..., None, :]).flatten(2)
        weight = (weight[..., None] * factor[..., None, :]).flatten(2)
    batch = torch.arange(len(input))[:, None, None]
    picked = input.flatten(2).transpose(1, 2)[batch, index]
    out = torch.einsum("npkc,npk->ncp", picked, weight)
    return out.reshape(*input.shape[:2], *grid.shape[1:-1]), index, weight.detach().abs()


def _neighbours(
    x: Tensor, n: int, mode: str, padding_mode: str, align_corners: bool
) -> tuple[Tensor, Tensor]:
    """Return the pixels that samples read along an axis, and their weights: both (N, P, K)."""
    x = x.clamp(-FARTHEST, FARTHEST)
    if mode == "nearest":
        found = _moved_inside(x.detach(), n, padding_mode, align_corners).round().long()[..., None]
        weight = torch.zeros_like(x)[..., None] * x[..., None] + 1
    else:
        reach = torch.arange(0, 2) if mode == "bilinear" else torch.arange(-1, 3)
        found = x.detach().floor().long()[..., None] + reach
        distance = (x[..., None] - found).abs()
        weight = 1 - distance if mode == "bilinear" else cubic(distance)
    if padding_mode == "border":
        found = found.clamp(0, n - 1)
    elif padding_mode == "reflection":
        found = _mirrored(found, n, align_corners)
    inside = (found >= 0) & (found < n)
    return torch.where(inside, found, 0), torch.where(inside, weight, 0.0)


def cubic(distance: Tensor) -> Tensor:
    """Return Keys' kernel: two cubics, of distances up to 1 and up to 2."""
    near = (CUBIC + 2) * distance**3 - (CUBIC + 3) * distance**2 + 1
    away = CUBIC * (distance**3 - 5 * distance**2 + 8 * distance - 4)
    return torch.where(distance <= 1, near, torch.where(distance < 2, away, 0.0))


def _mirrored(pixel: Tensor, n: int, align_corners: bool) -> Tensor:
    """Return which pixel of the image an endless row of mirrored images shows."""
    if align_corners and n == 1:
        return torch.zeros_like(pixel)
    # Whether the outermost pixel is shown once at the mirror or twice.
    period = 2 * (n - 1) if align_corners else 2 * n
    phase = pixel % period
    return torch.where(phase < n, phase, period - phase - (0 if align_corners else 1))


def _moved_inside(x: Tensor, n: int, padding_mode: str, align_corners: bool) -> Tensor:
    if padding_mode == "zeros":
        return x
    if padding_mode == "reflection":
        low, span = (0.0, n - 1.0) if align_corners else (-0.5, float(n))
        away = (x - low).abs()
        turns = (away / span).floor() if span else torch.zeros_like(x)
        rest = away - turns * span
        x = low + torch.where(turns % 2 == 1, span - rest, rest) if span else torch.zeros_like(x)
    return x.clamp(0, n - 1)


# What is expected


def _far_pixels(secret: dict[str, Any]) -> Expected:
    """Return single pixels of a product of a column and a row."""
    column, row = secret["product"]
    y, x = secret["pixels"]
    value = (column[y] * row[x]).double()
    # A centre is met to a ten thousandth of a pixel, so its neighbours have a part in the sample.
    unit = UNIT[torch.float32] if secret["mode"] == "nearest" else 1e-2
    limit = unit * float(column.abs().max() * row.abs().max())
    return {"out": Want(value.reshape(1, 1, 1, -1), limit, torch.float32)}


def _sampled(secret: dict[str, Any]) -> Expected:
    dtype, wrt = secret["input"].dtype, secret["wrt"]
    unit = UNIT[dtype]
    at = {0: secret["input"].double(), 1: secret["grid"].double()}
    leaves = [at[k].clone().requires_grad_(k in wrt) for k in at]
    out, index, weight = interpolate(*leaves, **secret["options"])
    largest = _largest(at[0])
    # Of a sample that reads no pixel nothing is left: 0, and not almost.
    is_read = (weight > 0).any(-1).reshape(len(out), 1, *out.shape[2:])
    limit = torch.where(is_read, unit * largest, 0.0)
    expected: Expected = {"out": Want(out.detach(), limit.expand(out.shape), dtype)}
    if not wrt:
        return expected
    cotangent = secret["cotangent"].double().clone().requires_grad_(bool(secret["second"]))
    wanted = [leaves[k] for k in wrt]
    gradients = torch.autograd.grad(out, wanted, cotangent, create_graph=bool(secret["second"]))
    sizes = Sizes(secret, index, weight)
    for k, gradient in zip(wrt, gradients, strict=True):
        scale = sizes.by_input if k == 0 else sizes.by_grid
        limit = (OF_GRADIENT * unit * scale).expand(gradient.shape)
        expected[f"grad.{k}"] = Want(gradient.detach(), limit, dtype, aspect="grad")
    if secret["second"]:
        ways = [way.double() for way in secret["second"]]
        slope = sum((g * way).sum() for g, way in zip(gradients, ways, strict=True))
        found = torch.autograd.grad(slope, [cotangent, *leaves])
        names = ("second.cotangent.0", "second.0", "second.1")
        for name, value, scale in zip(names, found, sizes.twice(ways), strict=True):
            limit = (OF_GRADIENT * unit * scale).expand(value.shape)
            expected[name] = Want(value, limit, dtype, aspect="grad")
    return expected


class Sizes:
    """Hold how large the terms of the derivatives are."""

    def __init__(self, secret: dict[str, Any], index: Tensor, weight: Tensor) -> None:
        input, g = secret["input"].double(), secret["cotangent"].double().abs().flatten(2)
        self.largest = _largest(input)
        # What hits each pixel, if every weight and every cotangent is positive.
        hits = torch.zeros(len(input), input.shape[2:].numel(), dtype=torch.float64)
        hits.scatter_add_(1, index.flatten(1), (weight * g.amax(1)[..., None]).flatten(1))
        self.by_input = torch.tensor(max(_largest(hits), _largest(g)), dtype=torch.float64)
        # Half an axis of pixels for each unit of the grid.
        self.slope = torch.tensor([n / 2 for n in reversed(input.shape[2:])], dtype=torch.float64)
        # Of each sample, over its channels.
        total = secret["cotangent"].double().abs().sum(1).clamp(min=1e-3)
        self.channels = total[..., None]
        self.by_grid = self.slope.clamp(min=1.0) * self.largest * self.channels

    def twice(self, ways: list[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        """Return the sizes of the second derivatives: by the cotangent, the input, the grid."""
        first, second = _largest(ways[0]), _largest(ways[1])
        steep = float(self.slope.max().clamp(min=1.0))
        return (
            torch.tensor(first + steep * self.largest * second, dtype=torch.float64),
            self.by_input * steep * second,
            steep * (first + steep * self.largest * second) * self.channels,
        )


def _largest(value: Tensor) -> float:
    return float(value.detach().abs().max()) if value.numel() else 1.0
