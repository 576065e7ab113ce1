"""Reference block quantization in plain PyTorch; compiled kernels give identical bits.

Consecutive values along the last dimension form blocks of ``block`` values. A block has one scale
in bfloat16 and one code per value; a value is its code times the scale.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

# The smallest nonzero scale: smaller bfloat16 numbers are subnormal.
SMALLEST_SCALE = 2.0**-126


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """Code format.

    Attributes:
        name: The name of the format.
        largest: The largest code.
        dtype: The storage dtype of codes.
        values_per_code: The number of values per element of ``dtype``.
        bits: The number of bits per code.
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
    """Quantize a tensor in blocks; return the codes and the scales.

    Codes are computed with the rounded scale, so that code times stored scale is closest to the
    value. A block with a non-finite value has the scale NaN.

    Args:
        input: Shape ``(*, D)``, floating-point.
        format: A name of ``FORMATS``.
        block: The number of values per scale; it divides D.

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
    """Return the scales of blocks, given their largest magnitudes."""
    scales = (peaks / largest).to(torch.bfloat16)
    scales = scales.clamp_min(SMALLEST_SCALE)
    # If all codes would round to 0, the scale is 0, so that quantization is idempotent.
    scales = torch.where(peaks <= SMALLEST_SCALE / 2, 0.0, scales)
    # If the largest code would overflow the dtype, use the next smaller scale.
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
    # Low nibble first; the mask removes sign bits that would overwrite the high nibble.
    low, high = (whole[..., first::2] & 0xF for first in (0, 1))
    return low.view(torch.uint8) | (high.view(torch.uint8) << 4)


def dequantize(
    codes: Tensor, scales: Tensor, format: str, block: int, dtype: torch.dtype
) -> Tensor:
    """Dequantize codes: exact in float32 and float64, rounded once in half precision.

    Args:
        codes: As ``quantize`` returns them.
        scales: As ``quantize`` returns them.
        format: A name of ``FORMATS``.
        block: The number of values per scale.
        dtype: The dtype of the result.
    """
    numbers = _signed_nibbles(codes) if format == "int4" else codes
    blocks = numbers.unflatten(-1, (numbers.shape[-1] // block, block)).to(torch.float32)
    values: Tensor = blocks * scales.unsqueeze(-1).to(torch.float32)
    return values.flatten(-2).to(dtype)


def _signed_nibbles(codes: Tensor) -> Tensor:
    """Unpack two 4-bit integers from each byte; the arithmetic shift preserves the sign."""
    low, high = (codes << 4).view(torch.int8) >> 4, codes.view(torch.int8) >> 4
    return torch.stack((low, high), -1).flatten(-2)
