"""Sampling of images at grid points: grid_sample and affine_grid."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from torchstone.microtorch.ops.interpolation import cubic_weights
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.rounded import rounded_once
from torchstone.microtorch.ops.sliding import Sizes, gather_places
from torchstone.microtorch.tensor import Array, Tensor, wrap

BILINEAR, NEAREST, BICUBIC = range(3)
ZEROS, BORDER, REFLECTION = range(3)
_MODES = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")


def _clip(at: Array, size: int) -> Array:
    # fmax and fmin map NaN to index 0.
    return np.fmin(np.fmax(at, 0), size - 1)


def _reflect(at: Array, size: int, align_corners: bool) -> tuple[Array, Array]:
    """Reflect coordinates at the borders; return them and the sign of their derivative."""
    low, span = (0.0, size - 1) if align_corners else (-0.5, size)
    if not span:
        return np.zeros_like(at), np.zeros_like(at)
    away = np.abs(at - low)
    rest, is_odd = np.fmod(away, span), np.floor(away / span) % 2 == 1
    slope = np.where((at < low) != is_odd, -1, 1).astype(at.dtype)
    return (np.where(is_odd, span - rest, rest) + low).astype(at.dtype), slope


def _bring_inside(at: Array, size: int, padding: int, align_corners: bool) -> Array:
    if padding == REFLECTION:
        at, _ = _reflect(at, size, align_corners)
    return at if padding == ZEROS else _clip(at, size)


def _inside_rule(
    grad: Tensor, self: Tensor, size: int, padding: int, align_corners: bool
) -> Tensor:
    return grad * _slope(self, size, padding, align_corners)


@primitive(self=_inside_rule)
def _inside(self: Array, size: int, padding: int, align_corners: bool) -> Array:
    return _bring_inside(self, size, padding, align_corners)


@primitive()
def _slope(self: Array, size: int, padding: int, align_corners: bool) -> Array:
    at, slope = self, np.ones_like(self)
    if padding == REFLECTION:
        at, slope = _reflect(self, size, align_corners)
    if padding != ZEROS:
        slope = slope * ((at > 0) & (at < size - 1))
    return slope


@primitive()
def _numbers(spatial: Sizes, offset: Sizes, padding: int, align_corners: bool, *at: Array) -> Array:
    """Return the flat index of integer coordinates; -1 outside the image."""
    number: Any = 0
    is_inside: Any = True
    for size, step, each in zip(spatial, offset, at, strict=True):
        place = _bring_inside(each + step, size, padding, align_corners)
        within = (place >= 0) & (place <= size - 1)
        is_inside = is_inside & within
        number = number * size + np.where(within, place, 0).astype(np.int64)
    return np.where(is_inside, number, -1)[:, None]


@primitive()
def _rounded(self: Array) -> Array:
    return np.rint(self)


@primitive()
def _floored(self: Array) -> Array:
    return np.floor(self)


def _sample(input: Tensor, grid: Tensor, mode: int, padding: int, align_corners: bool) -> Tensor:
    spatial = input.array.shape[2:]
    ndim = len(spatial)
    at = []
    # A grid point lists the coordinate of the last dimension first.
    for each, size in zip(reversed(grid.unbind(-1)), spatial, strict=True):
        if align_corners:
            place = (each + 1) * ((size - 1) / 2)
        else:
            place = ((each + 1) * size - 1) / 2
        at.append(place if mode == BICUBIC else _inside(place, size, padding, align_corners))

    def look_up(offset: Sizes, padding: int, low: Sequence[Tensor]) -> Tensor:
        number = _numbers(spatial, offset, padding, align_corners, *low)
        return gather_places(input, number, ndim)

    if mode == NEAREST:
        return look_up((0,) * ndim, ZEROS, [_rounded(each) for each in at])
    low = [_floored(each) for each in at]
    share = [each - floor for each, floor in zip(at, low, strict=True)]
    if mode == BICUBIC:
        weights, first = [cubic_weights(each) for each in share], -1
    else:
        weights, first, padding = [[1 - each, each] for each in share], 0, ZEROS
    terms = []
    for tap in itertools.product(range(len(weights[0])), repeat=ndim):
        weight = reduce(lambda a, b: a * b, (w[t] for w, t in zip(weights, tap, strict=True)))
        values = look_up(tuple(each + first for each in tap), padding, low)
        terms.append(values * weight.unsqueeze(1))
    return reduce(lambda a, b: a + b, terms)


def _check(input: Tensor, grid: Tensor, mode: int) -> None:
    shape, points = input.array.shape, grid.array.shape
    if len(shape) < 3 or len(points) != len(shape) or points[-1] != len(shape) - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {len(shape) - 2} in last dimension and as "
            f"many dimensions as input, but got input with sizes {list(shape)} and grid with "
            f"sizes {list(points)}"
        )
    if shape[0] != points[0]:
        raise RuntimeError(
            "grid_sampler(): expected grid and input to have same batch size, but got input with "
            f"sizes {list(shape)} and grid with sizes {list(points)}"
        )
    if 0 in shape[2:]:
        raise RuntimeError(
            "grid_sampler(): expected input to have non-empty spatial dimensions, but input has "
            f"sizes {list(shape)} with dimension {shape.index(0, 2)} being empty"
        )
    if mode == BICUBIC and len(shape) != 4:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if input.array.dtype != grid.array.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.title} but found {grid.dtype.title}")


@op(method=False, aliases=("grid_sampler_2d", "grid_sampler_3d"))
@rounded_once
def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """Sample images at the points of a grid; modes are integers in the order of ``grid_sample``."""
    _check(input, grid, interpolation_mode)
    return _sample(input, grid, interpolation_mode, padding_mode, align_corners)


@op("nn.functional")
@rounded_once
def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Sample images at the points of a grid, with borders at -1 and 1.

    Shapes:
        input: (N, C, *spatial), grid: (N, *output, dimensions) -> (N, C, *output).

    Args:
        input: Images or volumes.
        grid: The points; the coordinate of the last dimension comes first.
        mode: "bilinear", "nearest" or "bicubic".
        padding_mode: Values outside the image: "zeros", "border" or "reflection".
        align_corners: -1 and 1 are the centers of the outermost elements instead of their edges.
    """
    if mode not in _MODES:
        raise ValueError(
            "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', "
            f"but got: '{mode}'"
        )
    if padding_mode not in _PADDINGS:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or "
            f"'reflection', but got: '{padding_mode}'"
        )
    return grid_sampler(
        input, grid, _MODES.index(mode), _PADDINGS.index(padding_mode), _aligned(align_corners)
    )


