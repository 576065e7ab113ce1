"""Know the truth of problem 48: the march in float64 and its adjoint.

Which sample is the last one is a matter of comparing with T_min. The cases draw rays whose
transmittance is never near it, nor a sample near a face; so the number of steps has one right
value, and all that follows from it, too.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

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
from torchstone.judge.kit.native import Totals
from torchstone.judge.kit.problem import load_module

MARCH = load_module(Path(__file__).with_name("march.py"))

SUCCESS, INVALID_VALUE, INVALID_STREAM = 0, 1, 400
COUNTERS, NOTHING = "1:random:counters", "[]"
# Words that a right answer loads for each sample: eight nodes of four are 32, and there is a ray.
MOST_WORDS = {"forward": 60, "backward": 120}
WORDS_OF_STATUS = {
    SUCCESS: {
        "en": "The entry did not return cudaSuccess.",
        "zh": "入口函数没有返回 `cudaSuccess`。",
    },
    INVALID_VALUE: {
        "en": "R < 0, S < 0 or G < 2 wants cudaErrorInvalidValue, before anything is launched.",
        "zh": "R < 0、S < 0 或 G < 2 时应返回 `cudaErrorInvalidValue`，并且不启动任何核函数。",
    },
    INVALID_STREAM: {
        "en": "The stream had been destroyed, so no launch succeeded: `cudaGetLastError()` says "
        "`cudaErrorInvalidResourceHandle`, and the entry returns it.",
        "zh": "流已被销毁，启动不会成功：`cudaGetLastError()` 给出 "
        "`cudaErrorInvalidResourceHandle`，入口函数应把它返回。",
    },
}
NO_LAUNCH = {
    "en": "A kernel was launched where none may be: a size is invalid, or there are no rays.",
    "zh": "尺寸无效或没有光线时不应启动核函数，这里却启动了。",
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret, outputs = case.secret, case.steps[0].data["outputs"]
    status = INVALID_VALUE if secret["is_bad"] else SUCCESS
    status = INVALID_STREAM if secret["ended"] else status
    if status != SUCCESS:
        wanted = {name: _untouched(secret["op"], *kind) for name, kind in outputs.items()}
    else:
        wanted = _forward(secret) if secret["op"] == "forward" else _backward(secret)
    wanted["status"] = Exact(status, note=WORDS_OF_STATUS[status])
    expected = in_every_order(case.steps, wanted)
    if secret["launches_nothing"]:
        expected[COUNTERS] = Holds(lambda text: text == NOTHING, NO_LAUNCH)
    if secret.get("perf") == "opaque":
        expected["words"] = _gate(secret)
    if secret.get("perf") == "thin":
        expected |= _stars(secret)
    return expected


def _untouched(operation: str, dtype: torch.dtype, shape: list[int]) -> Want:
    """Want poison: every byte 0xFF."""
    aspect = "value" if operation == "forward" else "grad"
    if dtype == torch.int32:
        return Want(torch.full(shape, -1, dtype=torch.int32), 0.0, dtype, aspect=aspect)
    return Want(torch.full(shape, torch.nan, dtype=torch.float64), 0.0, dtype, aspect=aspect)


def _forward(secret: dict[str, Any]) -> dict[str, Expectation]:
    scene, marched = secret["scene"], secret["march"]
    bound = 4e-6 * max(1.0, scene.t_far) + 3e-7 * scene.S**0.5
    truths = {"rgb": marched.rgb, "depth": marched.depth, "opacity": 1 - marched.left}
    wanted: dict[str, Expectation] = {
        name: Want(truth, bound, torch.float32) for name, truth in truths.items()
    }
    return wanted | {"steps": Want(marched.steps.int(), 0.0, torch.int32)}


def _backward(secret: dict[str, Any]) -> dict[str, Expectation]:
    scene, marched = secret["scene"], secret["march"]
    of_raw = MARCH.gradient_of_raw(scene, marched, *secret["cotangents"])
    points = marched.points[marched.used]
    both = MARCH.scatter(torch.cat([of_raw, of_raw.abs()], 1), points, scene.G)
    truth, size = both[..., :4], both[..., 4:]
    # What is subtracted from what is as large: an error of the outputs' own, times dt, times the
    # slope of softplus, which is 1e-26 in a field that thin.
    slope = torch.sigmoid(marched.raw[..., 0][marched.used]).amax() if len(points) else 1.0
    steepness = torch.tensor([float(slope), 1.0, 1.0, 1.0], dtype=torch.float64)
    absolute = 1.2e-5 * MARCH.hits(points, scene.G).sqrt() * scene.dt * (1 + scene.t_far)
    bound = 2e-5 * size + absolute[..., None] * steepness
    return {"grad_field": Want(truth, bound, torch.float32, aspect="grad")}


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the same with PyTorch's own operators and autograd, in float64."""
    secret, order = case.secret, case.steps[0].data["orders"][0]
    if secret["is_bad"] or secret["ended"]:
        return {}
    scene, steps = secret["scene"], secret["march"].steps
    field = scene.field.double().requires_grad_()
    t = MARCH.distances(scene)
    points = scene.rays_o.double()[:, None] + t[:, None] * scene.rays_d.double()[:, None]
    counts = (points.abs().amax(-1) <= 1) & (torch.arange(scene.S) < steps[:, None])
    raw = MARCH.interpolate(field, points.reshape(-1, 3)).reshape(*counts.shape, 4)
    tau = torch.logaddexp(raw[..., 0], torch.zeros(())) * counts * scene.dt
    optical = tau.cumsum(1)
    weight = torch.exp(tau - optical) - torch.exp(-optical)
    left = torch.exp(-tau.sum(1))
    rgb = (weight[..., None] * raw[..., 1:].sigmoid()).sum(1) + left[:, None] * scene.bg.double()
    depth, opacity = (weight * t).sum(1), 1 - left
    if secret["op"] == "forward":
        outputs = {"rgb": rgb, "depth": depth, "opacity": opacity}
        return {f"{order}:{name}": item.detach() for name, item in outputs.items()}
    grad_rgb, grad_depth, grad_opacity = secret["cotangents"]
    loss = (rgb * grad_rgb).sum() + (depth * grad_depth).sum() + (opacity * grad_opacity).sum()
    (grad_field,) = torch.autograd.grad(loss, field)
    return {f"{order}:grad_field": grad_field}


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


