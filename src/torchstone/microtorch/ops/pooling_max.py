"""Max pooling: max_pool, adaptive_max_pool, max_unpool."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from torchstone.microtorch.kernels import Kernel
from torchstone.microtorch.ops.namespace import named, op
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.sliding import (
    Places,
    Sizes,
    Steps,
    adaptive_taps,
    gather_places,
    per_dim,
    pooled_size,
    scatter_places,
    stride_or,
    take,
    window_taps,
    windowed_max,
)
from torchstone.microtorch.tensor import Array, Tensor, alias, wrap

Taps = tuple[tuple[Places, ...], ...]


def _scatter_rule(grad: Tensor, result1: Tensor, self_shape: Sizes, taps: Taps) -> Tensor:
    return scatter_places(grad, result1, self_shape[len(self_shape) - len(taps) :])


@primitive(self=_scatter_rule)
def _max_windows(self: Array, taps: Taps) -> tuple[Array, Array]:
    return windowed_max(self, taps)


def _max_rule(grad: Tensor, self: Tensor, taps: Taps, is_tiling: bool) -> Tensor:
    # Recompute the maxima: a later in-place operation, such as an activation, may overwrite them.
    return _max_gradient(grad, self, _max_values(alias(self), taps, is_tiling), taps, is_tiling)


@primitive(self=_max_rule)
def _max_values(self: Array, taps: Taps, is_tiling: bool) -> Array:
    return max_values(self, taps, is_tiling)


@Kernel
def max_values(x: Array, taps: Taps, is_tiling: bool) -> Array:
    """Compute the maxima only; their indices are computed in the backward pass, if needed."""
    result = x
    for axis, each in enumerate(taps, -len(taps)):
        result = reduce(np.maximum, [take(result, places, axis) for places in each])
    return result if result.base is None else result.copy(order="K")


def _max_gradient_rule(grad: Tensor, input: Tensor, taps: Taps) -> Tensor:
    _, index = _max_windows(alias(input), taps)
    return gather_places(grad, index, len(taps))


@primitive(grad_output=_max_gradient_rule)
def _max_gradient(
    grad_output: Array, input: Array, result: Array, taps: Taps, is_tiling: bool
) -> Array:
    return max_gradient(grad_output, input, result, taps, is_tiling)


@Kernel
def max_gradient(
    grad_output: Array, input: Array, result: Array, taps: Taps, is_tiling: bool
) -> Array:
    """Pass each window's gradient to its maximal element."""
    # NaN needs the general path, which defines which NaN is the maximum.
    if is_tiling and not np.isnan(result).any():
        return _tile_gradient(grad_output, input, result, tuple(len(each) for each in taps))
    _, index = windowed_max(input, taps)
    spatial = input.shape[input.ndim - len(taps) :]
    return scatter_places(wrap(grad_output), wrap(index), spatial).array


