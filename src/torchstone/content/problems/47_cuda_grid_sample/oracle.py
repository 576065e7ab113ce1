"""Know the truth of problem 47: positions, weights and their derivatives, in float64."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from torchstone.judge.kit import (
    Case,
    Exact,
    Expected,
    Holds,
    Star,
    Want,
    in_every_order,
    read_totals,
)
from torchstone.judge.kit.native import Totals

SUCCESS, INVALID_VALUE, INVALID_STREAM = 0, 1, 400
ZEROS, BORDER, REFLECTION = range(3)
PADDINGS = ("zeros", "border", "reflection")
UNIT = 2.0**-24
TINY = 2.0**-149
COUNTERS, NOTHING = "1:random:counters", "[]"
WORDS_OF_STATUS = {
    SUCCESS: {
        "en": "The entry did not return cudaSuccess.",
        "zh": "入口函数没有返回 `cudaSuccess`。",
    },
    INVALID_VALUE: {
        "en": "A bad size or padding wants cudaErrorInvalidValue, before anything is launched.",
        "zh": "尺寸或填充方式不合法时应返回 `cudaErrorInvalidValue`，并且不启动任何核函数。",
    },
    INVALID_STREAM: {
        "en": "The stream had been destroyed, so no launch succeeded: `cudaGetLastError()` says "
        "`cudaErrorInvalidResourceHandle`, and the entry returns it.",
        "zh": "流已被销毁，启动不会成功：`cudaGetLastError()` 给出 "
        "`cudaErrorInvalidResourceHandle`，入口函数应把它返回。",
    },
}
NO_LAUNCH = {
    "en": "Something was launched where nothing may be: the call is empty or refused.",
    "zh": "空问题或不合法的调用不应启动任何核函数，这里却启动了。",
}
A_LAUNCH = {
    "en": "No kernel was launched: the device has done nothing.",
    "zh": "没有启动任何核函数：设备什么也没做。",
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret, data = case.secret, case.steps[0].data
    is_refused = bool(secret.get("refused"))
    status = INVALID_VALUE if is_refused else SUCCESS
    status = INVALID_STREAM if secret.get("ended") else status
    wanted = (
        # The poison of an output that nobody touched is NaN.
        {name: _want(name, torch.full(shape, torch.nan), 0.0)
         for name, (_, shape) in data["outputs"].items()}
        if status != SUCCESS
        else _truth(data["values"], data["outputs"])
    )  # fmt: skip
    expected = in_every_order(
        case.steps, wanted | {"status": Exact(status, note=WORDS_OF_STATUS[status])}
    )
    if is_refused or (case.steps[-1].data["counts"] and "perf" not in secret):
        expected[COUNTERS] = Holds(lambda text: text == NOTHING, NO_LAUNCH)
    if "perf" in secret:
        expected[COUNTERS] = Holds(lambda text: text != NOTHING, A_LAUNCH)
        expected |= _stars(secret)
    return expected


def _want(name: str, truth: torch.Tensor, bound: torch.Tensor | float) -> Want:
    aspect = "value" if name == "out" else "grad"
    return Want(truth.double(), bound, torch.float32, aspect=aspect)


def locate(
    grid: torch.Tensor, size: int, padding: int, *, align: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """Give the position of each number in pixels, and its derivative.

    What has no corner inside is at -2 where the padding is zeros.
    """
    span, low = (size - 1, 0.0) if align else (size, -0.5)
    position = (grid + 1) / 2 * (size - 1) if align else ((grid + 1) * size - 1) / 2
    slope = torch.full_like(position, span / 2)
    if padding == ZEROS:
        is_near = (position >= -1) & (position < size)
        return torch.where(is_near, position, -2.0), torch.where(is_near, slope, 0.0)
    if padding == REFLECTION:
        is_number = position.isfinite() & (span > 0)
        way = torch.fmod(torch.where(is_number, position - low, 0.0).abs(), 2 * max(span, 1))
        is_back = way > span
        slope = torch.where(is_back != (position < low), -slope, slope)
        position = torch.where(is_number, low + torch.where(is_back, 2 * span - way, way), 0.0)
    # NaN is neither.
    is_above, is_below = position > 0, position < size - 1
    slope = torch.where(is_above & is_below, slope, 0.0)
    position = torch.where(is_above, position, 0.0).clamp(max=size - 1)
    return position, slope


@dataclass(frozen=True, slots=True, kw_only=True)
class Corner:
    """Hold one of the four pixels around every sample; all fields have shape (N, Ho * Wo).

    Attributes:
        pixel: Its number inside a plane; 0 where it lies outside.
        is_inside: Whether it lies inside.
        weight: What it counts.
        by_x: The derivative of the weight with respect to the grid's x.
        by_y: The same for y.
    """

    pixel: torch.Tensor
    is_inside: torch.Tensor
    weight: torch.Tensor
    by_x: torch.Tensor
    by_y: torch.Tensor


def find_corners(values: dict[str, Any]) -> list[Corner]:
    """Find the four corners of every sample, in float64."""
    N, H, W = values["N"], values["H"], values["W"]
    grid = values["grid"].double().reshape(N, values["Ho"] * values["Wo"], 2)
    padding, align = values["padding_mode"], bool(values["align_corners"])
    x, slope_x = locate(grid[..., 0], W, padding, align=align)
    y, slope_y = locate(grid[..., 1], H, padding, align=align)
    corners = []
    for right, lower in ((0, 0), (1, 0), (0, 1), (1, 1)):
        column, row = x.floor().long() + right, y.floor().long() + lower
        is_inside = (column >= 0) & (column < W) & (row >= 0) & (row < H)
        along_x = 1 - (x - column).abs()
        along_y = 1 - (y - row).abs()
        corners.append(
            Corner(
                pixel=torch.where(is_inside, row * W + column, 0),
                is_inside=is_inside,
                weight=torch.where(is_inside, along_x * along_y, 0.0),
                by_x=torch.where(is_inside, (2 * right - 1) * slope_x * along_y, 0.0),
                by_y=torch.where(is_inside, (2 * lower - 1) * slope_y * along_x, 0.0),
            )
        )
    return corners


def _truth(values: dict[str, Any], outputs: dict[str, Any]) -> dict[str, Any]:
    """Compute what is wanted, each with its tolerance."""
    N, C, num_samples = values["N"], values["C"], values["Ho"] * values["Wo"]
    image = values["input"].double().reshape(N, C, values["H"] * values["W"])
    corners = find_corners(values)
    side = max(values["H"], values["W"])
    numbers = values["grid"].double().abs()
    # The rounding of a position grows with the number; what is clipped is rounded no more.
    reach = max(1.0, _largest(numbers[numbers <= 1e3]))
    k = 4 * UNIT * (side + 8) * reach
    found: dict[str, tuple[torch.Tensor, torch.Tensor | float]] = {}
    if "out" in outputs:
        truth = torch.stack([_gather(image, each) * each.weight[:, None] for each in corners])
        found["out"] = truth.sum(0), k * _largest(image) + TINY
    if "grad_out" in values:
        grad = values["grad_out"].double().reshape(N, C, num_samples)
        found["grad_input"] = _grad_input(image, grad, corners, k)
        bound = k * 2 * side * C * _largest(image) * _largest(grad) + TINY
        # A sum over no channels is not looked at.
        if C > 0:
            found["grad_grid"] = _grad_grid(image, grad, corners), bound
    return {
        name: _want(name, truth.reshape(outputs[name][1]), _shaped(bound, outputs[name][1]))
        for name, (truth, bound) in found.items()
        if name in outputs
    }


def _shaped(bound: torch.Tensor | float, shape: list[int]) -> torch.Tensor | float:
    return bound.reshape(shape) if isinstance(bound, torch.Tensor) else bound


def _grad_input(
    image: torch.Tensor, grad: torch.Tensor, corners: list[Corner], k: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Add to every pixel what the samples around it send, and how far off the sum may be."""
    total, size, count = (torch.zeros_like(image) for _ in range(3))
    for each in corners:
        pixel = each.pixel[:, None].expand(grad.shape)
        inside = each.is_inside[:, None].expand(grad.shape).double()
        total.scatter_add_(2, pixel, grad * each.weight[:, None])
        size.scatter_add_(2, pixel, grad.abs() * inside)
        count.scatter_add_(2, pixel, inside)
    return total, (k + 4 * UNIT * count.sqrt()) * size + TINY * count


