"""All pixels of a sample at once, by advanced indexing with one index for each dimension."""

import torch


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=False):
    if mode not in {"bilinear", "nearest", "bicubic"}:
        raise ValueError(f"unknown mode {mode}")
    if padding_mode not in {"zeros", "border", "reflection"}:
        raise ValueError(f"unknown padding mode {padding_mode}")
    n_space = input.dim() - 2
    if n_space not in (2, 3) or grid.dim() != input.dim() or grid.size(-1) != n_space:
        raise ValueError("input and grid have other ranks")
    if mode == "bicubic" and n_space == 3:
        raise ValueError("bicubic needs a 4-D input")
    if input.size(0) != grid.size(0) or input.dtype is not grid.dtype:
        raise ValueError("input and grid have other batches or dtypes")
    sizes = list(input.shape[2:])
    if min(sizes) == 0:
        raise ValueError("an image without pixels")

    weight, indices = None, []
    for axis, size in enumerate(sizes):
        g = grid[..., n_space - 1 - axis]
        position = 0.5 * ((g + 1) * (size - 1) if align_corners else (g + 1) * size - 1)
        index, inside, factor = look_up(position, size, mode, padding_mode, align_corners)
        # A dimension of its own for the pixels along each axis, behind those of the samples.
        taps = index.shape[-1]
        shape = [*index.shape[:-1], *(taps if k == axis else 1 for k in range(n_space))]
        index, inside, factor = (each.reshape(shape) for each in (index, inside, factor))
        indices.append(index)
        factor = factor.where(inside, factor.new_zeros(()))
        weight = factor if weight is None else weight * factor
    batch = torch.arange(len(input)).reshape(-1, *[1] * (weight.dim() - 1))
    # The channels are the first dimension, so that all indices stand together.
    values = input.transpose(0, 1)[(slice(None), batch, *indices)]
    return (values * weight).flatten(-n_space).sum(-1).transpose(0, 1)


def look_up(position, size, mode, padding_mode, align_corners):
    if mode == "nearest":
        position = inside_of(position, size, padding_mode, align_corners)
        whole = position.detach().round()
        # Zeros for the grid: its gradient exists.
        flat = torch.where(position.isfinite(), position, 0.0)
        return *legal(whole[..., None], size), 1 + (flat * 0)[..., None]
    if mode == "bilinear":
        position = inside_of(position, size, padding_mode, align_corners)
    position = position.clamp(-1e6, 1e6)
    base = position.detach().floor()
    fraction = (position - base)[..., None]
    if mode == "bilinear":
        offsets = torch.arange(2)
        factor = torch.cat([1 - fraction, fraction], -1)
    else:
        offsets = torch.arange(-1, 3)
        powers = torch.cat([torch.ones_like(fraction), fraction, fraction**2, fraction**3], -1)
        # Columns are the four weights, rows the powers of the fraction, for a = -3/4.
        matrix = position.new_tensor(
            [
                [0.0, 1.0, 0.0, 0.0],
                [-0.75, 0.0, 0.75, 0.0],
                [1.5, -2.25, 1.5, -0.75],
                [-0.75, 1.25, -1.25, 0.75],
            ]
        )
        factor = powers @ matrix
    whole = base[..., None] + offsets
    if mode == "bicubic":
        whole = inside_of(whole, size, padding_mode, align_corners)
    return *legal(whole, size), factor


def legal(whole, size):
    inside = (whole > -1) & (whole < size)
    return torch.where(inside, whole, 0.0).long(), inside


def inside_of(position, size, padding_mode, align_corners):
    if padding_mode == "zeros":
        return position
    if padding_mode == "reflection":
        first, last = (0.0, size - 1.0) if align_corners else (-0.5, size - 0.5)
        if first == last:
            return torch.zeros_like(position) * position
        away = (position - first).abs()
        bounces = (away.detach() / (last - first)).floor()
        rest = away - bounces * (last - first)
        position = torch.where(bounces % 2 == 0, first + rest, last - rest)
    return position.clamp(min=0, max=size - 1)
