"""Image patches and channel shuffling: unfold, fold, pixel_shuffle, channel_shuffle."""

from __future__ import annotations

import math

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.sliding import Sizes, Steps
from torchstone.microtorch.tensor import Array, Tensor

# Kernel, dilation, padding and stride, each for two dimensions.
Window = tuple[Sizes, Sizes, Sizes, Sizes]


def _blocks(spatial: Sizes, window: Window) -> Sizes:
    """Return the number of patches along each dimension."""
    parts = zip(spatial, *window, strict=True)
    return tuple((s + 2 * p - d * (k - 1) - 1) // step + 1 for s, k, d, p, step in parts)


def _unfold_rule(grad: Tensor, self_shape: Sizes, window: Window) -> Tensor:
    return _fold(grad, self_shape[2:], window)


@primitive(self=_unfold_rule)
def _unfold(self: Array, window: Window) -> Array:
    kernel, dilation, padding, stride = window
    padded = np.pad(self, ((0, 0), (0, 0), *((each, each) for each in padding)))
    reach = tuple(d * (k - 1) + 1 for k, d in zip(kernel, dilation, strict=True))
    view = sliding_window_view(padded, reach, axis=(2, 3))
    view = view[:, :, :: stride[0], :: stride[1], :: dilation[0], :: dilation[1]]
    channels, places = self.shape[1] * math.prod(kernel), math.prod(view.shape[2:4])
    return view.transpose(0, 1, 4, 5, 2, 3).reshape(len(self), channels, places)


@primitive(self=lambda grad, window: _unfold(grad, window))
def _fold(self: Array, spatial: Sizes, window: Window) -> Array:
    kernel, dilation, padding, stride = window
    blocks = _blocks(spatial, window)
    channels = self.shape[1] // math.prod(kernel)
    patches = self.reshape(len(self), channels, *kernel, *blocks)
    sizes = (size + 2 * pad for size, pad in zip(spatial, padding, strict=True))
    image = np.zeros((len(self), channels, *sizes), self.dtype)
    for tap in np.ndindex(kernel):
        rows, columns = (
            slice(start := tap[d] * dilation[d], start + (blocks[d] - 1) * stride[d] + 1, stride[d])
            for d in (0, 1)
        )
        image[:, :, rows, columns] += patches[:, :, *tap]
    inside = (slice(pad, pad + size) for pad, size in zip(padding, spatial, strict=True))
    return np.ascontiguousarray(image[:, :, *inside])


def _pair(value: Steps, name: str) -> Sizes:
    pair = (value, value) if isinstance(value, int) else tuple(int(each) for each in value)
    if len(pair) == 1:
        pair *= 2
    if len(pair) != 2:
        raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(pair)}")
    return pair


def _window(kernel: Steps, dilation: Steps, padding: Steps, stride: Steps) -> Window:
    window = (
        _pair(kernel, "kernel_size"), _pair(dilation, "dilation"), _pair(padding, "padding"),
        _pair(stride, "stride"),
    )  # fmt: skip
    for each, what in zip(window, ("kernel size", "dilation", None, "stride"), strict=True):
        if what is not None and min(each) <= 0:
            raise RuntimeError(f"{what} should be greater than zero, but got {each}")
        if what is None and min(each) < 0:
            raise RuntimeError(f"padding should be non-negative, but got {each}")
    return window


@op("nn.functional")
def unfold(
    input: Tensor, kernel_size: Steps, dilation: Steps = 1, padding: Steps = 0, stride: Steps = 1
) -> Tensor:
    """Arrange every patch of an image as a column (im2col).

    Shapes:
        input: ([N,] C, H, W) -> ([N,] C * kernel, places).
    """
    window, shape = _window(kernel_size, dilation, padding, stride), input.array.shape
    if len(shape) not in (3, 4) or 0 in shape[-3:]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {list(shape)}"
        )
    blocks = _blocks(shape[-2:], window)
    if min(blocks) < 1:
        raise RuntimeError(
            f"Given input with spatial size {shape[-2:]}, kernel_size={window[0]}, "
            f"dilation={window[1]}, padding={window[2]}, calculated shape of the array of sliding "
            f"blocks as {blocks}, but its components must be at least one."
        )
    if len(shape) == 3:
        return _unfold(input.unsqueeze(0), window).squeeze(0)
    return _unfold(input, window)


