"""Quantization in blocks, in plain torch: what the compiled kernels compute, bit for bit.

Neighbours along the last dimension form blocks of ``block`` values. A block is a scale in bfloat16
and codes; a value is its code times the scale of its block.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

# The smallest scale other than 0: below it, bfloat16 has fewer bits.
SMALLEST_SCALE = 2.0**-126


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """How codes are stored.

    Attributes:
        name: What the user calls it.
        largest: The largest code.
        dtype: The dtype of stored codes.
        values_per_code: How many values are in an element of ``dtype``.
        bits: How many bits a code has.
    """

    name: str
    largest: float
    dtype: torch.dtype
    values_per_code: int
    bits: int


FORMATS = {
    each.name: each
    for each in (
        Format(name="int8", largest=127.0, dtype=torch.int8, values_per_code=1, bits=8),
        Format(name="int4", largest=7.0, dtype=torch.uint8, values_per_code=2, bits=4),
        Format(name="fp8", largest=448.0, dtype=torch.float8_e4m3fn, values_per_code=1, bits=8),
    )
}


def quantize(input: Tensor, format: str, block: int) -> tuple[Tensor, Tensor]:
    """Return the codes of a tensor and the scales of its blocks.

    Codes are computed with the rounded scale, so that a code times the stored scale is next to the
    value. A block with a value that is not finite has a scale that is not a number.

    Args:
        input: Shape ``(*, D)``, floating.
        format: A name of ``FORMATS``.
        block: How many values share a scale; it divides D.

    Returns:
        Codes of shape ``(*, D)``, or ``(*, D / 2)`` in int4; scales of shape ``(*, D / block)``.
    """
    largest = FORMATS[format].largest
    computed = torch.float64 if input.dtype == torch.float64 else torch.float32
    blocks = input.to(computed).unflatten(-1, (input.shape[-1] // block, block))
    scales = _scales(blocks.abs().amax(-1, keepdim=True), largest, input.dtype)
    usable = torch.where((scales > 0) & scales.isfinite(), scales.to(computed), 1.0)
    codes = (blocks / usable).clamp(-largest, largest)
    codes = torch.where(scales > 0, codes, 0.0).flatten(-2)
    return _store(codes, format), scales.squeeze(-1)


def _scales(peaks: Tensor, largest: float, dtype: torch.dtype) -> Tensor:
    """Return the scales of blocks with these largest magnitudes."""
    scales = (peaks / largest).to(torch.bfloat16)
    scales = scales.clamp_min(SMALLEST_SCALE)
    # What rounds to the code 0 is 0, so that quantizing once more changes nothing.
    scales = torch.where(peaks <= SMALLEST_SCALE / 2, 0.0, scales)
    # Where the largest code would overflow the dtype, the next smaller scale.
    overflows = (scales.to(peaks.dtype) * largest).to(dtype).isinf() & scales.isfinite()
    below = (scales.view(torch.int16) - 1).view(torch.bfloat16)
    scales = torch.where(overflows, below, scales)
    return torch.where(scales.isfinite(), scales, torch.nan)


def _store(codes: Tensor, format: str) -> Tensor:
    if format == "fp8":
        return codes.to(torch.float8_e4m3fn)
    whole = codes.round().to(torch.int8)
    if format == "int8":
        return whole
    # The low nibble first; without the mask the sign of the low one would fill the high one.
    low, high = (whole[..., first::2] & 0xF for first in (0, 1))
    return low.view(torch.uint8) | (high.view(torch.uint8) << 4)


def dequantize(
    codes: Tensor, scales: Tensor, format: str, block: int, dtype: torch.dtype
) -> Tensor:
    """Return the values of codes: exact in float32 and float64, rounded once in half types.

    Args:
        codes: As ``quantize`` returns them.
        scales: As ``quantize`` returns them.
        format: A name of ``FORMATS``.
        block: How many values share a scale.
        dtype: The dtype of the result.
    """
    numbers = _signed_nibbles(codes) if format == "int4" else codes
    blocks = numbers.unflatten(-1, (numbers.shape[-1] // block, block)).to(torch.float32)
    values: Tensor = blocks * scales.unsqueeze(-1).to(torch.float32)
    return values.flatten(-2).to(dtype)


def _signed_nibbles(codes: Tensor) -> Tensor:
    """Unpack two numbers of four bits from each byte; shifting right keeps the sign."""
    low, high = (codes << 4).view(torch.int8) >> 4, codes.view(torch.int8) >> 4
    return torch.stack((low, high), -1).flatten(-2)