def _tile_gradient(grad_output: Array, input: Array, result: Array, kernel: Sizes) -> Array:
    """Pass each window's gradient to the first of its maximal elements."""
    spatial = input.shape[input.ndim - len(kernel) :]
    is_whole = not any(size % each for size, each in zip(spatial, kernel, strict=True))
    spread = (np.empty_like if is_whole else np.zeros_like)(input)
    # Multiplying bit patterns by 0 or 1 is exact, also for infinities, and the fastest selection.
    bits = np.dtype(f"i{input.itemsize}")
    # Copied into the memory layout of the input.
    rest = np.empty_like(result)
    rest[...] = grad_output
    left, target = rest.view(bits), spread.view(bits)
    for tap in np.ndindex(kernel):
        parts = zip(tap, spatial, kernel, strict=True)
        places: Any = (
            ...,
            *(slice(place, size // each * each, each) for place, size, each in parts),
        )
        if all(place == size - 1 for place, size in zip(tap, kernel, strict=True)):
            target[places] = left
            break
        own = left * (input[places] == result).view(np.int8)
        target[places] = own
        left -= own
    return spread


def spatial_of(name: str, ndim: int, input: Tensor) -> Sizes:
    """Return the sizes of the pooled dimensions."""
    shape = input.array.shape
    if len(shape) not in (ndim + 1, ndim + 2) or 0 in shape[len(shape) - ndim - 1 :]:
        raise RuntimeError(
            f"{name}: Expected {ndim + 1}D or {ndim + 2}D (batch mode) tensor with optional 0 dim "
            f"batch size for input, but got:{list(shape)}"
        )
    return shape[len(shape) - ndim :]


def windows_of(
    name: str,
    ndim: int,
    input: Tensor,
    kernel_size: Steps,
    stride: Steps | None,
    padding: Steps,
    dilation: Steps,
    ceil_mode: bool,
) -> list[tuple[int, int, int, int, int, int]]:
    """Check the window parameters.

    Returns:
        For each dimension: size, window, stride, padding, dilation and number of windows.
    """
    kernel = per_dim(kernel_size, ndim, name, "kernel_size")
    steps = stride_or(kernel, stride, name)
    pads = per_dim(padding, ndim, name, "padding")
    spread = per_dim(dilation, ndim, name, "dilation")
    _check_window(kernel, steps, pads, spread)
    spatial = spatial_of(name, ndim, input)
    windows = [
        (*each, pooled_size(*each, ceil_mode))
        for each in zip(spatial, kernel, steps, pads, spread, strict=True)
    ]
    output = [each[-1] for each in windows]
    if min(output) <= 0:
        raise RuntimeError(
            f"Given input size: {list(spatial)}. Calculated output size: {output}. Output size is "
            f"too small. Invalid computed output size: {min(output)}"
        )
    return windows


def _check_window(kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> None:
    """Raise an error for invalid window parameters."""
    if min(kernel) <= 0:
        raise RuntimeError(f"kernel_size must be greater than zero, but got {min(kernel)}")
    if min(stride) <= 0:
        raise RuntimeError(f"stride must be greater than zero, but got {min(stride)}")
    if min(dilation) <= 0:
        raise RuntimeError(f"dilation must be greater than zero, but got {min(dilation)}")
    if min(padding) < 0:
        raise RuntimeError(f"pad must be non-negative, but got pad: {min(padding)}")
    for pad, size, step in zip(padding, kernel, dilation, strict=True):
        if pad > size // 2:
            raise RuntimeError(
                "pad should be at most half of effective kernel size, but got "
                f"pad={pad}, kernel_size={size} and dilation={step}"
            )


def _max_pool(
    ndim: int,
    input: Tensor,
    kernel_size: Steps,
    stride: Steps | None,
    padding: Steps,
    dilation: Steps,
    ceil_mode: bool,
    return_indices: bool,
) -> Any:
    name = f"max_pool{ndim}d"
    windows = windows_of(name, ndim, input, kernel_size, stride, padding, dilation, ceil_mode)
    taps = tuple([window_taps(*each) for each in windows])
    if return_indices:
        return _max_windows(input, taps)
    is_tiling = input.array.dtype.kind == "f" and all(
        kernel == step and not pad and spread == 1 and count == size // kernel
        for size, kernel, step, pad, spread, count in windows
    )
    return _max_values(input, taps, is_tiling)


def _adaptive_max_pool(ndim: int, input: Tensor, output_size: Any, return_indices: bool) -> Any:
    name = f"adaptive_max_pool{ndim}d"
    output = adaptive_output(name, ndim, input, output_size)
    spatial = spatial_of(name, ndim, input)
    taps = tuple(adaptive_taps(size, each) for size, each in zip(spatial, output, strict=True))
    return _max_windows(input, taps) if return_indices else _max_values(input, taps, False)


def adaptive_output(name: str, ndim: int, input: Tensor, output_size: Any) -> Sizes:
    """Return the output size of each dimension; None keeps the input size."""
    shape = input.array.shape
    wanted = [output_size] * ndim if isinstance(output_size, int) or output_size is None else (
        list(output_size))  # fmt: skip
    if len(wanted) == 1:
        wanted *= ndim
    if len(shape) <= len(wanted):
        raise ValueError(f"Input dimension should be at least {len(wanted) + 1}")
    if len(wanted) != ndim:
        raise RuntimeError(f"{name}: internal error: output_size.size() must be {ndim}")
    output = tuple(
        shape[place - ndim] if each is None else int(each) for place, each in enumerate(wanted)
    )
    if min(output) < 0:
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {min(output)}: {list(output)}"
        )
    return output


@primitive(self=lambda grad, index, ndim: gather_places(grad, index, ndim))
def _put_places(self: Array, index: Array, ndim: int, spatial: Sizes) -> Array:
    """Scatter elements to flat indices; the others are zero."""
    batch = self.shape[: self.ndim - ndim]
    result = np.zeros((*batch, int(np.prod(spatial))), self.dtype)
    flat = (*batch, -1) if self.size else result.shape
    np.put_along_axis(result, index.reshape(flat), self.reshape(flat), -1)
    return result.reshape(*batch, *spatial)


def _max_unpool(
    ndim: int,
    input: Tensor,
    indices: Tensor,
    kernel_size: Steps,
    stride: Steps | None,
    padding: Steps,
    output_size: Any,
) -> Tensor:
    name, shape = f"max_unpool{ndim}d", input.array.shape
    kernel = per_dim(kernel_size, ndim, name, "kernel_size")
    steps = stride_or(kernel, stride, name)
    pads = per_dim(padding, ndim, name, "padding")
    default = [
        (shape[place - ndim] - 1) * steps[place] + kernel[place] - 2 * pads[place]
        for place in range(ndim)
    ]
    spatial = default if output_size is None else list(output_size)
    if len(spatial) == ndim + 2:
        spatial = spatial[2:]
    if len(spatial) != ndim:
        raise ValueError(
            f"output_size should be a sequence containing {ndim} or {ndim + 2} elements, but it "
            f"has a length of '{len(spatial)}'"
        )
    for place, (size, usual) in enumerate(zip(spatial, default, strict=True)):
        low, high = usual - steps[place], usual + steps[place]
        if not low < size < high:
            raise ValueError(
                f'invalid output_size "{spatial}" (dim {place} must be between {low} and {high})'
            )
    if indices.array.shape != shape:
        raise RuntimeError(
            f"Expected shape of indices to be: {list(shape)} but got: {list(indices.shape)}"
        )
    numbers, count = indices.array, int(np.prod(spatial))
    if numbers.size and (numbers.min() < 0 or numbers.max() >= count):
        wrong = numbers.max() if numbers.max() >= count else numbers.min()
        raise RuntimeError(f"Found an invalid max index: {wrong} (output volumes are {spatial})")
    return _put_places(input, indices, ndim, tuple(spatial))


BOTH, ALONE = ("torch", "nn.functional"), ("nn.functional",)


def _define(ndim: int) -> None:
    """Register ``max_unpool`` and the max pools for ``ndim`` dimensions."""

    def max_unpool(
        input: Tensor,
        indices: Tensor,
        kernel_size: Steps,
        stride: Steps | None = None,
        padding: Steps = 0,
        output_size: Any = None,
    ) -> Tensor:
        """Scatter maxima to their original positions, among zeros."""
        return _max_unpool(ndim, input, indices, kernel_size, stride, padding, output_size)

    op(*ALONE)(named(max_unpool, f"max_unpool{ndim}d"))
    _define_maxima(ndim, always=False)
    _define_maxima(ndim, always=True)


def _define_maxima(ndim: int, *, always: bool) -> None:
    """Register the max pools; with ``always`` they also return the indices."""

    def max_pool(
        input: Tensor,
        kernel_size: Steps,
        stride: Steps | None = None,
        padding: Steps = 0,
        dilation: Steps = 1,
        ceil_mode: bool = False,
        return_indices: bool = always,
    ) -> Any:
        """Apply max pooling over the last dimensions."""
        finds = always or return_indices
        return _max_pool(ndim, input, kernel_size, stride, padding, dilation, ceil_mode, finds)

    def adaptive_max_pool(input: Tensor, output_size: Any, return_indices: bool = always) -> Any:
        """Apply max pooling with a given output size."""
        return _adaptive_max_pool(ndim, input, output_size, always or return_indices)

    suffix = f"{ndim}d_with_indices" if always else f"{ndim}d"
    op(*(ALONE if always and ndim > 1 else BOTH))(named(max_pool, f"max_pool{suffix}"))
    op(*ALONE)(named(adaptive_max_pool, f"adaptive_max_pool{suffix}"))
    if always and ndim == 1:
        # ``torch.adaptive_max_pool1d`` returns both, although its name does not say so.
        op("torch", name="adaptive_max_pool1d")(adaptive_max_pool)


for _ndim in (1, 2, 3):
    _define(_ndim)
