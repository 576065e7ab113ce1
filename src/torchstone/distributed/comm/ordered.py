"""Reductions whose bits depend on neither the number of ranks nor the size of the tensor.

``all_reduce`` of gloo and NCCL cuts a tensor into chunks, and starts the sum of each chunk at a
different rank. With three or more ranks, these sums differ in the last bit from those of one
process. Here each element is summed by one rank, in rank order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

ORDERS = ("rank", "float64", "fast")


def _maximum(total: Tensor, part: Tensor) -> Tensor:
    return torch.maximum(total, part, out=total)


def _minimum(total: Tensor, part: Tensor) -> Tensor:
    return torch.minimum(total, part, out=total)


def _multiply(total: Tensor, part: Tensor) -> Tensor:
    if not total.is_complex():
        return total.mul_(part)
    # Vectorized complex multiplication rounds the last elements of a tensor differently.
    real = total.real * part.real - total.imag * part.imag
    total.imag.copy_(total.real * part.imag + total.imag * part.real)
    total.real.copy_(real)
    return total


_STEPS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "sum": Tensor.add_,
    "mean": Tensor.add_,
    "product": _multiply,
    "min": _minimum,
    "max": _maximum,
}
OPS = tuple(_STEPS)


def combine(parts: Sequence[Tensor], *, op: str, order: str, out: Tensor) -> None:
    """Reduce the parts of all ranks in rank order, into a tensor that is none of the parts.

    Shapes:
        parts: N tensors of one shape -> out, of the same shape.

    Args:
        parts: The input of each rank, in rank order.
        op: One of ``OPS``.
        order: ``"float64"`` adds in float64 (complex128 for complex numbers) and rounds once;
            otherwise the sum is in the dtype of the parts. Integer sums are exact in both.
        out: The result.
    """
    wide = _dtype_of_sums(out, op=op, order=order)
    is_wide = wide != out.dtype
    step, rest = _STEPS[op], parts[1:]
    if is_wide:
        total = parts[0].to(wide, copy=True)
    elif step is Tensor.add_ and rest and rest[0].dtype == out.dtype:
        # Add the first two parts in one call, because the sum of large tensors is memory-bound.
        total, rest = torch.add(parts[0], rest[0], out=out), rest[1:]
    else:
        total = out.copy_(parts[0])
    for part in rest:
        step(total, part.to(wide) if is_wide else part)
    if op == "mean":
        divide(total, len(parts))
    if is_wide:
        out.copy_(total)


def _dtype_of_sums(out: Tensor, *, op: str, order: str) -> torch.dtype:
    if order == "float64" and out.is_complex():
        return torch.complex128
    if order == "float64" and out.is_floating_point():
        return torch.float64
    # torch cannot add these dtypes; modulo 2^64, signed sums and products have the same bits.
    if out.dtype in (torch.uint16, torch.uint32, torch.uint64):
        return torch.int64
    # torch cannot divide these dtypes.
    if out.dtype == torch.complex32 and op == "mean":
        return torch.complex64
    return out.dtype


def divide(total: Tensor, count: int) -> None:
    """Divide a sum by a count in place, rounding integers down."""
    if total.is_floating_point() or total.is_complex():
        total.div_(count)
    else:
        total.floor_divide_(count)
