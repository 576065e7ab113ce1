"""Shared parts of the Triton attention kernels: tiles, masks and dropout.

A tile is a number of consecutive positions of a sequence, each a row of head_dim elements. Rows are
given as ``(pointer, stride)``: the address of the first position and the distance between two
positions.
"""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def program_of(num_blocks, heads):
    """Return the block, the head and the sequence number of this program."""
    program = tl.program_id(0)
    row = program // num_blocks
    return program % num_blocks, row % heads, row // heads


@triton.jit
def size_of(cu_seq, number, size):
    """Return the length of a sequence."""
    if cu_seq is None:
        return size
    else:
        return (tl.load(cu_seq + number + 1) - tl.load(cu_seq + number)).to(tl.int32)


@triton.jit
def rows_of(tensor, number, head, cu_seq):
    """Return the rows of a head of a sequence.

    A tensor is given as its pointer and its strides of batch, heads and positions.
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
    """Load a tile of rows starting at ``first``; at an edge, rows beyond the end are zero."""
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
    """Store a tile of rows starting at ``first``."""
    places, columns = tl.arange(0, BLOCK), tl.arange(0, WIDTH)
    at = (rows[0] + first * rows[1]) + (places * rows[1])[:, None] + columns[None, :]
    inside = (places < size - first)[:, None] & (columns < HEAD_DIM)[None, :]
    tl.store(at, tile.to(rows[0].dtype.element_ty), mask=inside)


@triton.jit
def multiply(left, right, sums, IS_WIDENED: tl.constexpr):
    """Return left @ right + sums; half-precision products are accumulated in float32.

    float32 operands use three TF32 products (tf32x3): tensor cores do not support float32, and
    other units take up to three times as long. Triton's interpreter would treat bfloat16 as
    integers, so there it is widened.
    """
    if IS_WIDENED:
        return tl.dot(left.to(tl.float32), right.to(tl.float32), sums, input_precision="ieee")
    elif left.dtype == tl.float64:
        # Before Triton 3.8, out_dtype is float32 by default, and float64 sums are rejected.
        return tl.dot(left, right, sums, input_precision="ieee", out_dtype=tl.float64)
    else:
        return tl.dot(left, right, sums, input_precision="tf32x3")


@triton.jit
def spans(first, last, shift, before, behind, size, BLOCK: tl.constexpr):
    """Return the range of blocks on the other side that the positions first to last see.

    Returns:
        The start of the first visible block; the start of the first block that all positions see
        entirely; the end of the last such block; and the end of the visible positions.
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
    """Add the ALiBi bias to scores, and set masked scores to minus infinity.

    Args:
        scores: The scores, with queries and keys in either order.
        places: The positions of the queries among the keys; broadcast with ``columns``.
        columns: The positions of the keys.
        num_keys: The number of keys.
        slope: The ALiBi slope; or None.
        padding: The padding mask of the keys; or None.
        left: How many keys before its position a query sees; None for all.
        right: How many keys after its position a query sees; None for all.
        IS_EDGE: Whether any score may be masked other than by padding.
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
    """Return the first word of Philox2x32-10, like ``attention_reference.philox``.

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
    """Return the dropout key of a head of a sequence, which share one number."""
    word = tl.load(seed)
    return philox(number.to(tl.uint32), word.to(tl.uint32), (word >> 32).to(tl.uint32))


@triton.jit
def is_kept(queries, columns, key, THRESHOLD: tl.constexpr):
    """Return the dropout mask, True where kept; query and key positions are broadcast."""
    words = philox(queries.to(tl.uint32), columns.to(tl.uint32), key)
    return words >= tl.full([], THRESHOLD, tl.uint32)
