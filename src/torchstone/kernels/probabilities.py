"""Softmax operator, with its reference implementation in plain PyTorch."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from torchstone.kernels.arguments import require_floating
from torchstone.kernels.library import define, ready, widened_on_gpu
from torchstone.kernels.norm_reference import statistics_dtype


def softmax(input: Tensor, dim: int = -1) -> Tensor:
    """Compute the softmax along a dimension, like ``torch.softmax``.

    Half-precision inputs are computed in float32 and rounded once.

    Args:
        input: Any shape with at least one dimension; float32, bfloat16, float16 or float64.
        dim: The dimension along which the results sum to one.

    Raises:
        TypeError: The dtype is not supported.
        IndexError: The dimension is out of range.
    """
    require_floating("softmax", "input", input)
    if not -input.dim() <= dim < input.dim():
        raise IndexError(f"softmax: dim is {dim}, but input has {input.dim()} dimensions")
    ready()
    out: Tensor = _softmax(input.movedim(dim, -1)).movedim(-1, dim)
    return out


def reference(input: Tensor) -> Tensor:
    """Compute the softmax over the last dimension in plain PyTorch."""
    x = input.to(statistics_dtype(input))
    # Subtract the maximum, so that no exponential overflows.
    e = (x - x.amax(-1, keepdim=True)).exp() if x.numel() else x
    return (e / e.sum(-1, keepdim=True)).to(input.dtype)


def reference_backward(grad: Tensor, out: Tensor) -> Tensor:
    """Return the gradient of the input: y (grad - sum of grad y)."""
    g, y = grad.to(statistics_dtype(out)), out.to(statistics_dtype(out))
    return (y * (g - (g * y).sum(-1, keepdim=True))).to(out.dtype)


def _setup(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.save_for_backward(output)


def _backward(ctx: Any, grad: Tensor) -> Tensor:
    (out,) = ctx.saved_tensors
    result: Tensor = _softmax_backward(grad, out)
    return result


def _setup_backward(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.save_for_backward(*inputs)


def _backward_of_backward(ctx: Any, a: Tensor) -> tuple[Tensor, Tensor]:
    grad, out = ctx.saved_tensors
    dtype = statistics_dtype(out)
    g, y, v = grad.to(dtype), out.to(dtype), a.to(dtype)
    along, of_both = (g * y).sum(-1, keepdim=True), (v * y).sum(-1, keepdim=True)
    of_out = v * (g - along) - g * of_both
    return (y * (v - of_both)).to(grad.dtype), of_out.to(out.dtype)


_softmax = define(
    "softmax(Tensor input) -> Tensor",
    reference=reference,
    fake=lambda x: x.new_empty(x.shape),
    backward=_backward,
    setup_context=_setup,
    autocast=(widened_on_gpu, 1),
)
_softmax_backward = define(
    "softmax_backward(Tensor grad, Tensor out) -> Tensor",
    reference=reference_backward,
    fake=lambda g, y: y.new_empty(y.shape),
    backward=_backward_of_backward,
    setup_context=_setup_backward,
)