@op("nn.functional")
def fold(
    input: Tensor,
    output_size: Steps,
    kernel_size: Steps,
    dilation: Steps = 1,
    padding: Steps = 0,
    stride: Steps = 1,
) -> Tensor:
    """Sum columns into an image at the positions of their patches (col2im).

    Shapes:
        input: ([N,] C * kernel, places) -> ([N,] C, *output_size).
    """
    window, shape = _window(kernel_size, dilation, padding, stride), input.array.shape
    spatial = _pair(output_size, "output_size")
    if len(shape) not in (2, 3) or 0 in shape[-2:]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and "
            f"non-zero dimensions for input, but got: {list(shape)}"
        )
    if shape[-2] % math.prod(window[0]):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, "
            f"but got input.size(1)={shape[-2]} and kernel_size={window[0]}."
        )
    blocks = _blocks(spatial, window)
    if min(blocks) < 1 or math.prod(blocks) != shape[-1]:
        raise RuntimeError(
            f"Given output_size={spatial}, kernel_size={window[0]}, dilation={window[1]}, "
            f"padding={window[2]}, stride={window[3]}, expected size of input's dimension 2 to "
            f"match the calculated number of sliding blocks {blocks[0]} * {blocks[1]} = "
            f"{math.prod(blocks)}, but got input.size(2)={shape[-1]}."
        )
    if len(shape) == 2:
        return _fold(input.unsqueeze(0), spatial, window).squeeze(0)
    return _fold(input, spatial, window)


def _check_shuffle(name: str, input: Tensor, factor: int, what: str) -> None:
    if input.array.ndim < 3:
        raise RuntimeError(
            f"{name} expects input to have at least 3 dimensions, but got input with "
            f"{input.array.ndim} dimension(s)"
        )
    if factor <= 0:
        raise RuntimeError(f"{name} expects a positive {what}, but got {factor}")


@op("torch", "nn.functional")
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Rearrange groups of channels into blocks of pixels, enlarging the image.

    Shapes:
        input: (*batch, C * r * r, H, W) -> (*batch, C, H * r, W * r), where r is the factor.
    """
    r = upscale_factor
    _check_shuffle("pixel_shuffle", input, r, "upscale_factor")
    *batch, channels, height, width = input.array.shape
    if channels % (r * r):
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square "
            f"of upscale_factor, but input.size(-3)={channels} is not divisible by {r * r}"
        )
    blocks = input.reshape(*batch, channels // (r * r), r, r, height, width)
    b = len(batch)
    blocks = blocks.permute(*range(b + 1), b + 3, b + 1, b + 4, b + 2)
    return blocks.reshape(*batch, channels // (r * r), height * r, width * r)


@op("torch", "nn.functional")
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Rearrange blocks of pixels into groups of channels: the inverse of ``pixel_shuffle``.

    Shapes:
        input: (*batch, C, H * r, W * r) -> (*batch, C * r * r, H, W), where r is the factor.
    """
    r = downscale_factor
    _check_shuffle("pixel_unshuffle", input, r, "downscale_factor")
    *batch, channels, height, width = input.array.shape
    for what, size, dim in (("height", height, -2), ("width", width, -1)):
        if size % r:
            raise RuntimeError(
                f"pixel_unshuffle expects {what} to be divisible by downscale_factor, but "
                f"input.size({dim})={size} is not divisible by {r}"
            )
    blocks = input.reshape(*batch, channels, height // r, r, width // r, r)
    b = len(batch)
    blocks = blocks.permute(*range(b + 1), b + 2, b + 4, b + 1, b + 3)
    return blocks.reshape(*batch, channels * r * r, height // r, width // r)


@op("torch", "nn.functional")
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Interleave the channels of the groups.

    Shapes:
        input: (N, C, *spatial) -> the same shape.
    """
    shape = input.array.shape
    if len(shape) <= 2:
        raise RuntimeError(
            f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(shape)}"
        )
    if groups <= 0:
        raise RuntimeError(
            f"Number of groups to divide channels in must be positive. Value of groups:{groups}"
        )
    if shape[1] % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {shape[1]} channels and {groups} "
            "groups."
        )
    grouped = input.reshape(shape[0], groups, shape[1] // groups, *shape[2:])
    return grouped.transpose(1, 2).reshape(shape)
