"""Know the truth of problem 45: sums in float64, and what a warp may use to make one."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
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
from torchstone.judge.kit.native import Totals, where_counted

UNIT, SMALLEST = 2.0**-24, 2.0**-149
SUCCESS, INVALID_VALUE, INVALID_STREAM = 0, 1, 400
COUNTERS, NOTHING = "1:random:counters", "[]"
FULL, ELSEWHERE = 32, 1
MOST_SHARED_BYTES = 1024


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret, values = case.secret, case.steps[0].data["values"]
    if secret["op"] == "warp":
        return _expect_warp(case, values, secret)
    if secret["op"] == "block":
        return _expect_block(case, values, secret)
    return _expect_reduce(case, values, secret)


def _want_sum(truth: torch.Tensor, size: torch.Tensor, k: torch.Tensor | float) -> Want:
    """Want a sum: ``size`` is what the absolute values add up to."""
    # Where a term is NaN or infinite so is the sum, and the bound says nothing.
    bound = (k * UNIT * size).nan_to_num(0.0, 0.0, 0.0) + SMALLEST
    return Want(truth, bound, torch.float32)


# --- warp_sum -----------------------------------------------------------------------------------


def _expect_warp(case: Case, values: dict[str, Any], secret: dict[str, Any]) -> Expected:
    lanes = values["num_lanes"].double()
    is_named = torch.arange(32) < lanes[:, None]
    terms = torch.where(is_named, values["x"].double(), 0.0)
    want = _want_sum(terms.sum(1), terms.abs().sum(1), 6 + 2 * lanes.log2())
    expected = in_every_order(case.steps, {"sums": want})
    if "counts" in secret or "perf" in secret:
        expected[COUNTERS] = _shuffles_alone(secret)
    if "perf" in secret:
        num_lanes = FULL * secret["lanes"].count(FULL)
        expected["shuffles"] = Gate(
            _measure(lambda kernels: _sum(kernels, "shuffle down.lanes") / num_lanes),
            8.0,
            WORDS_OF_SHUFFLES,
            {"naive": "31", "reference": "5"},
        )
    return expected


def _shuffles_alone(secret: dict[str, Any]) -> Holds:
    """Want five shuffles of each lane of a whole warp, and nothing else but the launcher's own."""
    lanes = secret["lanes"]
    num_whole, num_warps = lanes.count(FULL), len(lanes)
    own = {
        # Each lane reads how many its mask names, then each that is named its number.
        "global load.lanes": FULL * num_warps + sum(lanes),
        "global store.lanes": num_warps,
        # The lanes that are not named meet, and then the whole warp.
        "warp sync.lanes": (
            sum(FULL + FULL - count for count in lanes) if secret["manner"] >= ELSEWHERE else 0
        ),
    }
    nothing = (
        "shared.lanes", "global atomic.lanes", "constant load.lanes", "barrier.lanes",
        "vote.lanes", "match.lanes", "warp reduce.lanes",
    )  # fmt: skip

    def holds(kernels: tuple[Totals, ...]) -> bool:
        down = _sum(kernels, "shuffle down.lanes")
        return (
            down >= 5 * FULL * num_whole
            and _sum(kernels, "shuffle.lanes") == down
            and all(_sum(kernels, name) <= most for name, most in own.items())
            and all(_sum(kernels, name) == 0 for name in nothing)
        )

    return Holds(where_counted(holds), WORDS_OF_ALONE)


# --- block_sum ----------------------------------------------------------------------------------


def _expect_block(case: Case, values: dict[str, Any], secret: dict[str, Any]) -> Expected:
    x = values["x"].double()
    k = 6 + 2 * math.log2(math.prod(secret["shape"]))
    truth = x.sum(2, keepdim=True).expand_as(x)
    want = _want_sum(truth, x.abs().sum(2, keepdim=True).expand_as(x), k)
    expected = in_every_order(case.steps, {"sums": want})
    if "counts" in secret:
        expected[COUNTERS] = Holds(_is_small, WORDS_OF_SHARED)
    return expected


def _is_small(text: Any) -> bool:
    try:
        kernels = json.loads(text)
        return all(kernel["static_bytes"] <= MOST_SHARED_BYTES for kernel in kernels)
    except (ValueError, TypeError, KeyError, RecursionError):
        return False


