import itertools

import torch
from torch import Tensor

CUBIC = -0.75


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = False,
) -> Tensor:
    _check(input, grid, mode, padding_mode)
    sizes = input.shape[2:]
    places = grid.flatten(1, -2).unbind(-1)
    # The first coordinate runs along the last dimension of the image.
    axes = [
        _taps(place, size, mode, padding_mode, align_corners)
        for place, size in zip(places, reversed(sizes), strict=True)
    ]
    pixels = input.flatten(2)
    out = torch.zeros((), dtype=input.dtype)
    for taps in itertools.product(*axes):
        index, weight, stride = 0, 1, 1
        for (position, factor), size in zip(taps, reversed(sizes), strict=True):
            index, weight, stride = index + stride * position, weight * factor, stride * size
        index = index[:, None].expand(-1, input.shape[1], -1)
        out = out + pixels.gather(2, index) * weight[:, None]
    return out.reshape(*input.shape[:2], *grid.shape[1:-1])


def _taps(
    g: Tensor, size: int, mode: str, padding_mode: str, align_corners: bool
) -> list[tuple[Tensor, Tensor]]:
    """List the pixels along one axis that a sample reads, each with its weight."""
    x = (g + 1) / 2 * (size - 1) if align_corners else ((g + 1) * size - 1) / 2
    if padding_mode != "reflection":
        # Further outside nothing changes any more, and no weight is computed from inf.
        x = x.clamp(-3, size + 2)
    if mode != "bicubic":
        x = _pad(x, size, padding_mode, align_corners)
    if mode == "nearest":
        # A graph to the grid, through which zeros flow.
        return [_select(x.round(), 1 + 0 * x, size)]
    low = x.floor().detach()
    t = x - low
    if mode == "bilinear":
        return [_select(low, 1 - t, size), _select(low + 1, t, size)]
    weights = [_outer(1 + t), _inner(t), _inner(1 - t), _outer(2 - t)]
    return [
        _select(_pad(low + k, size, padding_mode, align_corners), weight, size)
        for k, weight in enumerate(weights, start=-1)
    ]


def _pad(x: Tensor, size: int, padding_mode: str, align_corners: bool) -> Tensor:
    if padding_mode == "zeros":
        return x
    if padding_mode == "reflection":
        low, span = (0.0, size - 1) if align_corners else (-0.5, size)
        if span == 0:
            return 0 * x
        x = low + span - ((x - low) % (2 * span) - span).abs()
    return x.clamp(0, size - 1)


def _select(position: Tensor, weight: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """Give a pixel outside the weight 0, and an index that is legal."""
    inside = (position >= 0) & (position <= size - 1)
    return position.clamp(0, size - 1).long(), torch.where(inside, weight, 0.0)


def _inner(d: Tensor) -> Tensor:
    """Return the cubic kernel at distances d from 0 to 1."""
    return ((CUBIC + 2) * d - (CUBIC + 3)) * d * d + 1


def _outer(d: Tensor) -> Tensor:
    """Return the cubic kernel at distances d from 1 to 2."""
    return ((CUBIC * d - 5 * CUBIC) * d + 8 * CUBIC) * d - 4 * CUBIC


def _check(input: Tensor, grid: Tensor, mode: str, padding_mode: str) -> None:
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ValueError(f"grid_sample: mode {mode!r} is not bilinear, nearest or bicubic.")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError(
            f"grid_sample: padding_mode {padding_mode!r} is not zeros, border or reflection."
        )
    rank = input.ndim
    if rank not in (4, 5) or grid.ndim != rank or (mode == "bicubic" and rank == 5):
        raise ValueError(
            f"grid_sample: {mode} takes no input of {rank} and grid of {grid.ndim} dimensions."
        )
    if grid.shape[-1] != rank - 2 or grid.shape[0] != input.shape[0]:
        raise ValueError(
            f"grid_sample: a grid {tuple(grid.shape)} does not fit an input {tuple(input.shape)}."
        )
    if input.dtype != grid.dtype:
        raise ValueError(f"grid_sample: got {input.dtype} and {grid.dtype}; use one dtype.")
    if 0 in input.shape[2:]:
        raise ValueError(f"grid_sample: an input {tuple(input.shape)} has no pixel.")
