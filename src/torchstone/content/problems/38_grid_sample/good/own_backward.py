"""One autograd.Function for the reads, with a backward of its own that adds and can be repeated."""

from typing import Any

import torch
from torch import Tensor


class Read(torch.autograd.Function):
    """Return pixels (N, C, P) of a flat image (N, C, K)."""

    @staticmethod
    def forward(ctx: Any, pixels: Tensor, index: Tensor) -> Tensor:
        ctx.save_for_backward(index)
        ctx.num_pixels = pixels.shape[2]
        batch, channel = (torch.arange(size) for size in pixels.shape[:2])
        return pixels[batch[:, None, None], channel[:, None], index[:, None]]

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        (index,) = ctx.saved_tensors
        return Add.apply(grad, index, ctx.num_pixels), None


class Add(torch.autograd.Function):
    """Add values (N, C, P) into flat images (N, C, K): the transpose of reading."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, index: Tensor, num_pixels: int) -> Tensor:
        ctx.save_for_backward(index)
        N, C, _ = values.shape
        total = torch.zeros(N, C, num_pixels, dtype=values.dtype)
        for image, some, where in zip(total, values, index, strict=True):
            image.index_add_(1, where, some)
        return total

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        (index,) = ctx.saved_tensors
        return Read.apply(grad, index), None, None


class Round(torch.autograd.Function):
    """Round to the nearest pixel; no motion of the position shows."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return torch.round(x)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        return torch.zeros_like(grad)


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = False,
) -> Tensor:
    validate(input, grid, mode, padding_mode)
    N, C, *sizes = input.shape
    count = grid.shape[1:-1].numel()
    coordinates = grid.reshape(N, count, len(sizes))
    total = input.new_zeros(N, C, count)
    pixels = input.reshape(N, C, torch.Size(sizes).numel())
    stack = [(torch.zeros(N, count, dtype=torch.long), None, 0)]
    while stack:
        index, weight, axis = stack.pop()
        if axis == len(sizes):
            total = total + Read.apply(pixels, index) * weight.unsqueeze(1)
            continue
        size = sizes[axis]
        g = coordinates[..., len(sizes) - 1 - axis]
        for pixel, factor in neighbours(g, size, mode, padding_mode, align_corners):
            exists = (pixel >= 0) & (pixel < size)
            factor = torch.where(exists, factor, torch.zeros_like(factor))
            both = factor if weight is None else weight * factor
            stack.append((index * size + torch.where(exists, pixel, 0).long(), both, axis + 1))
    return total.reshape(N, C, *grid.shape[1:-1])


def neighbours(g: Tensor, size: int, mode: str, padding_mode: str, align: bool):
    if padding_mode == "zeros":
        # What is ten images away is as good as what is at infinity.
        g = torch.where(g.abs() < 10 + 10 / size, g, 20.0 * torch.sign(g.detach()))
    x = (g + 1) * (size - 1) * 0.5 if align else (g + 1) * size * 0.5 - 0.5
    if mode == "nearest":
        x = Round.apply(settle(x, size, padding_mode, align))
        # The weight is 1, and knows the position.
        yield x.detach(), (x - x.detach()) + 1
    elif mode == "bilinear":
        x = settle(x, size, padding_mode, align)
        left = torch.floor(x.detach())
        yield left, 1 - (x - left)
        yield left + 1, x - left
    else:
        left = torch.floor(x.detach())
        t = x - left
        for step in range(-1, 3):
            yield settle(left + step, size, padding_mode, align), kernel((t - step).abs())


def settle(x: Tensor, size: int, padding_mode: str, align: bool) -> Tensor:
    if padding_mode == "reflection":
        period = 2 * (size - 1) if align else 2 * size
        if period == 0:
            return x * 0
        start = 0.0 if align else -0.5
        turns = torch.floor((x.detach() - start) / period)
        x = x - turns * period
        x = torch.where(x - start > period / 2, 2 * start + period - x, x)
    if padding_mode != "zeros":
        x = torch.minimum(torch.maximum(x, x.new_zeros(())), x.new_tensor(size - 1))
    return x


def kernel(d: Tensor) -> Tensor:
    return torch.where(
        d <= 1,
        (1.25 * d - 2.25) * d * d + 1,
        ((-0.75 * d + 3.75) * d - 6) * d + 3,
    )


def validate(input: Tensor, grid: Tensor, mode: str, padding_mode: str) -> None:
    problems = []
    if mode not in ("bilinear", "nearest", "bicubic"):
        problems.append(f"mode {mode!r}")
    if padding_mode not in ("zeros", "border", "reflection"):
        problems.append(f"padding_mode {padding_mode!r}")
    if not 4 <= input.ndim <= 5 or grid.ndim != input.ndim:
        problems.append("the number of dimensions")
    elif grid.shape[-1] != input.ndim - 2 or len(grid) != len(input):
        problems.append("the shape of grid")
    elif mode == "bicubic" and input.ndim == 5:
        problems.append("bicubic in 5-D")
    if input.dtype != grid.dtype:
        problems.append("the dtypes")
    if input[:0].shape[2:].numel() == 0:
        problems.append("an image without pixels")
    if problems:
        raise ValueError("; ".join(problems))