# --- reduce_sum ---------------------------------------------------------------------------------


def _expect_reduce(case: Case, values: dict[str, Any], secret: dict[str, Any]) -> Expected:
    sizes = secret["sizes"]
    if min(sizes) < 0:
        expected = in_every_order(case.steps, _untouched(sizes, INVALID_VALUE))
        return expected | {COUNTERS: Holds(lambda text: text == NOTHING, NO_LAUNCH)}
    if "ended" in secret:
        return in_every_order(case.steps, _untouched(sizes, INVALID_STREAM))
    parts = values["x"].double().split(sizes)
    truth = torch.stack([part.sum() for part in parts])
    size = torch.stack([part.abs().sum() for part in parts])
    # The second term is for blocks that add to one number one by one, or for one block that does
    # it all: their errors grow with n, a thousand times slower than those of a single float.
    k = 512 + torch.tensor(sizes, dtype=torch.float64) / 512
    wanted: dict[str, Expectation] = {
        "out": _want_sum(truth, size, k),
        "status": Exact(SUCCESS, note=WORDS_OF_STATUS[SUCCESS]),
    }
    expected = in_every_order(case.steps, wanted)
    return expected | _counted(sizes[0]) if "perf" in secret else expected


def _untouched(sizes: list[int], status: int) -> dict[str, Expectation]:
    # The poison of an output that nobody touched is NaN.
    poison = torch.full([len(sizes)], torch.nan, dtype=torch.float64)
    return {
        "out": Want(poison, 0.0, torch.float32),
        "status": Exact(status, note=WORDS_OF_STATUS[status]),
    }


def _counted(n: int) -> Expected:
    """Want what is counted of a whole reduction: gates, and three stars."""
    return {
        "atomics": Gate(
            _measure(_atomics), 2.0, WORDS_OF_ATOMICS, {"naive": "256", "reference": "0"}
        ),
        "idle": Gate(_measure(_idle_lanes), 20.0, WORDS_OF_IDLE, {"naive": "31", "reference": "0"}),
        "sectors": Gate(
            _measure(lambda kernels: _sectors(kernels) / (n / 8)),
            1.6,
            WORDS_OF_SECTORS,
            {"naive": "8", "reference": "1"},
        ),
        "star.wide": Star(
            "wide",
            _measure(lambda kernels: _sum(kernels, "global load.requests") / (n / 128)),
            1.25,
            WORDS_OF_STARS["wide"],
        ),
        "star.barriers": Star("barriers", _measure(_barriers), 2.0, WORDS_OF_STARS["barriers"]),
        "star.no_atomics": Star(
            "no_atomics",
            _measure(lambda kernels: float(_sum(kernels, "global atomic.lanes"))),
            0.0,
            WORDS_OF_STARS["no_atomics"],
        ),
    }


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


def _num_blocks(kernels: tuple[Totals, ...]) -> int:
    return sum(each.num_blocks for each in kernels)


def _atomics(kernels: tuple[Totals, ...]) -> float:
    # Few blocks may make eight in all.
    return _sum(kernels, "global atomic.lanes") / max(_num_blocks(kernels), 4)


def _idle_lanes(kernels: tuple[Totals, ...]) -> float:
    return 32 - _sum(kernels, "global load.lanes") / _sum(kernels, "global load.requests")


def _sectors(kernels: tuple[Totals, ...]) -> int:
    return _sum(kernels, "global load.sectors") + _sum(kernels, "global store.sectors")


def _barriers(kernels: tuple[Totals, ...]) -> float:
    return sum(each.num_barriers for each in kernels) / _num_blocks(kernels)


