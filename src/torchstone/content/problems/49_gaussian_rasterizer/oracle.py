"""Know the truth of problem 49: projection and gradients in float64, and what is counted.

What is blended was computed when the scene was looked at, see ``cases.look``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from torchstone.judge.kit import (
    Case,
    Exact,
    Expectation,
    Expected,
    Gate,
    Holds,
    Star,
    Want,
    in_every_order,
    read_totals,
)
from torchstone.judge.kit.native import Totals, where_counted

Array = np.ndarray[Any, Any]

UNIT = 2.0**-24
SUCCESS, INVALID_VALUE, INVALID_STREAM = 0, 1, 400
COUNTERS, NOTHING = "1:random:counters", "[]"
NEAR, LOW_PASS = 0.2, 0.3
# Absolute for what is blended; for gradients, of the sum of the absolute values of their terms.
IMAGE, TRANSMITTANCE, GRADIENT, COLOR = 2e-5, 1e-5, 1e-4, 2e-5
# Of the bounds of rounding that the projection is followed with, each of the first order.
PROJECTION = 4.0
NUM_VALUES = 9

WORDS_OF_STATUS = {
    SUCCESS: {
        "en": "The entry did not return cudaSuccess.",
        "zh": "入口函数没有返回 `cudaSuccess`。",
    },
    INVALID_VALUE: {
        "en": "N < 0, W < 1 or H < 1 wants cudaErrorInvalidValue, before anything is launched.",
        "zh": "N < 0、W < 1 或 H < 1 时应返回 `cudaErrorInvalidValue`，并且不启动任何核函数。",
    },
    INVALID_STREAM: {
        "en": "The stream had been destroyed, so no launch succeeded: `cudaGetLastError()` says "
        "`cudaErrorInvalidResourceHandle`, and the entry returns it.",
        "zh": "流已被销毁，启动不会成功：`cudaGetLastError()` 给出 "
        "`cudaErrorInvalidResourceHandle`，入口函数应把它返回。",
    },
}
NO_LAUNCH = {
    "en": "Something was launched where nothing may be: a size is bad, or there is no Gaussian.",
    "zh": "尺寸不合法或者没有高斯时不应启动任何核函数，这里却启动了。",
}
KEPT = {
    "en": "Scratch memory was allocated and not freed, or freed twice.",
    "zh": "申请的临时显存没有释放，或者多释放了。",
}
NO_SHARED = {
    "en": "gs_forward uses no shared memory: every pixel fetches every Gaussian for itself.",
    "zh": "`gs_forward` 没有用到共享内存：每个像素都在自己取每个高斯。",
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret, data = case.secret, case.steps[0].data
    is_ended = "ended" in secret
    status = INVALID_VALUE if "is_bad" in secret else INVALID_STREAM if is_ended else SUCCESS
    wanted: dict[str, Expectation] = {"status": Exact(status, note=WORDS_OF_STATUS[status])}
    if not is_ended:
        wanted["kept_bytes"] = Exact(0, note=KEPT)
    if status != SUCCESS:
        wanted |= _untouched(data["outputs"])
    elif secret["op"] == "project":
        wanted |= _projected(data["values"])
    elif secret["op"] == "forward":
        wanted |= _blended(secret["seen"])
    else:
        wanted |= _gradients(data["values"], secret["seen"])
    expected = in_every_order(case.steps, wanted)
    if secret["launches_nothing"]:
        expected[COUNTERS] = Holds(lambda text: text == NOTHING, NO_LAUNCH)
    if "perf" in secret:
        expected |= _counted(secret)
    return expected


def _untouched(outputs: dict[str, Any]) -> dict[str, Expectation]:
    """Want poison, which is NaN, or -1."""
    return {
        name: Want(torch.full(shape, torch.nan).double(), 0.0, dtype)
        if dtype.is_floating_point
        else Want(torch.full(shape, -1), 0.0, dtype)
        for name, (dtype, shape) in outputs.items()
    }


# ---- Projection


def _projected(values: dict[str, Any]) -> dict[str, Expectation]:
    """Project, and follow the rounding of float32 through every step, to the first order."""
    tensors = ("means", "scales", "quats", "view")
    means, scales, quats, view = (values[name].double().numpy() for name in tensors)
    fx, fy = values["fx"], values["fy"]
    p = means @ view[:, :3].T + view[:, 3]
    dp = 4 * UNIT * (np.abs(means) @ np.abs(view[:, :3]).T + np.abs(view[:, 3]))
    is_seen = p[:, 2] > NEAR
    z, dz = np.where(is_seen, p[:, 2], 1.0), dp[:, 2]
    places, reaches = [], []
    JR, dJR = np.zeros((len(z), 2, 3)), np.zeros((len(z), 2, 3))
    for i, (f, c) in enumerate(((fx, values["cx"]), (fy, values["cy"]))):
        s, ds = p[:, i] / z, (dp[:, i] + np.abs(p[:, i]) / z * dz) / z
        places.append(f * s + c)
        reaches.append(f * ds + 4 * UNIT * (np.abs(f * s) + abs(c)))
        JR[:, i] = (f / z)[:, None] * (view[i, :3] - s[:, None] * view[2, :3])
        size = np.abs(view[i, :3]) + np.abs(s)[:, None] * np.abs(view[2, :3])
        turned = np.abs(view[2, :3]) * ds[:, None] + size * (dz / z)[:, None]
        dJR[:, i] = (f / z)[:, None] * (4 * UNIT * size + turned)
    rotation = _rotations(quats)
    M = JR @ rotation * scales[:, None]
    dM = (dJR @ np.abs(rotation) + 12 * UNIT * np.abs(JR).sum(2, keepdims=True)) * scales[:, None]
    (a, b, c), (da, db, dc) = _covariance(M, dM)
    det = a * c - b * b
    ddet = c * da + a * dc + 2 * np.abs(b) * db + 2 * UNIT * (a * c + b * b)
    conic = np.stack([c, -b, a], axis=1) / det[:, None]
    dconic = np.stack([dc, db, da], axis=1) / det[:, None]
    dconic += np.abs(conic) * (ddet / det + 4 * UNIT)[:, None]
    reach, dreach = _reach(a, c, da + dc, det, ddet)
    radius = np.ceil(reach)
    is_near = np.abs(reach - np.rint(reach)) < np.maximum(1e-3, PROJECTION * dreach)
    xy, dxy = np.stack(places, axis=1), np.stack(reaches, axis=1)

    def want(truth: Array, bound: Array, *, k: float = PROJECTION) -> Want:
        seen = is_seen.reshape(-1, *[1] * (truth.ndim - 1))
        exact = np.where(seen, truth, 0.0)
        return Want(torch.tensor(exact), torch.tensor(np.where(seen, k * bound, 0.0)), _FLOAT)

    return {
        "xy": want(xy, dxy),
        "depth": Want(torch.tensor(p[:, 2]), torch.tensor(PROJECTION * dp[:, 2]), _FLOAT),
        "conic": want(conic, dconic),
        # Beside an integer either neighbour is right.
        "radius": want(radius, is_near * 1.0, k=1.0),
    }


_FLOAT = torch.float32


def _rotations(quats: Array) -> Array:
    w, x, y, z = (quats / np.linalg.norm(quats, axis=1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def _covariance(M: Array, dM: Array) -> tuple[list[Array], list[Array]]:
    """Give a, b, c of the covariance in the image, and how far rounding may move them."""
    values, errors = [], []
    for i, j in ((0, 0), (0, 1), (1, 1)):
        floor = LOW_PASS if i == j else 0.0
        values.append((M[:, i] * M[:, j]).sum(1) + floor)
        size = np.abs(M[:, i] * M[:, j]).sum(1) + floor
        moved = np.abs(M[:, i]) * dM[:, j] + np.abs(M[:, j]) * dM[:, i]
        errors.append(moved.sum(1) + 4 * UNIT * size)
    return values, errors


def _reach(a: Array, c: Array, dtrace: Array, det: Array, ddet: Array) -> tuple[Array, Array]:
    """Give three standard deviations along the longer axis, before they are rounded up."""
    mean = (a + c) / 2
    inner = mean * mean - det
    root = np.sqrt(np.maximum(0.1, inner))
    largest = mean + root
    dinner = mean * dtrace + ddet + 4 * UNIT * mean * mean
    dlargest = dtrace / 2 + np.where(inner + dinner > 0.1, dinner / (2 * root), 0.0)
    reach = 3 * np.sqrt(largest)
    return reach, reach * (dlargest / largest / 2 + 4 * UNIT)


# ---- Forward


def _blended(seen: Any) -> dict[str, Expectation]:
    unsure = torch.from_numpy(seen.is_unsure)

    def want(value: Array, bound: float, dtype: torch.dtype) -> Want:
        truth = torch.from_numpy(np.asarray(value, np.float64))
        where = unsure if truth.ndim == 2 else unsure[..., None]
        return Want(truth, torch.where(where, math.inf, bound).expand(truth.shape), dtype)

    return {
        "image": want(seen.image, IMAGE, _FLOAT),
        "final_T": want(seen.final_T, TRANSMITTANCE, _FLOAT),
        "n_last": want(seen.n_last, 0.5, torch.int32),
        "order": Want(torch.from_numpy(seen.order), 0.0, torch.int32),
    }


# ---- Backward


def _gradients(values: dict[str, Any], seen: Any) -> dict[str, Expectation]:
    """Walk from the back, as the derivative is written; beside it, the sums of absolute terms."""
    wide = {name: values[name].double().numpy() for name in ("conic", "color", "opacity", "bg")}
    grad_image = values["grad_image"].double().numpy()
    behind = seen.final_T[..., None] * wide["bg"]
    n = len(wide["opacity"])
    sums = {name: np.zeros((n, 2, width)) for name, width in _WIDTHS.items()}
    for visit in reversed(seen.visits):
        G, back = grad_image[visit.window], behind[visit.window]
        color, alpha, T = wide["color"][visit.n], visit.alpha, visit.T
        weight = np.where(visit.counts, alpha * T, 0.0)
        grad_alpha = (G @ color) * T - (G * back).sum(-1) / (1 - alpha)
        size = (np.abs(G) @ np.abs(color)) * T + (np.abs(G) * np.abs(back)).sum(-1) / (1 - alpha)
        back += weight[..., None] * color
        flows = visit.counts & ~visit.is_clamped
        A, B, C = wide["conic"][visit.n]
        dx, dy, falloff = visit.dx, visit.dy, visit.falloff
        slopes = {
            "grad_xy": ((A * dx, B * dy), (C * dy, B * dx)),
            "grad_conic": ((dx * dx / 2,), (dx * dy,), (dy * dy / 2,)),
        }
        power, most = np.where(flows, alpha * grad_alpha, 0.0), np.where(flows, alpha * size, 0.0)
        for name, rows in slopes.items():
            for i, terms in enumerate(rows):
                sums[name][visit.n, 0, i] = -(power * sum(terms)).sum()
                sums[name][visit.n, 1, i] = (most * sum(map(np.abs, terms))).sum()
        sums["grad_opacity"][visit.n] = [
            [np.where(flows, falloff * each, 0.0).sum()] for each in (grad_alpha, size)
        ]
        sums["grad_color"][visit.n] = [np.tensordot(weight, each, 2) for each in (G, np.abs(G))]
    return {
        name: Want(
            torch.from_numpy(each[:, 0].squeeze(1) if each.shape[2] == 1 else each[:, 0]),
            torch.from_numpy(
                (COLOR if name == "grad_color" else GRADIENT)
                * (each[:, 1].squeeze(1) if each.shape[2] == 1 else each[:, 1])
            ),
            _FLOAT,
            aspect="grad",
        )
        for name, each in sums.items()
    }


_WIDTHS = {"grad_xy": 2, "grad_conic": 3, "grad_opacity": 1, "grad_color": 3}


# ---- Counts


def _measure(
    read: Callable[[tuple[Totals, ...]], float | None],
) -> Callable[[dict[str, Any]], float | None]:
    """Read a count from the counters of an answer; None where there are none."""

    def measure(answer: dict[str, Any]) -> float | None:
        kernels = read_totals(answer.get(COUNTERS))
        return read(kernels) if kernels else None

    return measure


def _sum(kernels: tuple[Totals, ...], name: str) -> int:
    return sum(each[name] for each in kernels)


def _words(kernels: tuple[Totals, ...]) -> float:
    """Count words of 4 bytes that lanes got: from memory, or from another lane."""
    loaded = _sum(kernels, "global load.bytes") + _sum(kernels, "shared load.bytes")
    return loaded / 4 + _sum(kernels, "shuffle.lanes")


def _uses_shared(kernels: tuple[Totals, ...]) -> bool:
    # Stores as well: a struct that is passed by value out of shared memory is a load unseen.
    return _sum(kernels, "shared.requests") > 0


def _counted(secret: dict[str, Any]) -> Expected:
    n, (W, H) = secret["n"], secret["size"]
    if secret["perf"] == "sort":
        rounds = n * math.log2(n)
        read = _measure(lambda kernels: _words(kernels) / rounds)
        return {"star": Star("sort", read, 24.0, WORDS_OF_STARS["sort"])}
    if secret["perf"] == "atomics":
        num_pairs = sum(int(visit.counts.sum()) for visit in secret["seen"].visits)
        read = _measure(
            lambda kernels: _sum(kernels, "global atomic.lanes") / (NUM_VALUES * num_pairs)
        )
        return {"star": Star("atomics", read, 0.125, WORDS_OF_STARS["atomics"])}
    # Who reads none has no list in it.
    shared = _measure(lambda kernels: _sum(kernels, "shared load.lanes") / (n * W * H) or None)
    return {
        COUNTERS: Holds(where_counted(_uses_shared), NO_SHARED),
        "requests": Gate(
            _measure(lambda kernels: _sum(kernels, "global load.requests")),
            24_000,
            WORDS_OF_REQUESTS,
            {"naive": "246000", "reference": "4000"},
        ),
        "star": Star("lists", shared, 0.5, WORDS_OF_STARS["lists"]),
    }


WORDS_OF_REQUESTS = {
    "en": "gs_forward makes {came} requests for global loads at N = 512 and 64 × 64 pixels; at "
    "most {most} are allowed. With every pixel on its own there are some {naive}; the model "
    "solution makes about {reference}.",
    "zh": "N = 512、图像 64 × 64 时，`gs_forward` 发出 {came} 次全局加载请求，至多允许 {most} 次。"
    "每个像素各取各的约为 {naive} 次，参考解答约为 {reference} 次。",
}
WORDS_OF_STARS = {
    "lists": {
        "en": "★ Each pixel reads shared memory at most N / 2 times: a tile lists what touches it.",
        "zh": "★ 平均每个像素读共享内存至多 N / 2 次：每个图块只列出碰到它的高斯。",
    },
    "atomics": {
        "en": "★★ The backward makes at most 1/8 of the atomics that one for each pixel, Gaussian "
        "and value would be.",
        "zh": "★★ 反向的原子操作至多是“每个像素、每个高斯、每个分量各一次”的 1/8。",
    },
    "sort": {
        "en": "★★★ Ordering 1024 Gaussians reads at most 24 N log₂ N words, not N² of them.",
        "zh": "★★★ 给 1024 个高斯排序，至多读 24 N log₂ N 个字，而不是 N² 个。",
    },
}


# ---- The reference


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the same with PyTorch's autograd, in float64; the decisions are those that fell."""
    secret, values = case.secret, case.steps[0].data["values"]
    if {"is_bad", "ended"} & secret.keys() or secret["op"] == "project" or secret["n"] > 300:
        return {}
    if not secret["seen"].visits:
        return {}  # nothing is blended, and autograd has nothing to follow
    seen, order = secret["seen"], case.steps[0].data["orders"][0]
    names = ("xy", "conic", "opacity", "color")
    leaves = {name: values[name].double().requires_grad_() for name in names}
    H, W = seen.final_T.shape
    T = torch.ones(H, W, dtype=torch.float64)
    image = torch.zeros(H, W, 3, dtype=torch.float64)
    xs = torch.arange(W, dtype=torch.float64) + 0.5
    ys = (torch.arange(H, dtype=torch.float64) + 0.5)[:, None]
    for visit in seen.visits:
        dx, dy = leaves["xy"][visit.n, 0] - xs, leaves["xy"][visit.n, 1] - ys
        A, B, C = leaves["conic"][visit.n]
        power = -0.5 * (A * dx * dx + C * dy * dy) - B * dx * dy
        counts = torch.zeros(H, W, dtype=torch.bool)
        counts[visit.window] = torch.from_numpy(visit.counts)
        raw = leaves["opacity"][visit.n] * power.clamp(max=0).exp()
        alpha = torch.where(counts, raw.clamp(max=0.99), 0.0)
        image = image + (alpha * T)[..., None] * leaves["color"][visit.n]
        T = T * (1 - alpha)
    image = image + T[..., None] * values["bg"].double()
    if secret["op"] == "forward":
        return {f"{order}:image": image.detach(), f"{order}:final_T": T.detach()}
    grads = torch.autograd.grad(
        image, list(leaves.values()), values["grad_image"].double(), allow_unused=True,
        materialize_grads=True,
    )  # fmt: skip
    return {f"{order}:grad_{name}": grad for name, grad in zip(names, grads, strict=True)}
