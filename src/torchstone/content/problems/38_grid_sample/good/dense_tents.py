"""Each axis as a matrix of weights, most of them zero; a sample is a product of matrices."""

import torch
from torch import Tensor


class Axis:
    """Turn coordinates into rows of weights over all the pixels of one axis."""

    def __init__(self, size: int, padding: str, aligned: bool) -> None:
        self.size, self.padding, self.aligned = size, padding, aligned
        self.pixels = torch.arange(size)

    def position(self, g: Tensor) -> Tensor:
        width = self.size - 1 if self.aligned else self.size
        return (g * width + (self.size - 1)) / 2

    def wrap(self, x: Tensor) -> Tensor:
        """Bring a position back, as the padding wants it."""
        if self.padding == "reflection":
            width = self.size - 1 if self.aligned else self.size
            if width == 0:
                return 0 * x.clamp(-1, 1)
            offset = 0.0 if self.aligned else 0.5
            turns = (x.detach() + offset).div(2 * width).round()
            x = (x + offset - 2 * width * turns).abs() - offset
        return x if self.padding == "zeros" else x.clamp(0, self.size - 1)

    def nearest(self, g: Tensor) -> Tensor:
        x = self.wrap(self.position(g))
        chosen = (x.detach().round()[..., None] == self.pixels).to(g.dtype)
        return chosen + 0 * g.clamp(-1, 1)[..., None]

    def bilinear(self, g: Tensor) -> Tensor:
        x = self.wrap(self.position(g)).clamp(-2, self.size + 1)
        return (1 - (x[..., None] - self.pixels).abs()).relu()

    def bicubic(self, g: Tensor) -> Tensor:
        x = self.position(g)
        if self.padding != "reflection":
            x = x.clamp(-3, self.size + 2)
        first = x.detach().floor()
        rows = 0
        for step in (-1, 0, 1, 2):
            tap = self.wrap(first + step)
            distance = (x - (first + step)).abs()
            rows = rows + keys(distance)[..., None] * (tap[..., None] == self.pixels)
        return rows


def keys(d: Tensor) -> Tensor:
    a = -0.75
    inner = (a + 2) * d.pow(3) - (a + 3) * d.pow(2) + 1
    outer = a * d.pow(3) - 5 * a * d.pow(2) + 8 * a * d - 4 * a
    return torch.where(d < 1, inner, outer)


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=False):
    check(input, grid, mode, padding_mode)
    sizes = input.shape[:1:-1]
    rows = [
        getattr(Axis(size, padding_mode, align_corners), mode)(grid[..., k].flatten(1))
        for k, size in enumerate(sizes)
    ]
    # One image after the other, and not too many samples at once: the matrices are large.
    images = []
    for image, *factors in zip(input, *rows, strict=True):
        chunks = []
        for some in zip(*(factor.split(4096) for factor in factors), strict=True):
            part = torch.einsum("c...w,pw->pc...", image, some[0])
            for factor in some[1:]:
                part = torch.einsum("pc...h,ph->pc...", part, factor)
            chunks.append(part)
        images.append(torch.cat(chunks).mT)
    shape = (*input.shape[:2], *grid.shape[1:-1])
    return torch.stack(images).reshape(shape) if images else input.new_zeros(shape)


def check(input, grid, mode, padding_mode):
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ValueError("mode")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError("padding_mode")
    if input.ndim != grid.ndim or input.ndim not in (4, 5):
        raise ValueError("rank")
    if (mode, input.ndim) == ("bicubic", 5):
        raise ValueError("bicubic in 5-D")
    if grid.shape[-1] != input.ndim - 2 or grid.shape[0] != input.shape[0]:
        raise ValueError("shape of grid")
    if input.dtype != grid.dtype:
        raise ValueError("dtype")
    if not all(input.shape[2:]):
        raise ValueError("empty image")