WORDS_OF_STATUS = {
    SUCCESS: {
        "en": "`reduce_sum` did not return `cudaSuccess`.",
        "zh": "`reduce_sum` 没有返回 `cudaSuccess`。",
    },
    INVALID_VALUE: {
        "en": "A negative n wants `cudaErrorInvalidValue`, before anything is launched.",
        "zh": "n 为负时应返回 `cudaErrorInvalidValue`，并且不启动任何核函数。",
    },
    INVALID_STREAM: {
        "en": "The stream had been destroyed, so no launch succeeded: `cudaGetLastError()` says "
        "`cudaErrorInvalidResourceHandle`, and `reduce_sum` returns it.",
        "zh": "流已被销毁，启动不会成功：`cudaGetLastError()` 给出 "
        "`cudaErrorInvalidResourceHandle`，`reduce_sum` 应把它返回。",
    },
}
NO_LAUNCH = {
    "en": "Nothing is launched where n is negative.",
    "zh": "n 为负时不启动任何核函数。",
}
WORDS_OF_ALONE = {
    "en": "`warp_sum` makes at least five `__shfl_down_sync` in a whole warp, and nothing else: "
    "no other operation of the warp, no memory, no barrier.",
    "zh": "`warp_sum` 在完整的 warp 里至少做五次 `__shfl_down_sync`，此外什么也不用："
    "没有其他 warp 操作，不访问内存，也没有屏障。",
}
WORDS_OF_SHARED = {
    "en": "`block_sum` has at most 1 KiB of static shared memory.",
    "zh": "`block_sum` 的静态共享内存不超过 1 KiB。",
}
WORDS_OF_SHUFFLES = {
    "en": "{came} shuffles of each lane in `warp_sum`; at most {most} may be. "
    "One for each other lane: {naive}; a tree: {reference}.",
    "zh": "`warp_sum` 里每个 lane 做了 {came} 次 shuffle，至多允许 {most} 次。"
    "逐个 lane 相加要 {naive} 次，树形归约只要 {reference} 次。",
}
WORDS_OF_ATOMICS = {
    "en": "{came} atomic operations on global memory for each block; at most {most} may be. "
    "One for each element: {naive}; the model solution: {reference}.",
    "zh": "平均每个线程块在全局内存上做了 {came} 次原子操作，至多允许 {most} 次。"
    "每个元素一次的写法是 {naive}，参考解答是 {reference}。",
}
WORDS_OF_IDLE = {
    "en": "{came} of 32 lanes idle in an average global load; at most {most} may. "
    "One thread for all: {naive}; the model solution: {reference}.",
    "zh": "平均每次全局加载有 {came} 个 lane（共 32 个）空闲，至多允许 {most} 个。"
    "单线程写法是 {naive}，参考解答约为 {reference}。",
}
WORDS_OF_SECTORS = {
    "en": "{came} times the sectors that x fills are moved; at most {most} may be. "
    "A contiguous chunk per thread: {naive}; the model solution: {reference}.",
    "zh": "搬运的 sector 是 x 所占的 {came} 倍，至多允许 {most} 倍。"
    "每个线程处理连续一段的写法是 {naive}，参考解答是 {reference}。",
}
WORDS_OF_STARS = {
    "wide": {
        "en": "★ `reduce_sum` makes at most 1.25 load requests for 128 elements.",
        "zh": "★ `reduce_sum` 平均每 128 个元素至多发出 1.25 次加载请求。",
    },
    "barriers": {
        "en": "★ No more than two barriers for each block of `reduce_sum`.",
        "zh": "★ `reduce_sum` 平均每个线程块至多两次屏障。",
    },
    "no_atomics": {
        "en": "★ `reduce_sum` makes no atomic operation on global memory.",
        "zh": "★ `reduce_sum` 不在全局内存上做原子操作。",
    },
}


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the same with PyTorch's own operator, in float64."""
    values, secret = case.steps[0].data["values"], case.secret
    order = case.steps[0].data["orders"][0]
    x = values["x"].double()
    if secret["op"] == "warp":
        rows = [row[:count].sum() for row, count in zip(x, secret["lanes"], strict=True)]
        return {f"{order}:sums": torch.stack(rows)}
    if secret["op"] == "block":
        return {f"{order}:sums": torch.sum(x, dim=2, keepdim=True).expand_as(x).contiguous()}
    if min(secret["sizes"]) < 0 or "ended" in secret:
        return {}
    bounds = torch.tensor([0, *secret["sizes"]]).cumsum(0)
    return {f"{order}:out": torch.segment_reduce(x, "sum", offsets=bounds, initial=0)}
