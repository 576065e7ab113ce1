"""Know the truth of problem 44: a product in float64, and how much of it each word was used."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
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
SUCCESS, INVALID_VALUE = 0, 1
COUNTERS, NOTHING = "1:random:counters", "[]"
WORDS_OF_STATUS = {
    SUCCESS: {
        "en": "The entry did not return cudaSuccess.",
        "zh": "入口函数没有返回 `cudaSuccess`。",
    },
    INVALID_VALUE: {
        "en": "A negative size or a row stride below the row wants cudaErrorInvalidValue, before "
        "anything is launched.",
        "zh": "尺寸为负，或行跨度小于行宽时，应返回 `cudaErrorInvalidValue`，不启动任何核函数。",
    },
}
NO_LAUNCH = {
    "en": "Something was launched where nothing may be: sizes are refused, or C is empty.",
    "zh": "参数不合法或 C 为空时不应启动任何核函数，这里却启动了。",
}
STRAYS = {
    "en": "Words between the rows of C were written; they belong to somebody else.",
    "zh": "写到了 C 的行与行之间的填充处：那里不属于你。",
}
UNWRITTEN = {
    "en": "Elements of C were never written: the grid does not reach all of them.",
    "zh": "C 中有元素从未写过：网格没有覆盖全部元素。",
}
FAR_OFF = {
    "en": "An element of C is beyond the tolerance.",
    "zh": "C 中有元素超出容差。",
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    secret = case.secret
    m, n, _ = secret["shape"]
    status = secret.get("status", SUCCESS)
    wanted: Expected = {"status": Exact(status, note=WORDS_OF_STATUS[status])}
    operation = secret.get("op", "matmul")
    if status != SUCCESS:
        # The poison of an output that nobody touched is NaN.
        (length,) = case.steps[0].data["outputs"]["C"][1]
        wanted["C"] = Want(torch.full((length,), torch.nan).double(), 0.0, torch.float32)
    elif operation == "long":
        wanted["C"] = Holds(partial(_is_right_or_poison, *_truth(secret)), FAR_OFF, aspect="value")
        wanted["unwritten"] = Exact(0, aspect="value", note=UNWRITTEN)
    else:
        stride = n if operation == "far" else secret["strides"][2]
        wanted["C"] = _spread(*_truth(secret), stride)
    if operation == "matmul":
        wanted["strays"] = Exact(0, aspect="value", note=STRAYS)
    expected = in_every_order(case.steps, wanted)
    if status != SUCCESS or 0 in (m, n):
        expected[COUNTERS] = Holds(lambda text: text == NOTHING, NO_LAUNCH)
    if "perf" in secret:
        expected |= _counted(secret)
    return expected


def _truth(secret: dict[str, Any]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the product and the tolerance, both as (M, N)."""
    left, right = secret["A"].double(), secret["B"].double()
    truth = left @ right
    k = 2 + 2 * left.shape[1] ** 0.5
    # Where a term is infinite so is the sum, or NaN, and no bound is asked.
    bound = (k * UNIT * (left.abs() @ right.abs())).nan_to_num(0.0, 0.0, 0.0)
    if len(left) == secret["shape"][0]:
        return truth, bound
    rows = torch.arange(secret["shape"][0]) % len(left)
    return truth[rows], bound[rows]


def _spread(truth: torch.Tensor, bound: torch.Tensor, stride: int) -> Want:
    """Want the rows of C where they lie; between them the poison stays, which is NaN."""
    rows, width = truth.shape
    length = (rows - 1) * stride + width if rows and width else 0
    flat, limit = torch.full((length,), torch.nan).double(), torch.zeros(length).double()
    if length:
        for to, given in ((flat, truth), (limit, bound)):
            to.as_strided((rows, width), (stride, 1)).copy_(given)
    return Want(flat, limit, torch.float32)


def _is_right_or_poison(truth: torch.Tensor, bound: torch.Tensor, got: Any) -> bool:
    """Tell whether each element is right or was left to blocks that did not run.

    The launcher runs the last blocks of a grid of thousands; `unwritten` says where that is wrong.
    """
    if not isinstance(got, torch.Tensor) or got.shape != (truth.numel(),):
        return False
    near = (got.double() - truth.reshape(-1)).abs() <= bound.reshape(-1)
    # NaN is no right answer of these cases.
    return bool((near | got.isnan()).all())


