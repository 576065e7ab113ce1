"""FlashAttention in Triton, forward: one program for each block of queries.

Source:
    Dao, "FlashAttention-2", 2023, algorithm 1; Milakov, Gimelshein, "Online normalizer calculation
    for softmax", 2018, algorithm 3.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from torchstone.kernels.attention_reference import Mask, rows_like, threshold_of
from torchstone.kernels.norm_reference import statistics_dtype
from torchstone.kernels.triton.attention_backward import gradient_of_key, gradient_of_query
from torchstone.kernels.triton.attention_tiles import (
    is_kept,
    key_of,
    load_tile,
    mask_scores,
    multiply,
    program_of,
    rows_of,
    size_of,
    spans,
    store_tile,
)
from torchstone.kernels.triton.launch import number_of

LOG2E = 1.4426950408889634
# Kind of numbers -> maximum head_dim -> queries and keys per tile, warps, and pipeline stages. One
# side stays in registers, the other is streamed. Sizes fit the registers and shared memory of
# Hopper; "small" is for GPUs with less.
Tiles = dict[str, dict[int, tuple[int, int, int, int]]]
FORWARD: Tiles = {
    "half": {64: (128, 64, 4, 3), 128: (128, 64, 8, 3), 256: (128, 64, 8, 2)},
    "small half": {64: (128, 64, 4, 2), 128: (64, 64, 4, 2), 256: (64, 32, 4, 1)},
    "float32": {64: (64, 32, 8, 2), 128: (32, 32, 8, 1), 256: (16, 16, 8, 1)},
    "float64": {64: (32, 32, 4, 1), 128: (32, 32, 4, 1), 256: (16, 16, 4, 1)},
}
OF_QUERY: Tiles = {
    "half": {64: (128, 64, 8, 3), 128: (128, 64, 8, 3), 256: (128, 32, 8, 1)},
    "small half": {64: (64, 64, 4, 2), 128: (64, 32, 4, 2), 256: (32, 32, 4, 1)},
    "float32": {64: (32, 32, 8, 2), 128: (16, 16, 8, 1), 256: (16, 16, 8, 1)},
    "float64": {64: (32, 32, 4, 1), 128: (16, 32, 4, 1), 256: (16, 16, 4, 1)},
}
OF_KEY: Tiles = {
    "half": {64: (64, 128, 8, 3), 128: (64, 128, 8, 3), 256: (32, 64, 8, 2)},
    "small half": {64: (64, 64, 4, 2), 128: (32, 64, 4, 2), 256: (16, 32, 4, 2)},
    "float32": {64: (32, 32, 8, 2), 128: (32, 32, 8, 1), 256: (16, 16, 8, 1)},
    "float64": {64: (32, 32, 4, 1), 128: (32, 16, 4, 1), 256: (16, 16, 4, 1)},
}
# Compute capabilities with 227 KiB of shared memory per program; others have 99 or 163 KiB.
LARGE_GENERATIONS = (9, 10)


@triton.jit
def _attend(
    largest, total, sums, q, key, value, padding, slope, random, begin, end, queries, shift,
    num_keys, left, right,
    SCALE: tl.constexpr, EXPONENT: tl.constexpr, THRESHOLD: tl.constexpr, HEAD_DIM: tl.constexpr,
    KEYS: tl.constexpr, WIDTH: tl.constexpr, IS_EDGE: tl.constexpr, IS_WIDENED: tl.constexpr,
):  # fmt: skip
    for first in range(begin, end, KEYS):
        first = tl.multiple_of(first, KEYS)
        columns = first + tl.arange(0, KEYS)[None, :]
        k = load_tile(key, first, num_keys, HEAD_DIM, KEYS, WIDTH, IS_EDGE)
        scores = multiply(q, tl.trans(k), None, IS_WIDENED) * SCALE
        places = queries[:, None] + shift
        scores = mask_scores(
            scores, places, columns, num_keys, slope, padding, left, right, IS_EDGE
        )
        larger = tl.maximum(largest, tl.max(scores, 1) * EXPONENT)
        base = larger
        if IS_EDGE or padding is not None:
            # Until a query has seen a key, its maximum is minus infinity, and the difference would
            # be NaN.
            base = tl.where(larger > float("-inf"), larger, 0.0)
        p = tl.exp2(scores * EXPONENT - base[:, None])
        rescale = tl.exp2(largest - base)
        total = total * rescale + tl.sum(p, 1)
        if random is not None:
            p = tl.where(is_kept(queries[:, None], columns, random, THRESHOLD), p, 0.0)
        v = load_tile(value, first, num_keys, HEAD_DIM, KEYS, WIDTH, IS_EDGE)
        sums = multiply(p.to(v.dtype), v, sums * rescale[:, None], IS_WIDENED)
        largest = larger
    return largest, total, sums


@triton.jit
def _forward(
    query, key, value, out, lse, padding, slopes, seed, cu_seq_q, cu_seq_k, num_queries, num_keys,
    heads, groups, num_blocks, left, right,
    SCALE: tl.constexpr, EXPONENT: tl.constexpr, KEPT: tl.constexpr, THRESHOLD: tl.constexpr,
    HEAD_DIM: tl.constexpr, NUMBER: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr,
    WIDTH: tl.constexpr, IS_WIDENED: tl.constexpr,
):  # fmt: skip
    block, head, number = program_of(num_blocks, heads)
    # With causal masks the last queries see most keys, so they start first.
    first = (num_blocks - 1 - block) * QUERIES
    size, keys = size_of(cu_seq_q, number, num_queries), size_of(cu_seq_k, number, num_keys)
    if cu_seq_q is not None:
        if first >= size:
            return
    key = rows_of(key, number, head // groups, cu_seq_k)
    value = rows_of(value, number, head // groups, cu_seq_k)
    slope, random = None, None
    if padding is not None:
        padding += number.to(tl.int64) * num_keys
    if slopes is not None:
        slope = tl.load(slopes + head) * 1.4426950408889634
    if seed is not None:
        random = key_of(seed, number * heads + head)
    query = rows_of(query, number, head, cu_seq_q)
    q = load_tile(query, first, size, HEAD_DIM, QUERIES, WIDTH, True)
    queries = first + tl.arange(0, QUERIES)
    last = tl.minimum(first + QUERIES, size) - 1
    bounds = spans(first, last, keys - size, left, right, keys, KEYS)
    largest = tl.full([QUERIES], float("-inf"), NUMBER)
    total = tl.zeros([QUERIES], NUMBER)
    sums = tl.zeros([QUERIES, WIDTH], NUMBER)
    # Three parts: keys cut off by the window, keys that all queries see, and the end.
    for part in tl.static_range(3):
        if part > 0 or left is not None:
            largest, total, sums = _attend(
                largest, total, sums, q, key, value, padding, slope, random, bounds[part],
                bounds[part + 1], queries, keys - size, keys, left, right,
                SCALE, EXPONENT, THRESHOLD, HEAD_DIM, KEYS, WIDTH, part != 1, IS_WIDENED,
            )  # fmt: skip
    # A query that sees no key has a sum of 0, a result of 0 and a log-sum-exp of minus infinity.
    total = tl.where(total == 0, 1.0, total)
    out = rows_of(out, number, head, cu_seq_q)
    store_tile(out, first, size, sums * (KEPT / total)[:, None], HEAD_DIM, QUERIES, WIDTH)
    lse, _ = rows_of(lse, number, head, cu_seq_q)
    logarithm = (largest + tl.log2(total)) * 0.6931471805599453
    tl.store(lse + queries, logarithm, mask=queries < size)


def flash_attention(query: Tensor, key: Tensor, value: Tensor, *rest: Any) -> tuple[Tensor, Tensor]:
    """Compute ``flash_attention``; see ``kernels.attention``.

    The ends of packed sequences are not checked, which would synchronize the GPU; if they exceed
    the number of positions, the result is undefined.
    """
    mask = Mask(*rest)
    out, lse = rows_like(query), _logarithms_like(query)
    tensors = {"query": query, "key": key, "value": value, "out": out, "lse": lse}
    _launch(_forward, FORWARD, tensors, mask)
    return out, lse


def flash_attention_backward(
    grad: Tensor, query: Tensor, key: Tensor, value: Tensor, out: Tensor, lse: Tensor, *rest: Any
) -> tuple[Tensor, Tensor, Tensor]:
    """Compute ``flash_attention_backward``; see ``kernels.attention``."""
    mask = Mask(*rest)
    of_query, of_key, of_value = (rows_like(each) for each in (query, key, value))
    # Row sums of grad times out, computed by the first kernel and used by the second.
    tensors = {
        "grad": grad, "query": query, "key": key, "value": value, "lse": lse,
        "along": _logarithms_like(query),
    }  # fmt: skip
    _launch(gradient_of_query, OF_QUERY, tensors | {"out": out, "of_query": of_query}, mask)
    of_keys = {"of_key": of_key, "of_value": of_value}
    _launch(gradient_of_key, OF_KEY, tensors | of_keys, mask, is_over_keys=True)
    return of_query, of_key, of_value


def _logarithms_like(query: Tensor) -> Tensor:
    return query.new_empty(query.shape[:3], dtype=statistics_dtype(query))


def _launch(
    kernel: Any, tiles: Tiles, tensors: dict[str, Tensor], mask: Mask, is_over_keys: bool = False
) -> None:
    """Launch one program per block of queries or keys, head and sequence."""
    query, key = tensors["query"], tensors["key"]
    width = max(16, triton.next_power_of_2(query.shape[-1]))
    queries, keys, num_warps, num_stages = tiles[_kind_of(query)][max(width, 64)]
    longest = [query.shape[2], key.shape[2]]
    num_sequences = query.shape[0]
    if mask.cu_seq_q is not None:
        longest, num_sequences = [mask.max_q, mask.max_k], mask.cu_seq_q.shape[0] - 1
    num_blocks = triton.cdiv(longest[is_over_keys], keys if is_over_keys else queries)
    num_programs = num_blocks * num_sequences * (key if is_over_keys else query).shape[1]
    if num_programs:
        kernel[(num_programs,)](
            **{name: _rows(each) for name, each in tensors.items()},
            **_arguments(query, key, mask, *longest), num_blocks=num_blocks,
            QUERIES=queries, KEYS=keys, WIDTH=width, num_warps=num_warps, num_stages=num_stages,
        )  # fmt: skip


def _kind_of(query: Tensor) -> str:
    kind = {2: "half", 4: "float32", 8: "float64"}[query.element_size()]
    if kind == "half" and query.is_cuda:
        generation, _ = torch.cuda.get_device_capability(query.device)
        return kind if generation in LARGE_GENERATIONS else "small half"
    return kind


def _rows(tensor: Tensor) -> tuple[Tensor | int, ...]:
    """Return a tensor whose last stride is 1, followed by its other strides."""
    dense = tensor if tensor.stride(-1) == 1 else tensor.contiguous()
    return dense, *dense.stride()[:3]


def _arguments(
    query: Tensor, key: Tensor, mask: Mask, longest_q: int, longest_k: int
) -> dict[str, Any]:
    """Return the arguments that all kernels receive.

    Exponentials have base 2. The scale is folded into the exponent, after the maximum is taken, if
    that is equivalent: without slopes, and for a positive scale, which preserves the order.
    """
    exponent, is_folded = mask.scale * LOG2E, mask.scale > 0 and mask.slopes is None
    padding, slopes = mask.key_padding_mask, mask.slopes
    return {
        "padding": None if padding is None else _padding_for(query, padding),
        "slopes": None if slopes is None else slopes.contiguous(),
        "seed": mask.seed,
        "cu_seq_q": None if mask.cu_seq_q is None else mask.cu_seq_q.contiguous(),
        "cu_seq_k": None if mask.cu_seq_k is None else mask.cu_seq_k.contiguous(),
        "num_queries": query.shape[2],
        "num_keys": key.shape[2],
        "heads": query.shape[1],
        "groups": query.shape[1] // key.shape[1],
        # A window that covers everything is passed as None.
        "left": mask.left if 0 <= mask.left < longest_k - 1 else None,
        "right": mask.right if 0 <= mask.right < longest_q - 1 else None,
        "SCALE": 1.0 if is_folded else exponent,
        "EXPONENT": exponent if is_folded else 1.0,
        "KEPT": 1.0 if mask.seed is None else 1 / (1 - mask.dropout),
        "THRESHOLD": threshold_of(mask.dropout),
        "HEAD_DIM": query.shape[-1],
        "NUMBER": number_of(query),
        "IS_WIDENED": query.dtype == torch.bfloat16 and triton.knobs.runtime.interpret,
    }


def _padding_for(query: Tensor, padding: Tensor) -> Tensor:
    # Triton 3.6 and 3.7 choose the instruction of a product by the narrowest load that its operands
    # depend on, and have none for float64 with bytes.
    is_wide = query.dtype == torch.float64
    return (padding.to(torch.int64) if is_wide else padding).contiguous()
