"""Zeros, edges or mirror images are put around the image, so that no sample is ever outside."""

import torch
import torch.nn.functional as F
from torch import Tensor

# Cubic samples reach two pixels beyond their own.
RING = 4


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = False,
) -> Tensor:
    dims = input.ndim - 2
    expect(mode in ("bilinear", "nearest", "bicubic"), "mode")
    expect(padding_mode in ("zeros", "border", "reflection"), "padding_mode")
    expect(dims in (2, 3) and grid.ndim == dims + 2, "the number of dimensions")
    expect(dims == 2 or mode != "bicubic", "bicubic in 5-D")
    expect(grid.shape[-1] == dims and len(grid) == len(input), "the shape of grid")
    expect(grid.dtype == input.dtype, "the dtype of grid")
    sizes = input.shape[2:]
    expect(sizes.numel() > 0, "the size of input")

    ringed = input
    for axis, size in enumerate(sizes, start=2):
        if padding_mode == "zeros":
            edges = [0] * (2 * input.ndim)
            edges[2 * (input.ndim - 1 - axis)] = edges[2 * (input.ndim - 1 - axis) + 1] = RING
            ringed = F.pad(ringed, edges)
        else:
            around = torch.arange(-RING, size + RING)
            if padding_mode == "reflection":
                around = mirror(around, size, align_corners)
            ringed = ringed.index_select(axis, around.clamp(0, size - 1))
    axes = []
    for g, size in zip(grid.unbind(-1), sizes[::-1], strict=True):
        scale = size - 1 if align_corners else size
        at = g * (scale / 2) + (size - 1) / 2
        if padding_mode == "reflection":
            at = fold(at, size, align_corners, mode)
        elif padding_mode == "border" and mode != "bicubic":
            at = at.clamp(0, size - 1)
        axes.append(RING + at.clamp(-RING + 1, size + RING - 3))
    return interpolate(ringed, axes[::-1], mode)


def expect(fits: bool, what: str) -> None:
    if not fits:
        raise ValueError(f"grid_sample: {what} is wrong")


def mirror(pixel: Tensor, size: int, align_corners: bool) -> Tensor:
    while ((pixel < 0) | (pixel >= size)).any() and not (align_corners and size == 1):
        twice = 0 if align_corners else 1
        pixel = torch.where(pixel < 0, -pixel - twice, pixel)
        pixel = torch.where(pixel >= size, 2 * size - 2 + twice - pixel, pixel)
    return pixel


def fold(at: Tensor, size: int, align_corners: bool, mode: str) -> Tensor:
    """Move a position to the middle one of the mirrored images."""
    low, span = (0.0, size - 1.0) if align_corners else (-0.5, float(size))
    if span == 0:
        return at * 0
    phase = torch.remainder(at - low, 2 * span)
    at = low + torch.minimum(phase, 2 * span - phase)
    # The ring shows what lies beyond the outermost centres; only rounding needs the clip.
    return at.clamp(0, size - 1) if mode == "nearest" else at


def interpolate(image: Tensor, axes: list[Tensor], mode: str) -> Tensor:
    """Read along the last axis, then along the one before it, and so on, for every sample."""
    sizes, count = image.shape[2:], axes[0].shape[1:].numel()
    pixels = image.flatten(2)
    shape = (*image.shape[:2], *axes[0].shape[1:])
    flat = [axis.flatten(1) for axis in axes]

    def read(done: int, index: Tensor | int) -> Tensor:
        if done == len(flat):
            index = index.unsqueeze(1).expand(len(image), image.shape[1], count)
            return torch.take_along_dim(pixels, index, 2)
        at = flat[done]
        if mode == "nearest":
            # Half to even counts from the first pixel of the image, and the ring is even.
            return read(done + 1, index * sizes[done] + at.round().long()) + 0 * at.unsqueeze(1)
        low = at.detach().floor()
        t = at - low
        total = 0
        for k, weight in enumerate(weights(t, mode), start=0 if mode == "bilinear" else -1):
            inner = read(done + 1, index * sizes[done] + low.long() + k)
            total = total + weight.unsqueeze(1) * inner
        return total

    return read(0, 0).reshape(shape)


def weights(t: Tensor, mode: str) -> list[Tensor]:
    if mode == "bilinear":
        return [1 - t, t]
    a = -0.75
    u = 1 - t
    return [
        a * t * u * u,
        1 - (a + 3) * t * t + (a + 2) * t * t * t,
        1 - (a + 3) * u * u + (a + 2) * u * u * u,
        a * u * t * t,
    ]
