"""Image interpolation: nearest, linear, bilinear, bicubic, trilinear, area; interpolate."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.ops.namespace import functions, op
from torchstone.microtorch.ops.reductions import expect
from torchstone.microtorch.ops.resampling import AxisMap, resample, weighted
from torchstone.microtorch.tensor import Array, Tensor

# Mode -> the number of spatial dimensions that it supports; None means any.
MODES = {
    "nearest": None, "nearest-exact": None, "area": None, "linear": 1, "bilinear": 2,
    "bicubic": 2, "trilinear": 3,
}  # fmt: skip


def cubic_weights(t: Any, a: float = -0.75) -> list[Any]:
    """Return the cubic weights of four neighbours; ``t`` is the offset from the second one.

    Source:
        Keys, Cubic convolution interpolation for digital image processing (1981).
    """
    near = [((a + 2) * s - (a + 3)) * s * s + 1 for s in (t, 1 - t)]
    far = [((a * s - 5 * a) * s + 8 * a) * s - 4 * a for s in (t + 1, 2 - t)]
    return [far[0], near[0], near[1], far[1]]


def _source(size: int, count: int, align_corners: bool, scale: float | None, real: Any) -> Array:
    """Compute the source coordinate of each output element."""
    places = np.arange(count, dtype=real)
    if align_corners:
        return places * real((size - 1) / (count - 1) if count > 1 else 0)
    return (places + real(0.5)) * _ratio(size, count, scale, real) - real(0.5)


def _ratio(size: int, count: int, scale: float | None, real: Any) -> Any:
    return real(1.0 / scale) if scale else real(size) / real(count)


@lru_cache(maxsize=256)
def _axis_map(
    mode: str, size: int, count: int, align_corners: bool, scale: float | None, real: Any
) -> AxisMap | None:
    """Create the map that interpolates one dimension; ``real`` is the dtype of its coordinates."""
    if size == count and mode.endswith("linear"):
        # Equal sizes are the identity, whatever the scale factor.
        return None
    if mode.startswith("nearest"):
        middle = real(0.5 if mode == "nearest-exact" else 0)
        source = (np.arange(count, dtype=real) + middle) * _ratio(size, count, scale, real)
        nearest = np.minimum(np.floor(source).astype(np.int64), size - 1)
        return AxisMap(np.arange(count), nearest, None, out_size=count, in_size=size)
    source = _source(size, count, align_corners, scale, real)
    if mode == "bicubic":
        low = np.floor(source)
        weights = cubic_weights(source - low)
        return weighted(np.stack([low + tap for tap in range(-1, 3)]), np.stack(weights), size)
    source = np.maximum(source, 0)
    low = np.floor(source)
    share = source - low
    return weighted(np.stack([low, low + 1]), np.stack([1 - share, share]), size)


def _triangle(x: Array) -> Array:
    return np.maximum(1 - np.abs(x), 0)


def _cubic(x: Array) -> Array:
    t = np.abs(x)
    inner = cubic_weights(np.minimum(t, 1), -0.5)[1]
    outer = cubic_weights(np.clip(t - 1, 0, 1), -0.5)[0]
    return np.where(t < 1, inner, np.where(t < 2, outer, 0))


_FILTERS: dict[str, tuple[Callable[[Array], Array], int]] = {
    "bilinear": (_triangle, 1),
    "bicubic": (_cubic, 2),
}


@lru_cache(maxsize=256)
def _smooth_map(
    mode: str, size: int, count: int, align_corners: bool, scale: float | None, real: Any
) -> AxisMap:
    """Return the map with antialiasing: when shrinking, the filter covers the whole source area."""
    kernel, support = _FILTERS[mode]
    if align_corners:
        ratio = real((size - 1) / (count - 1) if count > 1 else 0)
    else:
        ratio = _ratio(size, count, scale, real)
    stretch = max(ratio, real(1))
    center = (np.arange(count, dtype=real) + real(0.5)) * ratio
    first = np.maximum((center - support * stretch + real(0.5)).astype(np.int64), 0)
    last = np.minimum((center + support * stretch + real(0.5)).astype(np.int64), size)
    taps = np.arange(int((last - first).max(initial=0)))[:, None]
    positions = first + taps
    weights = np.where(positions < last, kernel((positions - center + real(0.5)) / stretch), 0)
    total = weights.sum(0)
    return weighted(positions, weights / np.where(total == 0, 1, total), size)


def _output(
    input: Tensor, size: Any, scale_factor: Any
) -> tuple[list[int] | None, list[float] | None]:
    """Return the output size or the scale factors; exactly one must be given."""
    spatial = list(input.array.shape[2:])
    if (size is None) == (scale_factor is None):
        raise ValueError(
            "either size or scale_factor should be defined" if size is None
            else "only one of size or scale_factor should be defined"
        )  # fmt: skip
    given = scale_factor if size is None else size
    if not isinstance(given, Sequence):
        given = [given] * len(spatial)
    if len(given) != len(spatial):
        what = "output size of" if size is not None else "scale_factor of shape"
        raise ValueError(
            "Input and output must have the same number of spatial dimensions, but got input with "
            f"spatial dimensions of {spatial} and {what} {given}. Please provide input tensor in "
            "(N, C, d1, d2, ...,dK) format."
        )
    if size is None:
        return None, [float(each) for each in given]
    if not all(hasattr(each, "__index__") for each in given):
        raise TypeError(
            "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, "
            f"int], but got size with types {[type(each) for each in given]}"
        )
    return [each.__index__() for each in given], None


def _check_mode(mode: str, ndim: int, align_corners: bool | None, antialias: bool) -> None:
    if align_corners is not None and mode in ("nearest", "nearest-exact", "area"):
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear "
            "| bicubic | trilinear"
        )
    if antialias and (mode not in _FILTERS or ndim != 2):
        raise ValueError(
            "Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D "
            "tensor as input"
        )
    if mode not in MODES or not 1 <= ndim <= 3:
        raise NotImplementedError(
            "Input Error: Only 3D, 4D and 5D input Tensors supported "
            f"(got {ndim + 2}D) for the modes: {' | '.join(MODES)} (got {mode})"
        )
    wanted = MODES[mode]
    if wanted not in (None, ndim):
        raise NotImplementedError(
            f"Got {ndim + 2}D input, but {mode} mode needs {(wanted or 0) + 2}D input"
        )


@op("nn.functional")
def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Resize images, sequences or volumes.

    Shapes:
        input: (N, C, *spatial) -> (N, C, *size).

    Args:
        input: Images, sequences or volumes.
        size: The size of the output.
        scale_factor: The ratio of output size to input size, instead of ``size``.
        mode: The interpolation: one of ``MODES``.
        align_corners: Align the centers of the outermost elements instead of their edges.
        recompute_scale_factor: Recompute the factor from the rounded output size.
        antialias: When shrinking, average over all elements that an output covers.
    """
    ndim = input.array.ndim - 2
    wanted, factors = _output(input, size, scale_factor)
    if recompute_scale_factor and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    _check_mode(mode, ndim, align_corners, antialias)
    is_smooth = not mode.startswith("nearest")
    expect(f"upsample_{mode}{ndim}d", input, "f" if is_smooth and ndim != 2 else "fu")
    spatial = input.array.shape[2:]
    scales: list[Any] = [None] * ndim
    if wanted is None:
        assert factors is not None, "either the one or the other is given"
        wanted = [int(each * factor) for each, factor in zip(spatial, factors, strict=True)]
        scales = scales if recompute_scale_factor else list(factors)
    if mode == "nearest" and ndim == 2:
        # PyTorch ignores the factor when an image keeps or doubles its size.
        for place, (each, count) in enumerate(zip(spatial, wanted, strict=True)):
            scales[place] = None if count in (each, 2 * each) else scales[place]
    if mode == "area":
        return functions["nn.functional"][f"adaptive_avg_pool{ndim}d"](input, wanted)
    if min(*spatial, *wanted) <= 0:
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input {list(spatial)} "
            f"output {wanted}"
        )
    real = np.float64 if input.array.dtype == np.float64 else np.float32
    make = _smooth_map if antialias else _axis_map
    maps = tuple(
        make(mode, *each, bool(align_corners), scale, real)
        for *each, scale in zip(spatial, wanted, scales, strict=True)
    )
    if not is_smooth or input.dtype is not dtypes.uint8:
        return resample(input, maps)
    # As in PyTorch, bytes are rounded after each dimension.
    for along_one in ((None, maps[1]), (maps[0], None)):
        found = resample(input.float(), along_one)
        input = (found + 0.5).floor().clamp(0, 255).to(dtypes.uint8)
    return input


@op("nn.functional")
def upsample(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """Resize an image; the deprecated name of ``interpolate``."""
    _warn_deprecated("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


@op("nn.functional")
def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Resize an image by nearest-neighbour sampling."""
    _warn_deprecated("upsample_nearest")
    return interpolate(input, size, scale_factor, mode="nearest")


@op("nn.functional")
def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """Resize an image bilinearly with aligned corners."""
    _warn_deprecated("upsample_bilinear")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


def _warn_deprecated(name: str) -> None:
    warnings.warn(
        f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.",
        stacklevel=3,
    )
