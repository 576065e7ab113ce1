"""Rotary position embedding (RoPE) of queries and keys."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchstone.kernels.arguments import require_beside, require_floating, require_shape
from torchstone.kernels.library import define, ready
from torchstone.kernels.norm_reference import statistics_dtype


def rotary_embedding(
    input: Tensor, cosines: Tensor, sines: Tensor, *, interleaved: bool = False
) -> Tensor:
    """Rotate each pair of elements of a row by the angle of its position.

    Args:
        input: Shape ``(*, places, width)`` with an even width; float32, bfloat16, float16 or
            float64.
        cosines: Shape ``(places, width / 2)``, float32, or float64 with a float64 input. It gets
            no gradient.
        sines: Likewise.
        interleaved: Whether element 2i is paired with 2i + 1, as in the paper; otherwise with the
            element half a row further, as in GPT-NeoX and Llama.

    Raises:
        TypeError: A dtype is not supported.
        ValueError: A shape or a device is invalid, or the width is odd.

    Source:
        Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021,
        equation 34.
    """
    require_floating("rotary_embedding", "input", input)
    if input.dim() < 2 or input.shape[-1] % 2:
        raise ValueError(
            f"rotary_embedding: input has shape {tuple(input.shape)}; expected (*, places, width) "
            f"with an even width"
        )
    shape, dtype = (input.shape[-2], input.shape[-1] // 2), statistics_dtype(input)
    for name, angles in (("cosines", cosines), ("sines", sines)):
        require_floating("rotary_embedding", name, angles)
        require_shape("rotary_embedding", name, angles, shape)
        require_beside("rotary_embedding", name, angles, "input", input)
        if angles.dtype != dtype:
            raise TypeError(f"rotary_embedding: {name} is {angles.dtype}; expected {dtype}")
    ready()
    out: Tensor = _rotary(input, cosines.detach(), sines.detach(), interleaved, False)
    return out


def reference(
    input: Tensor, cosines: Tensor, sines: Tensor, is_interleaved: bool, turns_back: bool
) -> Tensor:
    """Compute the operator in plain PyTorch."""
    x = input.to(statistics_dtype(input))
    s = -sines if turns_back else sines
    if is_interleaved:
        first, second = x[..., ::2], x[..., 1::2]
    else:
        first, second = x.chunk(2, -1)
    turned = (first * cosines - second * s, first * s + second * cosines)
    out = torch.stack(turned, -1).flatten(-2) if is_interleaved else torch.cat(turned, -1)
    return out.to(input.dtype)


def _setup(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    _, cosines, sines, ctx.is_interleaved, ctx.turns_back = inputs
    ctx.save_for_backward(cosines, sines)


def _backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    """Rotate the gradient back: the transpose of a rotation is its inverse."""
    result = _rotary(grad, *ctx.saved_tensors, ctx.is_interleaved, not ctx.turns_back)
    return result, None, None, None, None


_rotary = define(
    "rotary(Tensor input, Tensor cosines, Tensor sines, bool is_interleaved, bool turns_back) "
    "-> Tensor",
    reference=reference,
    fake=lambda x, *_: x.new_empty(x.shape),
    backward=_backward,
    setup_context=_setup,
)
