"""Rotary position embedding in Triton: one program for each tile of rows and pairs."""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

from torchstone.kernels.triton.launch import number_of

# Maximum pairs per program: of one row, and of all its rows.
PAIRS_OF_ROW, PAIRS_OF_PROGRAM = 128, 1024


@triton.jit
def _rotary(
    input, cosines, sines, out, strides, num_rows, num_heads, num_places, half,
    TURNS_BACK: tl.constexpr, IS_INTERLEAVED: tl.constexpr, NUMBER: tl.constexpr,
    ROWS: tl.constexpr, PAIRS: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    begin = tl.program_id(1) * PAIRS
    pairs = begin + tl.arange(0, PAIRS)[None, :]
    place, head = row % num_places, row // num_places % num_heads
    input += row // num_places // num_heads * strides[0] + head * strides[1] + place * strides[2]
    out += row * half * 2
    inside = (row < num_rows) & (pairs < half)
    c = tl.load(cosines + place * half + pairs, mask=inside, other=0.0)
    s = tl.load(sines + place * half + pairs, mask=inside, other=0.0)
    if TURNS_BACK:
        s = -s
    if IS_INTERLEAVED:
        # Partners are adjacent: both are loaded at once, and separated in registers.
        columns = 2 * begin + tl.arange(0, 2 * PAIRS)[None, :]
        whole = (row < num_rows) & (columns < 2 * half)
        x = tl.load(input + columns, mask=whole, other=0.0).to(NUMBER)
        first, second = tl.split(tl.reshape(x, [ROWS, PAIRS, 2]))
        turned = tl.join(first * c - second * s, first * s + second * c)
        turned = tl.reshape(turned, [ROWS, 2 * PAIRS])
        tl.store(out + columns, turned.to(out.dtype.element_ty), mask=whole)
    else:
        first = tl.load(input + pairs, mask=inside, other=0.0).to(NUMBER)
        second = tl.load(input + half + pairs, mask=inside, other=0.0).to(NUMBER)
        to = out.dtype.element_ty
        tl.store(out + pairs, (first * c - second * s).to(to), mask=inside)
        tl.store(out + half + pairs, (first * s + second * c).to(to), mask=inside)


def rotary(
    input: Tensor, cosines: Tensor, sines: Tensor, is_interleaved: bool, turns_back: bool
) -> Tensor:
    """Compute ``rotary``; see ``kernels.rotary``.

    Strided heads, such as those of a projection, are read in place for up to four dimensions.
    """
    view = input.flatten(0, input.dim() - 4) if input.dim() > 4 else input
    view = view if view.stride(-1) == 1 else view.contiguous()
    while view.dim() < 4:
        view = view[None]
    out = input.new_empty(input.shape)
    num_places, width = view.shape[2:]
    if num_rows := view.shape[:3].numel() if width else 0:
        pairs = min(triton.next_power_of_2(width // 2), PAIRS_OF_ROW)
        rows = PAIRS_OF_PROGRAM // pairs
        _rotary[(triton.cdiv(num_rows, rows), triton.cdiv(width // 2, pairs))](
            view, cosines.contiguous(), sines.contiguous(), out, view.stride()[:3],
            num_rows, view.shape[1], num_places, width // 2,
            TURNS_BACK=turns_back, IS_INTERLEAVED=is_interleaved, NUMBER=number_of(input),
            ROWS=rows, PAIRS=pairs,
        )  # fmt: skip
    return out
