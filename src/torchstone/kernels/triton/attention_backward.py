"""FlashAttention in Triton, backward: deterministic gradients of query, key and value.

One kernel computes the gradient of the queries, with one program per block of queries. Another
computes those of keys and values, with one program per block of keys. Both recompute the
probabilities. Programs share no result, so no atomic additions are needed.

Source:
    Dao, "FlashAttention-2", 2023, algorithm 2.
"""

from __future__ import annotations

import triton
import triton.language as tl

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


@triton.jit
def _load_logarithms(lse, queries, size):
    """Load base-2 log-sum-exps, with infinity where all probabilities are 0."""
    logarithms = tl.load(lse + queries, mask=queries < size, other=float("inf"))
    return tl.where(logarithms == float("-inf"), float("inf"), logarithms) * 1.4426950408889634


@triton.jit
def _add_of_query(
    sums, q, g, logarithms, along, key, value, padding, slope, random, begin, end, queries, shift,
    num_keys, left, right,
    SCALE: tl.constexpr, EXPONENT: tl.constexpr, KEPT: tl.constexpr, THRESHOLD: tl.constexpr,
    HEAD_DIM: tl.constexpr, KEYS: tl.constexpr, WIDTH: tl.constexpr, IS_EDGE: tl.constexpr,
    IS_WIDENED: tl.constexpr,
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
        p = tl.exp2(scores * EXPONENT - logarithms[:, None])
        v = load_tile(value, first, num_keys, HEAD_DIM, KEYS, WIDTH, IS_EDGE)
        of_p = multiply(g, tl.trans(v), None, IS_WIDENED)
        if random is not None:
            kept = is_kept(queries[:, None], columns, random, THRESHOLD)
            of_p = tl.where(kept, of_p * KEPT, 0.0)
        of_scores = p * (of_p - along[:, None])
        sums = multiply(of_scores.to(k.dtype), k, sums, IS_WIDENED)
    return sums


@triton.jit
def gradient_of_query(
    grad, query, key, value, out, lse, along, of_query, padding, slopes, seed, cu_seq_q, cu_seq_k,
    num_queries, num_keys, heads, groups, num_blocks, left, right,
    SCALE: tl.constexpr, EXPONENT: tl.constexpr, KEPT: tl.constexpr, THRESHOLD: tl.constexpr,
    HEAD_DIM: tl.constexpr, NUMBER: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr,
    WIDTH: tl.constexpr, IS_WIDENED: tl.constexpr,
):  # fmt: skip
    """Compute the gradient of a block of queries, and the row sums of grad times out."""
    block, head, number = program_of(num_blocks, heads)
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
    queries = first + tl.arange(0, QUERIES)
    query = rows_of(query, number, head, cu_seq_q)
    q = load_tile(query, first, size, HEAD_DIM, QUERIES, WIDTH, True)
    g = load_tile(
        rows_of(grad, number, head, cu_seq_q), first, size, HEAD_DIM, QUERIES, WIDTH, True
    )
    y = load_tile(rows_of(out, number, head, cu_seq_q), first, size, HEAD_DIM, QUERIES, WIDTH, True)
    sums_along = tl.sum(g.to(NUMBER) * y.to(NUMBER), 1)
    along, _ = rows_of(along, number, head, cu_seq_q)
    tl.store(along + queries, sums_along, mask=queries < size)
    lse, _ = rows_of(lse, number, head, cu_seq_q)
    logarithms = _load_logarithms(lse, queries, size)
    last = tl.minimum(first + QUERIES, size) - 1
    bounds = spans(first, last, keys - size, left, right, keys, KEYS)
    sums = tl.zeros([QUERIES, WIDTH], NUMBER)
    for part in tl.static_range(3):
        if part > 0 or left is not None:
            sums = _add_of_query(
                sums, q, g, logarithms, sums_along, key, value, padding, slope, random,
                bounds[part], bounds[part + 1], queries, keys - size, keys, left, right,
                SCALE, EXPONENT, KEPT, THRESHOLD, HEAD_DIM, KEYS, WIDTH, part != 1, IS_WIDENED,
            )  # fmt: skip
    # SCALE and EXPONENT together are the scale for base 2.
    sums *= SCALE * EXPONENT * 0.6931471805599453
    of_query = rows_of(of_query, number, head, cu_seq_q)
    store_tile(of_query, first, size, sums, HEAD_DIM, QUERIES, WIDTH)


@triton.jit
def _add_of_key(
    of_key, of_value, k, v, query, grad, lse, along, padding, slope, random, begin, end, columns,
    shift, num_queries, num_keys, left, right,
    SCALE: tl.constexpr, EXPONENT: tl.constexpr, KEPT: tl.constexpr, THRESHOLD: tl.constexpr,
    HEAD_DIM: tl.constexpr, QUERIES: tl.constexpr, WIDTH: tl.constexpr, IS_EDGE: tl.constexpr,
    IS_WIDENED: tl.constexpr,
):  # fmt: skip
    for first in range(begin, end, QUERIES):
        first = tl.multiple_of(first, QUERIES)
        queries = first + tl.arange(0, QUERIES)
        q = load_tile(query, first, num_queries, HEAD_DIM, QUERIES, WIDTH, IS_EDGE)
        # Scores are transposed: their rows are keys, like those of the results.
        scores = multiply(k, tl.trans(q), None, IS_WIDENED) * SCALE
        places = queries[None, :] + shift
        scores = mask_scores(
            scores, places, columns, num_keys, slope, padding, left, right, IS_EDGE
        )
        logarithms = _load_logarithms(lse, queries, num_queries)
        p = tl.exp2(scores * EXPONENT - logarithms[None, :])
        g = load_tile(grad, first, num_queries, HEAD_DIM, QUERIES, WIDTH, IS_EDGE)
        p_kept = p
        if random is not None:
            kept = is_kept(queries[None, :], columns, random, THRESHOLD)
            p_kept = tl.where(kept, p, 0.0)
        of_value = multiply(p_kept.to(g.dtype), g, of_value, IS_WIDENED)
        of_p = multiply(v, tl.trans(g), None, IS_WIDENED)
        if random is not None:
            of_p = tl.where(kept, of_p * KEPT, 0.0)
        sums_along = tl.load(along + queries, mask=queries < num_queries, other=0.0)
        of_scores = p * (of_p - sums_along[None, :])
        of_key = multiply(of_scores.to(q.dtype), q, of_key, IS_WIDENED)
    return of_key, of_value


@triton.jit
def gradient_of_key(
    grad, query, key, value, lse, along, of_key, of_value, padding, slopes, seed, cu_seq_q,
    cu_seq_k, num_queries, num_keys, heads, groups, num_blocks, left, right,
    SCALE: tl.constexpr, EXPONENT: tl.constexpr, KEPT: tl.constexpr, THRESHOLD: tl.constexpr,
    HEAD_DIM: tl.constexpr, NUMBER: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr,
    WIDTH: tl.constexpr, IS_WIDENED: tl.constexpr,
):  # fmt: skip
    """Compute the gradients of a block of keys and values, over all heads that share them."""
    block, key_head, number = program_of(num_blocks, heads // groups)
    first = block * KEYS
    size, keys = size_of(cu_seq_q, number, num_queries), size_of(cu_seq_k, number, num_keys)
    if cu_seq_k is not None:
        if first >= keys:
            return
    if padding is not None:
        padding += number.to(tl.int64) * num_keys
    key = rows_of(key, number, key_head, cu_seq_k)
    value = rows_of(value, number, key_head, cu_seq_k)
    k = load_tile(key, first, keys, HEAD_DIM, KEYS, WIDTH, True)
    v = load_tile(value, first, keys, HEAD_DIM, KEYS, WIDTH, True)
    columns = first + tl.arange(0, KEYS)[:, None]
    last = tl.minimum(first + KEYS, keys) - 1
    # A key is visible to queries on its right as far as queries see to their left.
    bounds = spans(first, last, size - keys, right, left, size, QUERIES)
    sums_k = tl.zeros([KEYS, WIDTH], NUMBER)
    sums_v = tl.zeros([KEYS, WIDTH], NUMBER)
    # Loop-invariant code is not hoisted, because there are no registers left for it.
    for member in tl.range(groups, disable_licm=True):
        head = key_head * groups + member
        slope, random = None, None
        if slopes is not None:
            slope = tl.load(slopes + head) * 1.4426950408889634
        if seed is not None:
            random = key_of(seed, number * heads + head)
        q, g = rows_of(query, number, head, cu_seq_q), rows_of(grad, number, head, cu_seq_q)
        logarithms, _ = rows_of(lse, number, head, cu_seq_q)
        sums_along, _ = rows_of(along, number, head, cu_seq_q)
        for part in tl.static_range(3):
            if part > 0 or right is not None:
                sums_k, sums_v = _add_of_key(
                    sums_k, sums_v, k, v, q, g, logarithms, sums_along, padding, slope, random,
                    bounds[part], bounds[part + 1], columns, keys - size, size, keys, left, right,
                    SCALE, EXPONENT, KEPT, THRESHOLD, HEAD_DIM, QUERIES, WIDTH, part != 1,
                    IS_WIDENED,
                )  # fmt: skip
    # SCALE and EXPONENT together are the scale for base 2.
    sums_k *= SCALE * EXPONENT * 0.6931471805599453
    of_key = rows_of(of_key, number, key_head, cu_seq_k)
    of_value = rows_of(of_value, number, key_head, cu_seq_k)
    store_tile(of_key, first, keys, sums_k, HEAD_DIM, KEYS, WIDTH)
    store_tile(of_value, first, keys, sums_v * KEPT, HEAD_DIM, KEYS, WIDTH)
