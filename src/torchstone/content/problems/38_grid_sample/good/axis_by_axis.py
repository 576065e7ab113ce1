"""Bilinear as a lerp of lerps, one axis after the other; the mask belongs to each read."""

import torch
from torch import Tensor


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = False,
) -> Tensor:
    known = {"mode": ("bilinear", "nearest", "bicubic")}
    known["padding_mode"] = ("zeros", "border", "reflection")
    for name, value in (("mode", mode), ("padding_mode", padding_mode)):
        if value not in known[name]:
            raise ValueError(f"{name} must be one of {known[name]}, not {value!r}")
    match input.ndim, grid.ndim, mode:
        case (4, 4, _) | (5, 5, "bilinear" | "nearest"):
            pass
        case _:
            raise ValueError("the ranks of input and grid do not fit each other and the mode")
    if grid.shape[-1] != input.ndim - 2 or input.shape[0] != grid.shape[0]:
        raise ValueError("the shapes of input and grid do not fit")
    if input.dtype != grid.dtype:
        raise ValueError("input and grid must have one dtype")
    if 0 in input.shape[2:]:
        raise ValueError("input has no pixels")
    reader = Reader(input, padding_mode, align_corners)
    places = [reader.place(g, k) for k, g in enumerate(grid.flatten(1, -2).unbind(-1))]
    found = {"bilinear": reader.lerp, "nearest": reader.nearest, "bicubic": reader.cubic}[mode](
        places
    )
    return found.reshape(*input.shape[:2], *grid.shape[1:-1])


class Reader:
    """Read single pixels of a batch of images, with whatever lies around them."""

    def __init__(self, images: Tensor, padding: str, align: bool) -> None:
        self.sizes = images.shape[2:][::-1]
        # Pixels as rows of a table, as an embedding has them.
        self.num_images, self.num_channels = images.shape[:2]
        self.table = images.movedim(1, -1).reshape(
            self.num_images * images.shape[2:].numel(), self.num_channels
        )
        self.padding, self.align = padding, align

    def place(self, g: Tensor, axis: int) -> Tensor:
        size = self.sizes[axis]
        x = (g + 1) / 2 * (size - 1) if self.align else (g + 1) * size / 2 - 0.5
        return x if self.padding == "reflection" else x.clamp(-5, size + 4)

    def pad(self, x: Tensor, axis: int) -> Tensor:
        size = self.sizes[axis]
        if self.padding == "reflection":
            x = self.bounce(x, size)
        return x if self.padding == "zeros" else x.clamp(0, size - 1)

    def bounce(self, x: Tensor, size: int) -> Tensor:
        if self.align and size == 1:
            return 0 * x
        low, high = (0, size - 1) if self.align else (-0.5, size - 0.5)
        while bool(((x < low) | (x > high)).any()):
            x = torch.where(x < low, 2 * low - x, x)
            x = torch.where(x > high, 2 * high - x, x)
        return x

    def read(self, pixels: list[Tensor]) -> Tensor:
        """Return (N, C, P) pixels of whole coordinates, zeros where there is none."""
        rows = torch.arange(self.num_images)[:, None]
        inside = torch.ones_like(pixels[0], dtype=torch.bool)
        for pixel, size in zip(reversed(pixels), reversed(self.sizes), strict=True):
            inside = inside & (pixel >= 0) & (pixel < size)
            rows = rows * size + pixel.clamp(0, size - 1).long()
        values = torch.nn.functional.embedding(rows, self.table)
        return values.masked_fill(~inside[..., None], 0).movedim(-1, 1)

    def nearest(self, places: list[Tensor]) -> Tensor:
        places = [self.pad(x, axis) for axis, x in enumerate(places)]
        zero = sum(0 * x for x in places)
        return self.read([x.detach().round() for x in places]) + zero[:, None]

    def lerp(self, places: list[Tensor], chosen: tuple[Tensor, ...] = ()) -> Tensor:
        axis = len(places) - 1 - len(chosen)
        if axis < 0:
            return self.read(list(chosen))
        x = self.pad(places[axis], axis)
        low = x.detach().floor()
        start = self.lerp(places, (low, *chosen))
        end = self.lerp(places, (low + 1, *chosen))
        return torch.lerp(start, end, (x - low)[:, None])

    def cubic(self, places: list[Tensor]) -> Tensor:
        rows = [self.cubic_row(places, dy) for dy in range(-1, 3)]
        return self.spline(rows, places[1])

    def cubic_row(self, places: list[Tensor], dy: int) -> Tensor:
        x, y = (place.detach().floor() for place in places)
        row = self.pad(y + dy, 1)
        return self.spline(
            [self.read([self.pad(x + dx, 0), row]) for dx in range(-1, 3)], places[0]
        )

    def spline(self, p: list[Tensor], x: Tensor) -> Tensor:
        """Join the middle two of four values by a cubic with slopes a times their differences."""
        t = (x - x.detach().floor())[:, None]
        first, last = 0.75 * (p[2] - p[0]), 0.75 * (p[3] - p[1])
        rise = p[2] - p[1]
        return p[1] + t * (
            first + t * (3 * rise - 2 * first - last + t * (first + last - 2 * rise))
        )