def _aligned(align_corners: bool | None) -> bool:
    if align_corners is None:
        warnings.warn(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since "
            "1.3.0. Please specify align_corners=True if the old behavior is desired. See the "
            "documentation of grid_sample for details.",
            stacklevel=3,
        )
    return bool(align_corners)


@op("nn.functional")
def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """Create the sampling grid of an affine transform.

    Shapes:
        theta: (N, d, d + 1), affine matrices; size: (N, C, *output) -> (N, *output, d).
    """
    aligned = _aligned(align_corners)
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    ndim = len(size) - 2
    if ndim not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
            f"respectively. Got size {size}."
        )
    if theta.array.ndim != 3 or theta.array.shape[1:] != (ndim, ndim + 1):
        raise ValueError(
            f"Expected a batch of {ndim}D affine matrices of shape Nx{ndim}x{ndim + 1} for size "
            f"{size}. Got {theta.shape}."
        )
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    lines = [_line(each, aligned) for each in reversed(size[2:])]
    meshes = np.meshgrid(*reversed(lines), indexing="ij")
    points = np.stack([*reversed(meshes), np.ones_like(meshes[0])], -1)
    base = wrap(points.astype(theta.array.dtype)[None, ..., None, :])
    maps = theta.reshape(-1, *(1,) * ndim, ndim, ndim + 1)
    return (base * maps).sum(-1)


def _line(count: int, aligned: bool) -> Array:
    if count == 1:
        return np.zeros(1)
    return np.linspace(-1, 1, count) * (1 if aligned else (count - 1) / count)