def _grad_grid(image: torch.Tensor, grad: torch.Tensor, corners: list[Corner]) -> torch.Tensor:
    """Sum over the channels what a move of the sample does."""
    parts = []
    for each in corners:
        inner = (_gather(image, each) * grad).sum(1)
        parts.append(torch.stack([inner * each.by_x, inner * each.by_y], dim=-1))
    return torch.stack(parts).sum(0)


def _gather(image: torch.Tensor, corner: Corner) -> torch.Tensor:
    place = corner.pixel[:, None].expand(-1, image.shape[1], -1)
    return image.gather(2, place) * corner.is_inside[:, None]


def _largest(tensor: torch.Tensor) -> float:
    return float(tensor.abs().max()) if tensor.numel() else 0.0


def _measure(
    read: Callable[[tuple[Totals, ...]], float],
) -> Callable[[dict[str, Any]], float | None]:
    """Read a count from the counters of an answer; None where there are none."""

    def measure(answer: dict[str, Any]) -> float | None:
        kernels = read_totals(answer.get(COUNTERS))
        try:
            return read(kernels) if kernels else None
        except ZeroDivisionError:
            return None

    return measure


def _sum(kernels: tuple[Totals, ...], name: str) -> int:
    return sum(each[name] for each in kernels)


def _stars(secret: dict[str, Any]) -> Expected:
    num_samples = secret["N"] * secret["Ho"] * secret["Wo"]
    channels = secret["C"]

    def grid_words(kernels: tuple[Totals, ...]) -> float:
        # All samples lie inside: four words of the image for each channel.
        return _sum(kernels, "global load.bytes") / 4 / num_samples - 4 * channels

    def store_sectors(kernels: tuple[Totals, ...]) -> float:
        return _sum(kernels, "global store.sectors") / (_sum(kernels, "global store.bytes") / 128)

    def atomics(kernels: tuple[Totals, ...]) -> float:
        return _sum(kernels, "global atomic.lanes") / (num_samples * channels)

    def star(name: str, read: Callable[[tuple[Totals, ...]], float], most: float) -> Star:
        return Star(name, _measure(read), most, WORDS_OF_STARS[name])

    if secret["op"] == "forward":
        return {"grid": star("grid", grid_words, 4), "stores": star("stores", store_sectors, 5)}
    return {"atomics": star("atomics", atomics, 4), "few_atomics": star("few_atomics", atomics, 2)}


