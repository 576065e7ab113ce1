"""Block quantization: 8-bit or 4-bit codes, and one bfloat16 scale per block of a row."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchstone.kernels import block_reference
from torchstone.kernels.arguments import FLOATING, require_floating
from torchstone.kernels.block_reference import FORMATS
from torchstone.kernels.library import define, ready, refusal

_NAMES = [*FORMATS]


def block_quantize(input: Tensor, format: str = "int8", block: int = 32) -> tuple[Tensor, Tensor]:
    """Quantize a tensor in blocks; see ``block_reference``.

    Args:
        input: Shape ``(*, D)``; float32, bfloat16, float16 or float64.
        format: ``int8``, ``int4`` or ``fp8``.
        block: The number of values per scale; it divides D, and is even with int4.

    Returns:
        Codes of shape ``(*, D)``, or ``(*, D / 2)`` in int4; scales of shape ``(*, D / block)``.

    Raises:
        TypeError: A dtype is not supported.
        ValueError: The format or the block size is invalid.
    """
    require_floating("block_quantize", "input", input)
    _check("block_quantize", format, block, input.shape[-1] if input.dim() else 0)
    ready()
    codes, scales = _block_quantize(input, _NAMES.index(format), block)
    return codes, scales


def block_dequantize(
    codes: Tensor, scales: Tensor, format: str, block: int, dtype: torch.dtype = torch.float32
) -> Tensor:
    """Dequantize codes: exact in float32 and float64, rounded once in half precision.

    Args:
        codes: As ``block_quantize`` returns them.
        scales: As ``block_quantize`` returns them.
        format: ``int8``, ``int4`` or ``fp8``.
        block: The number of values per scale.
        dtype: The dtype of the result; float32, bfloat16, float16 or float64.

    Raises:
        TypeError: A dtype is not supported.
        ValueError: The format or the block size is invalid.
    """
    width = codes.shape[-1] * FORMATS[format].values_per_code if format in FORMATS else 0
    _check("block_dequantize", format, block, width)
    if dtype not in FLOATING:
        raise TypeError(f"block_dequantize: dtype is {dtype}; expected a floating one")
    if codes.dtype != FORMATS[format].dtype or scales.dtype != torch.bfloat16:
        raise TypeError(
            f"block_dequantize: codes are {codes.dtype} and scales {scales.dtype}; expected "
            f"{FORMATS[format].dtype} and torch.bfloat16"
        )
    ready()
    out: Tensor = _block_dequantize(
        codes, scales, _NAMES.index(format), block, FLOATING.index(dtype)
    )
    return out


def _check(function: str, format: str, block: int, width: int) -> None:
    if format not in FORMATS:
        raise ValueError(f"{function}: format is {format!r}; expected one of {', '.join(FORMATS)}")
    if block < 1 or block % FORMATS[format].values_per_code or width % block:
        raise ValueError(
            f"{function}: blocks of {block} do not divide a row of {width} in {format}"
        )


# ---- Operators; formats and dtypes are integers, which PyTorch's stable ABI can pass


def _quantize(input: Tensor, format: int, block: int) -> tuple[Tensor, Tensor]:
    return block_reference.quantize(input, _NAMES[format], block)


def _dequantize(codes: Tensor, scales: Tensor, format: int, block: int, dtype: int) -> Tensor:
    return block_reference.dequantize(codes, scales, _NAMES[format], block, FLOATING[dtype])


def _fake_quantize(input: Tensor, format: int, block: int) -> tuple[Tensor, Tensor]:
    how = FORMATS[_NAMES[format]]
    *rows, width = input.shape
    return (
        input.new_empty((*rows, width // how.values_per_code), dtype=how.dtype),
        input.new_empty((*rows, width // block), dtype=torch.bfloat16),
    )


def _fake_dequantize(codes: Tensor, scales: Tensor, format: int, block: int, dtype: int) -> Tensor:
    *rows, width = codes.shape
    size = (*rows, width * FORMATS[_NAMES[format]].values_per_code)
    return codes.new_empty(size, dtype=FLOATING[dtype])


def _keep_nothing(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    outputs = output if isinstance(output, tuple) else (output,)
    ctx.mark_non_differentiable(*outputs)


_no_gradient = refusal(
    "torchstone::block_quantize and block_dequantize have no derivative; torchstone.nested passes "
    "gradients straight through"
)
_block_quantize = define(
    "block_quantize(Tensor input, int format, int block) -> (Tensor, Tensor)",
    reference=_quantize,
    fake=_fake_quantize,
    backward=_no_gradient,
    setup_context=_keep_nothing,
)
_block_dequantize = define(
    "block_dequantize(Tensor codes, Tensor scales, int format, int block, int dtype) -> Tensor",
    reference=_dequantize,
    fake=_fake_dequantize,
    backward=_no_gradient,
    setup_context=_keep_nothing,
)