def _gate(secret: dict[str, Any]) -> Gate:
    """Want that nobody reads the lattice behind the last step; a warp may look 32 ahead."""
    steps = secret["march"].steps
    allowed = int(steps.sum()) + 32 * len(steps)
    everything = len(steps) * secret["scene"].S
    # The forward adds to nothing: an atomic operation of its is a load in disguise.
    kinds = ("global load", "global atomic")[: 1 + (secret["op"] == "forward")]
    return Gate(
        _measure(lambda kernels: sum(_sum(kernels, f"{k}.bytes") for k in kinds) / 4 / allowed),
        MOST_WORDS[secret["op"]],
        WORDS_OF_GATE,
        {"naive": f"{32 * everything / allowed:.0f}", "steps": str(int(steps.sum()))},
    )


WORDS_OF_GATE = {
    "en": "{came} words are loaded per step, 32 steps more being granted to each ray; at most "
    "{most} may be. The rays take {steps} steps; marching on to S: {naive} or more.",
    "zh": "平均每步加载 {came} 个字（每条光线另外多给 32 步），至多允许 {most} 个。"
    "所有光线总共走 {steps} 步；一直走到 S 则至少是 {naive}。",
}


def _stars(secret: dict[str, Any]) -> Expected:
    num_samples = secret["march"].steps.sum().item()
    if secret["op"] == "backward":
        atomics = _measure(lambda kernels: _sum(kernels, "global atomic.lanes") / num_samples)
        return {"atomics": Star("atomics", atomics, 4.0, WORDS_OF_STARS["atomics"])}
    loads = _measure(lambda kernels: _sum(kernels, "global load.lanes") / num_samples)
    scan = _measure(lambda kernels: num_samples / _sum(kernels, "shuffle.lanes"))
    return {
        "loads": Star("loads", loads, 16.0, WORDS_OF_STARS["loads"]),
        "scan": Star("scan", scan, 1.0, WORDS_OF_STARS["scan"]),
    }


WORDS_OF_STARS = {
    "loads": {
        "en": "★ The forward makes at most 16 loads for a sample: a node is one float4, not four "
        "numbers.",
        "zh": "★ 前向每个采样点至多 16 次加载：一个格点读成一个 float4，而不是四个数。",
    },
    "scan": {
        "en": "★★ Lanes share a ray: transmittance is scanned across the warp, by at least one "
        "shuffle for each sample.",
        "zh": "★★ 多个 lane 合走一条光线：透射率在 warp 内做前缀扫描，每个采样点至少一次 shuffle。",
    },
    "atomics": {
        "en": "★★★ The backward makes at most 4 atomic operations for a sample: what falls into "
        "one cell is added up first.",
        "zh": "★★★ 反向每个采样点至多 4 次原子操作：落在同一格子里的先加起来。",
    },
}