WORDS_OF_STARS = {
    "grid": {
        "en": "★ The forward reads the grid once for each sample and not for each channel: at most "
        "4 words beside the corners.",
        "zh": "★ 前向对每个采样点只读一次 grid，而不是每个通道读一次：除角点以外至多读 4 个字。",
    },
    "stores": {
        "en": "★ The forward's lanes write neighbouring pixels: at most 5 sectors for 128 bytes.",
        "zh": "★ 前向中相邻 lane 写相邻像素：每 128 字节至多涉及 5 个 sector。",
    },
    "atomics": {
        "en": "★ The backward makes at most 4 atomic operations for each sample and channel.",
        "zh": "★ 反向中每个采样点的每个通道至多做 4 次原子操作。",
    },
    "few_atomics": {
        "en": "★ It makes at most 2: samples of a warp add up first, or pixels have owners.",
        "zh": "★ 至多 2 次：warp 内先汇总再加，或者让每个像素有唯一的所有者。",
    },
}


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the same with PyTorch's own operator, in float64."""
    data, secret = case.steps[0].data, case.secret
    values, outputs = data["values"], data["outputs"]
    # Its kernel for the CPU is not made for places that are no number.
    if {"refused", "ended", "special"} & secret.keys() or not values["grid"].numel():
        return {}
    image = values["input"].double().requires_grad_()
    grid = values["grid"].double().requires_grad_()
    out = torch.nn.functional.grid_sample(
        image, grid, mode="bilinear", padding_mode=PADDINGS[values["padding_mode"]],
        align_corners=bool(values["align_corners"]),
    )  # fmt: skip
    found = {"out": out.detach()}
    if "grad_out" in values:
        grads = torch.autograd.grad(out, (image, grid), values["grad_out"].double())
        found |= dict(zip(("grad_input", "grad_grid"), grads, strict=True))
    order = data["orders"][0]
    return {f"{order}:{name}": found[name] for name in outputs}
