"""Know the truth of problem 43: a comparison, exact in every bit that is judged."""

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
from torchstone.judge.kit.native import Totals

SUCCESS, INVALID_VALUE = 0, 1
COUNTERS, NOTHING = "1:random:counters", "[]"
WORDS_OF_STATUS = {
    SUCCESS: {
        "en": "The entry did not return cudaSuccess.",
        "zh": "入口函数没有返回 `cudaSuccess`。",
    },
    INVALID_VALUE: {
        "en": "A negative n wants cudaErrorInvalidValue, before anything is launched.",
        "zh": "n 为负时应返回 `cudaErrorInvalidValue`，并且不启动任何核函数。",
    },
}
NO_LAUNCH = {
    "en": "Something was launched where nothing may be: n is not positive.",
    "zh": "n 不是正数时不应启动任何核函数，这里却启动了。",
}
A_LAUNCH = {
    "en": "No kernel was launched: the device has done nothing.",
    "zh": "没有启动任何核函数：设备什么也没做。",
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret, values = case.secret, case.steps[0].data["values"]
    n = secret["n"]
    aspect = "value" if secret["op"] == "forward" else "grad"
    status = INVALID_VALUE if n < 0 else SUCCESS
    truth = _truth(values, secret["op"])
    if n < 0:
        # The poison of an output that nobody touched is NaN.
        truth = torch.full_like(truth, torch.nan)
    expected = in_every_order(
        case.steps,
        {
            secret["output"]: Want(truth.double(), 0.0, torch.float32, aspect=aspect),
            "status": Exact(status, note=WORDS_OF_STATUS[status]),
        },
    )
    if n <= 0:
        expected[COUNTERS] = Holds(lambda text: text == NOTHING, NO_LAUNCH)
    if "perf" in secret:
        expected[COUNTERS] = Holds(lambda text: text != NOTHING, A_LAUNCH)
        expected |= _counted(secret)
    return expected


def _truth(values: dict[str, Any], operation: str) -> torch.Tensor:
    if operation == "forward":
        x = values["x"]
        return torch.where(x < 0, torch.zeros_like(x), x)
    return torch.where(values["y"] <= 0, torch.zeros_like(values["y"]), values["grad_y"])


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


def _counted(secret: dict[str, Any]) -> Expected:
    """Want what is counted: gates where pointers are aligned, a star for the forward."""
    star = Star(secret["perf"], _measure(_requests_of_128), 1.1, WORDS_OF_STARS[secret["perf"]])
    if secret["perf"] == "shifted":
        return {"star": star}
    num_arrays = 2 if secret["op"] == "forward" else 3
    gates = _gates(secret["n"], num_arrays)
    return gates | {"star": star} if secret["op"] == "forward" else gates


def _requests_of_128(kernels: tuple[Totals, ...]) -> float:
    # A warp that moves 16 bytes a lane moves 128 elements, or 16 sectors, with one request. Both
    # are counted in the same blocks, so that it does not matter which these are.
    return 16 * _sum(kernels, "global.requests") / _sum(kernels, "global.ideal_sectors")


def _idle_lanes(kernels: tuple[Totals, ...]) -> float:
    return 32 - _sum(kernels, "global load.lanes") / _sum(kernels, "global load.requests")


def _gates(n: int, num_arrays: int) -> Expected:
    return {
        "idle": Gate(_measure(_idle_lanes), 20.0, WORDS_OF_IDLE, {"naive": "31", "reference": "0"}),
        "sectors": Gate(
            _measure(lambda kernels: _sum(kernels, "global.sectors") / (num_arrays * n / 8)),
            1.6,
            WORDS_OF_SECTORS,
            {"naive": "8", "reference": "1"},
        ),
        "elements": Gate(
            _measure(lambda kernels: n / sum(each.num_threads for each in kernels)),
            32.0,
            WORDS_OF_ELEMENTS,
            {"naive": str(n), "reference": "4", "n": str(n)},
        ),
    }


WORDS_OF_IDLE = {
    "en": "{came} of 32 lanes idle in an average global load; at most {most} may. "
    "One thread for all: {naive}; the model solution: {reference}.",
    "zh": "平均每次全局加载有 {came} 个 lane（共 32 个）空闲，至多允许 {most} 个。"
    "单线程写法是 {naive}，参考解答是 {reference}。",
}
WORDS_OF_SECTORS = {
    "en": "{came} times the sectors that the arrays fill are moved; at most {most} may be. "
    "A contiguous chunk per thread: {naive}; the model solution: {reference}.",
    "zh": "搬运的 sector 是数组所占的 {came} 倍，至多允许 {most} 倍。"
    "每个线程处理连续一段的写法是 {naive}，参考解答是 {reference}。",
}
WORDS_OF_ELEMENTS = {
    "en": "{came} elements for each thread that was launched; at most {most} may be, of {n}. "
    "One thread for all: {naive}; the model solution: {reference}.",
    "zh": "平均每个线程要处理 {came} 个元素，n = {n} 时至多允许 {most} 个。"
    "单线程写法是 {naive}，参考解答是 {reference}。",
}
WORDS_OF_STARS = {
    "aligned": {
        "en": "★★ With aligned pointers the forward makes at most 1.1 requests for 128 elements.",
        "zh": "★★ 指针对齐时，前向平均每 128 个元素至多发出 1.1 次请求。",
    },
    "shifted": {
        "en": "★★★ So it does when both pointers are off by the same 4, 8 or 12 bytes.",
        "zh": "★★★ 两个指针同样偏移 4、8 或 12 字节时也是如此。",
    },
}


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the same with PyTorch's own operator, in float64."""
    values, secret = case.steps[0].data["values"], case.secret
    if secret["n"] < 0:
        return {}
    order = case.steps[0].data["orders"][0]
    if secret["op"] == "forward":
        return {f"{order}:y": torch.relu(values["x"].double())}
    grad_y, y = values["grad_y"].double(), values["y"].double()
    return {f"{order}:grad_x": torch.ops.aten.threshold_backward(grad_y, y, 0.0)}
