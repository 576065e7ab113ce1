"""Computes in float64, with index_select on one long row of pixels."""

import itertools

import torch


def _refuse(conditions):
    reasons = [why for why, is_wrong in conditions.items() if is_wrong]
    if reasons:
        raise ValueError(", ".join(reasons))


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=False):
    taps_of = {"bilinear": linear_taps, "nearest": nearest_taps, "bicubic": cubic_taps}
    _refuse(
        {
            "mode": mode not in taps_of,
            "padding_mode": padding_mode not in ("zeros", "border", "reflection"),
            "ndim": input.ndim not in (4, 5) or grid.ndim != input.ndim,
        }
    )
    _refuse(
        {
            "bicubic is for 4-D": input.ndim == 5 and mode == "bicubic",
            "the last dimension of grid": grid.shape[-1] != input.ndim - 2,
            "batch": grid.shape[0] != input.shape[0],
            "dtype": grid.dtype != input.dtype,
            "no pixels": min(input.shape[2:]) == 0,
        }
    )
    N, C = input.shape[:2]
    sizes = input.shape[2:]
    shape = (N, C, *grid.shape[1:-1])
    # (C, N * pixels), and positions of all images in one row.
    row = input.double().transpose(0, 1).reshape(C, N * sizes.numel())
    places = grid.double().reshape(N * grid.shape[1:-1].numel(), len(sizes))
    per_image = grid.shape[1:-1].numel()
    image = torch.arange(N).repeat_interleave(per_image)
    axes = []
    for k, size in enumerate(sizes):
        g = places[:, len(sizes) - 1 - k]
        x = g.add(1).mul(size - 1).div(2) if align_corners else g.add(1).mul(size).sub(1).div(2)
        axes.append(taps_of[mode](x, size, padding_mode, align_corners))
    out = row.new_zeros(C, N * per_image)
    for taps in itertools.product(*axes):
        index, weight = image, 1.0
        for (pixel, factor), size in zip(taps, sizes, strict=True):
            outside = (pixel < 0) | (pixel >= size)
            index = index * size + pixel.clamp(0, size - 1).long()
            weight = weight * factor.masked_fill(outside, 0)
        out = out + row.index_select(1, index) * weight
    return out.to(input.dtype).reshape(C, N, *grid.shape[1:-1]).transpose(0, 1).reshape(shape)


def back(x, size, padding_mode, align_corners):
    if padding_mode == "reflection":
        if align_corners and size == 1:
            return x * 0
        half, edge = (size - 1, 0.0) if align_corners else (size, 0.5)
        x = (x + edge).abs()
        x = torch.fmod(x, 2 * half)
        x = torch.where(x > half, 2 * half - x, x) - edge
    return x if padding_mode == "zeros" else torch.clamp(x, 0, size - 1)


def nearest_taps(x, size, *how):
    x = back(x, size, *how)
    zero = (x * 0).nan_to_num()
    return [(x.detach().round(), 1 + zero)]


def linear_taps(x, size, *how):
    x = back(x, size, *how).clip(-9, size + 9)
    left = x.detach().floor()
    return [(left, left + 1 - x), (left + 1, x - left)]


def cubic_taps(x, size, *how):
    if how[0] != "reflection":
        x = x.clip(-9, size + 9)
    left = x.detach().floor()
    taps = []
    for k in (-1, 0, 1, 2):
        d = (x - left - k).abs()
        if k in (0, 1):
            weight = 1.25 * d**3 - 2.25 * d**2 + 1
        else:
            weight = -0.75 * (d - 1) * (d - 2) ** 2
        taps.append((back(left + k, size, *how), weight))
    return taps
