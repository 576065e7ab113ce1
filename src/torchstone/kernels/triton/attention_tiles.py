"""Shared parts of the Triton attention kernels: tiles, masks and dropout.

A tile is what a program holds at once: so many places of a sequence, each a row of head_dim
numbers. Rows are given as ``(pointer, stride)``: where the first place is, and how far apart
two places are.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def program_of(num_blocks, heads):
    """Return the block of this program, its head, and the number of its sequence."""
    program = tl.program_id(0)
    row = program // num_blocks
    return program % num_blocks, row % heads, row // heads


@triton.jit
def size_of(cu_seq, number, size):
    """Return the places of a sequence."""
    if cu_seq is None:
        return size
    else:
        return (tl.load(cu_seq + number + 1) - tl.load(cu_seq + number)).to(tl.int32)


@triton.jit
def rows_of(tensor, number, head, cu_seq):
    """Return the rows of a head of a sequence.

    A tensor is given as its pointer, and its strides of the batch, of heads and of places.
    """
    stride = tl.cast(tensor[3], tl.int64)
    pointer = tensor[0] + head * tl.cast(tensor[2], tl.int64)
    if cu_seq is None:
        return pointer + number * tl.cast(tensor[1], tl.int64), stride
    else:
        return pointer + tl.load(cu_seq + number) * stride, stride


@triton.jit
def load_tile(
    rows, first, size,
    HEAD_DIM: tl.constexpr, BLOCK: tl.constexpr, WIDTH: tl.constexpr, IS_EDGE: tl.constexpr,
):  # fmt: skip
    """Load the rows from the first one on; those behind the last place, at an edge, as zeros."""
    places, columns = tl.arange(0, BLOCK), tl.arange(0, WIDTH)
    at = (rows[0] + first * rows[1]) + (places * rows[1])[:, None] + columns[None, :]
    if IS_EDGE:
        inside = (places < size - first)[:, None]
        if HEAD_DIM < WIDTH:
            inside = inside & (columns < HEAD_DIM)[None, :]
        return tl.load(at, mask=inside, other=0.0)
    elif HEAD_DIM < WIDTH:
        return tl.load(at, mask=(columns < HEAD_DIM)[None, :], other=0.0)
    else:
        return tl.load(at)


@triton.jit
def store_tile(
    rows, first, size, tile,
    HEAD_DIM: tl.constexpr, BLOCK: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    """Store the rows from the first one on."""
    places, columns = tl.arange(0, BLOCK), tl.arange(0, WIDTH)
    at = (rows[0] + first * rows[1]) + (places * rows[1])[:, None] + columns[None, :]
    inside = (places < size - first)[:, None] & (columns < HEAD_DIM)[None, :]
    tl.store(at, tile.to(rows[0].dtype.element_ty), mask=inside)


@triton.jit
def multiply(left, right, sums, IS_WIDENED: tl.constexpr):
    """Return left @ right + sums; half types are multiplied as they are, and added in float32.

    A factor in float32 is the sum of two in TF32, whose products are added but for the least one:
    the units that multiply matrices know no float32, and others took up to three times as long.
    Triton's interpreter would take bfloat16 for whole numbers: there, it is widened.
    """
    if IS_WIDENED:
        return tl.dot(left.to(tl.float32), right.to(tl.float32), sums, input_precision="ieee")
    elif left.dtype == tl.float64:
        # Before Triton 3.8, out_dtype is float32 by default, and sums in float64 are refused.
        return tl.dot(left, right, sums, input_precision="ieee", out_dtype=tl.float64)
    else:
        return tl.dot(left, right, sums, input_precision="tf32x3")


@triton.jit
def spans(first, last, shift, before, behind, size, BLOCK: tl.constexpr):
    """Return which blocks on the other side the places from first to last see.

    Returns:
        The start of the first block that some place sees; the start of the first block that all
        places see whole; the end of the last such block; and the end of the seen places.
    """
    begin = 0
    whole = 0
    if before is not None:
        begin = tl.maximum(first + shift - before, 0) // BLOCK * BLOCK
        whole = (tl.maximum(last + shift - before, 0) + BLOCK - 1) // BLOCK * BLOCK
    end = size
    edge = size // BLOCK * BLOCK
    if behind is not None:
        end = tl.minimum(last + shift + behind + 1, size)
        edge = tl.maximum(tl.minimum(first + shift + behind + 1, size), 0) // BLOCK * BLOCK
    has_whole = whole < edge
    return begin, tl.where(has_whole, whole, begin), tl.where(has_whole, edge, begin), end


@triton.jit
def mask_scores(
    scores, places, columns, num_keys, slope, padding, left, right, IS_EDGE: tl.constexpr
):
    """Add the bias of the distance to scores, and set masked ones to minus infinity.

    Args:
        scores: Of queries and keys, in either order.
        places: The places of the queries among the keys; broadcast with ``columns``.
        columns: The places of the keys.
        num_keys: How many keys there are.
        slope: What a score loses for each step of distance; or none.
        padding: Which keys are padding; or none.
        left: How many keys before its place a query sees; or none for all.
        right: The same behind its place.
        IS_EDGE: Whether there are scores that are not seen, padding aside.
    """
    if slope is not None:
        scores -= slope * tl.abs(columns - places).to(scores.dtype)
    if IS_EDGE or padding is not None:
        seen = columns < num_keys
        if padding is not None:
            seen = seen & (tl.load(padding + columns, mask=seen, other=1) == 0)
        if IS_EDGE and left is not None:
            seen = seen & (columns >= places - left)
        if IS_EDGE and right is not None:
            seen = seen & (columns <= places + right)
        scores = tl.where(seen, scores, float("-inf"))
    return scores


@triton.jit
def philox(low, high, key):
    """Return the first word of Philox2x32-10, as ``attention_reference.philox`` does.

    Source:
        Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", 2011, section 3.3.
    """
    for _ in tl.static_range(10):
        upper = tl.umulhi(low, 0xD256D193)
        product = tl.mul(low, 0xD256D193, sanitize_overflow=False)
        low = upper ^ key ^ high
        high = product
        key = tl.add(key, 0x9E3779B9, sanitize_overflow=False)
    return low


@triton.jit
def key_of(seed, number):
    """Return the key of dropout of a head of a sequence, which have a number together."""
    word = tl.load(seed)
    return philox(number.to(tl.uint32), word.to(tl.uint32), (word >> 32).to(tl.uint32))


@triton.jit
def is_kept(queries, columns, key, THRESHOLD: tl.constexpr):
    """Return what dropout keeps; queries and the columns of keys are broadcast."""
    words = philox(queries.to(tl.uint32), columns.to(tl.uint32), key)
    return words >= tl.full([], THRESHOLD, tl.uint32)