def _counted(secret: dict[str, Any]) -> Expected:
    """Want that a tile in shared memory is read, and that what is loaded is used again."""
    m, n, k = secret["shape"]
    gate = partial(_loads, m * n * k)
    references = {"naive": "2", "tiled": "0.125", "reference": "0.042"}
    return {
        COUNTERS: Holds(where_counted(_reads_shared), NO_TILE),
        "reuse": Gate(_measure(gate), 2 / 7.5, WORDS_OF_REUSE, references),
        "star of reuse": Star("reuse", _measure(gate), 2 / 15, STARS["reuse"]),
        "star of registers": Star(
            "registers", _measure(partial(_shared_lanes, m * n * k)), 1.0, STARS["registers"]
        ),
        "star of barriers": Star("barriers", _measure(_barriers), 1.25, STARS["barriers"]),
        "star of access": Star("access", _measure(_excess), 1.1, STARS["access"]),
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


def _sum(kernels: tuple[Totals, ...], *names: str) -> int:
    return sum(each[name] for each in kernels for name in names)


def _reads_shared(kernels: tuple[Totals, ...]) -> bool:
    return _sum(kernels, "shared load.requests") > 0


def _loads(multiply_adds: int, kernels: tuple[Totals, ...]) -> float:
    """Count the words that come from global memory for each multiply-add.

    An atomic reads its word, too, and `__constant__` memory lies in global memory.
    """
    names = ("global load.bytes", "constant load.bytes", "global atomic.bytes")
    return _sum(kernels, *names) / 4 / multiply_adds


def _shared_lanes(multiply_adds: int, kernels: tuple[Totals, ...]) -> float:
    return _sum(kernels, "shared load.lanes") / multiply_adds


def _barriers(kernels: tuple[Totals, ...]) -> float:
    return sum(each.num_barriers for each in kernels) / sum(
        each.num_store_epochs for each in kernels
    )


def _excess(kernels: tuple[Totals, ...]) -> float:
    """Tell by how much bank conflicts, or sectors of which little is used, exceed what is due."""
    wavefronts = _sum(kernels, "shared.wavefronts") / _sum(kernels, "shared.ideal_wavefronts")
    sectors, ideal = (
        _sum(kernels, f"global load.{name}", f"global store.{name}")
        for name in ("sectors", "ideal_sectors")
    )
    return max(wavefronts, sectors / ideal)


NO_TILE = {
    "en": "No kernel reads shared memory: there is no tile.",
    "zh": "没有任何核函数读取共享内存：根本没有瓦片。",
}
WORDS_OF_REUSE = {
    "en": "{came} words are loaded from global memory for each multiply-add; at most {most} may "
    "be. Without tiles: {naive}; tiles of 16 × 16: {tiled}; the model solution: {reference}.",
    "zh": "每次乘加要从全局内存加载 {came} 个字，至多允许 {most} 个。"
    "不分块是 {naive}，16 × 16 的瓦片是 {tiled}，参考解答是 {reference}。",
}
STARS = {
    "reuse": {
        "en": "★ At most 2/15 words are loaded from global memory for each multiply-add.",
        "zh": "★ 每次乘加至多从全局内存加载 2/15 个字。",
    },
    "registers": {
        "en": "★★ At most one lane reads shared memory for each multiply-add: registers serve.",
        "zh": "★★ 每次乘加至多有一个 lane 读共享内存：寄存器里的数得到了复用。",
    },
    "barriers": {
        "en": "★★★ At most 1.25 barriers for each interval in which shared memory is written: two "
        "buffers take turns.",
        "zh": "★★★ 每个写共享内存的区间至多对应 1.25 次屏障：两个缓冲区轮流使用。",
    },
    "access": {
        "en": "★ Neither the wavefronts of shared memory nor the sectors of global memory exceed "
        "1.1 times what the words need.",
        "zh": "★ 共享内存的 wavefront 数和全局内存的 sector 数，都不超过所需的 1.1 倍。",
    },
}


def builtin(case: Case) -> dict[str, torch.Tensor]:
    """Compute the same with PyTorch's own operator, in float64."""
    secret = case.secret
    if secret.get("op") == "long" or "status" in secret:
        return {}
    left, right = secret["A"].double(), secret["B"].double()
    truth = torch.mm(left, right)
    stride = truth.shape[1] if secret.get("op") == "far" else secret["strides"][2]
    order = case.steps[0].data["orders"][0]
    return {f"{order}:C": _spread(truth, torch.zeros_like(truth), stride).value}
