"""Know the truth of problem 46: brute force in float64, over inputs that decide every order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from torchstone.judge.kit import (
    Case,
    Exact,
    Expected,
    Gate,
    Holds,
    Star,
    Want,
    in_every_order,
    read_totals,
)
from torchstone.judge.kit.native import Totals, where_counted

UNIT = 2.0**-24
SUCCESS, INVALID_VALUE, INVALID_STREAM = 0, 1, 400
COUNTERS, NOTHING = "1:random:counters", "[]"
WORDS_OF_STATUS = {
    SUCCESS: {
        "en": "The entry did not return cudaSuccess.",
        "zh": "入口函数没有返回 `cudaSuccess`。",
    },
    INVALID_VALUE: {
        "en": "A negative size, or a K outside of 1 to 32, wants cudaErrorInvalidValue, before "
        "anything is launched.",
        "zh": "尺寸为负，或 K 不在 1 到 32 之间时，应返回 `cudaErrorInvalidValue`，"
        "并且不启动任何核函数。",
    },
    INVALID_STREAM: {
        "en": "The stream had been destroyed, so no launch succeeded: `cudaGetLastError()` says "
        "`cudaErrorInvalidResourceHandle`, and the entry returns it.",
        "zh": "流已被销毁，启动不会成功：`cudaGetLastError()` 给出 "
        "`cudaErrorInvalidResourceHandle`，入口函数应把它返回。",
    },
}
NO_LAUNCH = {
    "en": "Something was launched where nothing may be: there is no query, or a size is wrong.",
    "zh": "没有查询点或尺寸非法时不应启动任何核函数，这里却启动了。",
}
SHARED = {
    "en": "No kernel reads shared memory: the threads of a block are to share the points that one "
    "of them has loaded.",
    "zh": "没有核函数读取共享内存：线程块中一个线程加载的点，应当由全块共用。",
}
WORDS_OF_GATE = {
    "en": "Warps load from global memory {came} times as often as where every thread reads every "
    "point for itself; at most {most} may be. The model solution: {reference}.",
    "zh": "以“每个线程各自读遍所有的点”为 1，这里 warp 对全局内存的加载请求是 {came}，"
    "至多允许 {most}。参考解答是 {reference}。",
}
WORDS_OF_STAR = {
    "en": "★ At most 0.05 of these loads: a point that was loaded serves twenty queries.",
    "zh": "★ 加载请求不超过这一基准的 0.05：一个点加载一次，供二十个查询使用。",
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    status = INVALID_VALUE if secret.get("refused") else SUCCESS
    status = INVALID_STREAM if secret.get("ended") else status
    dist, idx = _nearest(case) if status == SUCCESS else _untouched(case)
    expected = in_every_order(
        case.steps,
        {
            # Three differences, squares and their sum are five roundings of a unit at most.
            "dist": Want(dist, 8 * UNIT * dist.nan_to_num(0.0, 0.0), torch.float32),
            "idx": Want(idx, 0.0, torch.int32),
            "status": Exact(status, note=WORDS_OF_STATUS[status]),
        },
    )
    if secret["launches_nothing"]:
        expected[COUNTERS] = Holds(lambda text: text == NOTHING, NO_LAUNCH)
    if secret["group"] == "perf":
        expected[COUNTERS] = Holds(where_counted(_reads_shared), SHARED)
        expected["loads"] = Gate(_loads_of(secret), 0.25, WORDS_OF_GATE, {"reference": "0.01"})
        expected["star"] = Star("reuse", _loads_of(secret), 0.05, WORDS_OF_STAR)
    return expected


def _untouched(case: Case) -> tuple[torch.Tensor, torch.Tensor]:
    # The poison of a float is NaN, of an int -1.
    _, shape = case.steps[0].data["outputs"]["dist"]
    return torch.full(shape, torch.nan, dtype=torch.float64), torch.full(shape, -1)


def _nearest(case: Case) -> tuple[torch.Tensor, torch.Tensor]:
    """Find the K nearest of every query; of equally near points the first."""
    values = case.steps[0].data["values"]
    shape = [values[name] for name in "BMK"]
    dist = torch.full(shape, torch.inf, dtype=torch.float64)
    idx = torch.full(shape, -1)
    for b in range(values["B"]):
        num_queries = int(values["query_len"][b]) if "query_len" in values else values["M"]
        num_points = int(values["ref_len"][b]) if "ref_len" in values else values["N"]
        query, ref = values["query"][b, :num_queries], values["ref"][b, :num_points]
        near, place = _first(_squared_distances(query, ref), values["K"])
        dist[b, :num_queries, : near.shape[1]] = near
        idx[b, :num_queries, : near.shape[1]] = place
    return dist, idx


def _first(distances: torch.Tensor, K: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Give the K smallest of each row and their places, equal ones by place."""
    smallest = distances.topk(min(K + 1, distances.shape[1]), largest=False)
    if (smallest.values.diff(dim=1) > 0).all():
        return smallest.values[:, :K], smallest.indices[:, :K]
    # Which of equal ones topk takes is its own affair; a stable sort is dear, and mostly vain.
    in_order = distances.sort(dim=1, stable=True)
    return in_order.values[:, :K], in_order.indices[:, :K]


def _squared_distances(query: torch.Tensor, ref: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(len(query), len(ref), dtype=torch.float64)
    for left, right in zip(query.double().T, ref.double().T, strict=True):
        total += (left[:, None] - right).square_()
    return total


def _reads_shared(kernels: tuple[Totals, ...]) -> bool:
    return any(kernel["shared load.requests"] for kernel in kernels)


def _loads_of(secret: dict[str, Any]) -> Callable[[dict[str, Any]], float | None]:
    """Count loads of whole warps, in those of a kernel whose threads all read every point."""
    naive = 3 * secret["M"] * secret["N"] / 32

    def measure(answer: dict[str, Any]) -> float | None:
        kernels: tuple[Totals, ...] = read_totals(answer.get(COUNTERS))
        loads = sum(kernel["global load.requests"] for kernel in kernels)
        return loads / naive if kernels else None

    return measure


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the same with PyTorch's own operators, in float64."""
    values, secret = case.steps[0].data["values"], case.secret
    if secret["group"] in ("edge", "ragged"):
        return {}
    query, ref = values["query"].double(), values["ref"].double()
    distances = torch.cdist(query, ref, compute_mode="donot_use_mm_for_euclid_dist")
    order = case.steps[0].data["orders"][0]
    near = distances.topk(values["K"], largest=False).values
    return {f"{order}:dist": near.square()}
