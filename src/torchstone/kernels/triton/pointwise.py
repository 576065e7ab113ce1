"""Softmax, bias_gelu and swiglu in Triton."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from torchstone.kernels.triton.launch import block_of, matrix_of, num_warps_of, number_of

# Elements per program of elementwise kernels.
RANGE = 1024
# For column sums: columns per program, minimum rows per program, maximum number of parts.
COLUMNS, ROWS_OF_PART, MOST_PARTS = 128, 16, 256


@triton.jit
def _softmax(input, out, width, NUMBER: tl.constexpr, BLOCK: tl.constexpr, IS_WHOLE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    input += row * width
    out += row * width
    lanes = tl.arange(0, BLOCK)
    if IS_WHOLE:
        inside = lanes < width
        x = tl.load(input + lanes, mask=inside, other=float("-inf")).to(NUMBER)
        e = tl.exp(x - tl.max(x, 0))
        tl.store(out + lanes, (e / tl.sum(e, 0)).to(out.dtype.element_ty), mask=inside)
    else:
        # Each lane has its own maximum, and rescales its sum when that grows.
        largest = tl.full([BLOCK], float("-inf"), NUMBER)
        sums = tl.zeros([BLOCK], NUMBER)
        for begin in range(0, width, BLOCK):
            inside = begin + lanes < width
            x = tl.load(input + begin + lanes, mask=inside, other=float("-inf")).to(NUMBER)
            larger = tl.maximum(largest, x)
            # Before a lane has seen a value, both are minus infinity, and the difference would be
            # NaN.
            base = tl.where(larger > float("-inf"), larger, 0.0)
            sums = sums * tl.exp(largest - base) + tl.exp(x - base)
            largest = larger
        best = tl.max(largest, 0)
        total = tl.sum(sums * tl.exp(largest - best), 0)
        for begin in range(0, width, BLOCK):
            inside = begin + lanes < width
            x = tl.load(input + begin + lanes, mask=inside, other=float("-inf")).to(NUMBER)
            y = tl.exp(x - best) / total
            tl.store(out + begin + lanes, y.to(out.dtype.element_ty), mask=inside)


@triton.jit
def _softmax_backward(grad, out, grad_input, width, NUMBER: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lanes = tl.arange(0, BLOCK)
    products = tl.zeros([BLOCK], NUMBER)
    for begin in range(0, width, BLOCK):
        inside = begin + lanes < width
        at = row * width + begin + lanes
        y = tl.load(out + at, mask=inside, other=0.0).to(NUMBER)
        products += y * tl.load(grad + at, mask=inside, other=0.0).to(NUMBER)
    along = tl.sum(products, 0)
    for begin in range(0, width, BLOCK):
        inside = begin + lanes < width
        at = row * width + begin + lanes
        y = tl.load(out + at, mask=inside, other=0.0).to(NUMBER)
        result = y * (tl.load(grad + at, mask=inside, other=0.0).to(NUMBER) - along)
        tl.store(grad_input + at, result.to(grad_input.dtype.element_ty), mask=inside)


@triton.jit
def _gelu(x):
    """Return the tanh approximation of GELU, and its derivative."""
    square = x * x
    gate = tl.sigmoid(1.5957691216057308 * x * (1 + 0.044715 * square))
    inner = gate * (1 - gate)
    rise = 1.5957691216057308 * x * inner * (1 + 3 * 0.044715 * square)
    # Where x overflows, inner is 0 and its factor infinite.
    return x * gate, gate + tl.where(inner == 0, 0.0, rise)


@triton.jit
def _bias_gelu(
    input, bias, out, count, width,
    HAS_BIAS: tl.constexpr, NUMBER: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    x = tl.load(input + at, mask=inside, other=0.0).to(NUMBER)
    if HAS_BIAS:
        x += tl.load(bias + at % width, mask=inside, other=0.0).to(NUMBER)
    value, _ = _gelu(x)
    tl.store(out + at, value.to(out.dtype.element_ty), mask=inside)


@triton.jit
def _bias_gelu_backward(
    grad, input, bias, grad_input, parts, num_rows, width, height,
    HAS_BIAS: tl.constexpr, NUMBER: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    part = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = columns < width
    shift = tl.zeros([BLOCK], NUMBER)
    if HAS_BIAS:
        shift = tl.load(bias + columns, mask=inside, other=0.0).to(NUMBER)
    sums = tl.zeros([BLOCK], NUMBER)
    for row in range(part * height, tl.minimum((part + 1) * height, num_rows)):
        at = row * width + columns
        x = tl.load(input + at, mask=inside, other=0.0).to(NUMBER) + shift
        _, slope = _gelu(x)
        result = tl.load(grad + at, mask=inside, other=0.0).to(NUMBER) * slope
        tl.store(grad_input + at, result.to(grad_input.dtype.element_ty), mask=inside)
        sums += result
    if HAS_BIAS:
        tl.store(parts + part * width + columns, sums, mask=inside)


@triton.jit
def _swiglu(gate, up, out, count, NUMBER: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    x = tl.load(gate + at, mask=inside, other=0.0).to(NUMBER)
    result = x * tl.sigmoid(x) * tl.load(up + at, mask=inside, other=0.0).to(NUMBER)
    tl.store(out + at, result.to(out.dtype.element_ty), mask=inside)


@triton.jit
def _swiglu_backward(
    grad, gate, up, grad_gate, grad_up, count, NUMBER: tl.constexpr, BLOCK: tl.constexpr
):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    g = tl.load(grad + at, mask=inside, other=0.0).to(NUMBER)
    x = tl.load(gate + at, mask=inside, other=0.0).to(NUMBER)
    s = tl.sigmoid(x)
    inner = s * (1 - s)
    slope = s + tl.where(inner == 0, 0.0, x * inner)
    of_gate = g * tl.load(up + at, mask=inside, other=0.0).to(NUMBER) * slope
    tl.store(grad_gate + at, of_gate.to(grad_gate.dtype.element_ty), mask=inside)
    tl.store(grad_up + at, (g * x * s).to(grad_up.dtype.element_ty), mask=inside)


def softmax(input: Tensor) -> Tensor:
    """Compute ``softmax``; see ``kernels.probabilities``."""
    dense = input.contiguous()
    out = torch.empty_like(dense)
    rows, width = matrix_of(input, 1)
    if rows * width:
        block, is_whole = block_of(input, width)
        _softmax[(rows,)](
            dense, out, width,
            NUMBER=number_of(input), BLOCK=block, IS_WHOLE=is_whole, num_warps=num_warps_of(block),
        )  # fmt: skip
    return out


def softmax_backward(grad: Tensor, out: Tensor) -> Tensor:
    """Compute ``softmax_backward``; see ``kernels.probabilities``."""
    dense_grad, dense = grad.contiguous(), out.contiguous()
    grad_input = torch.empty_like(dense)
    rows, width = matrix_of(out, 1)
    if rows * width:
        block, _ = block_of(out, width)
        _softmax_backward[(rows,)](
            dense_grad, dense, grad_input, width,
            NUMBER=number_of(out), BLOCK=block, num_warps=num_warps_of(block),
        )  # fmt: skip
    return grad_input


def bias_gelu(input: Tensor, bias: Tensor | None) -> Tensor:
    """Compute ``bias_gelu``; see ``kernels.activations``."""
    dense = input.contiguous()
    out = torch.empty_like(dense)
    if count := input.numel():
        _bias_gelu[(triton.cdiv(count, RANGE),)](
            dense, dense if bias is None else bias.contiguous(), out, count, input.shape[-1],
            HAS_BIAS=bias is not None, NUMBER=number_of(input), BLOCK=RANGE,
        )  # fmt: skip
    return out


def bias_gelu_backward(grad: Tensor, input: Tensor, bias: Tensor | None) -> tuple[Tensor, Tensor]:
    """Compute ``bias_gelu_backward``; see ``kernels.activations``."""
    dense_grad, dense = grad.contiguous(), input.contiguous()
    grad_input = torch.empty_like(dense)
    rows, width = matrix_of(input, 1)
    height = max(ROWS_OF_PART, triton.cdiv(rows, MOST_PARTS))
    num_parts = triton.cdiv(rows, height) if width else 0
    wide = torch.float64 if input.dtype == torch.float64 else torch.float32
    parts = input.new_empty((num_parts, width if bias is not None else 0), dtype=wide)
    if num_parts:
        _bias_gelu_backward[(num_parts, triton.cdiv(width, COLUMNS))](
            dense_grad, dense, dense if bias is None else bias.contiguous(), grad_input, parts,
            rows, width, height,
            HAS_BIAS=bias is not None, NUMBER=number_of(input), BLOCK=COLUMNS,
        )  # fmt: skip
    return grad_input, parts.sum(0).to(input.dtype if bias is None else bias.dtype)


def swiglu(gate: Tensor, up: Tensor) -> Tensor:
    """Compute ``swiglu``; see ``kernels.activations``."""
    dense_gate, dense_up = gate.contiguous(), up.contiguous()
    out = torch.empty_like(dense_gate)
    if count := gate.numel():
        _swiglu[(triton.cdiv(count, RANGE),)](
            dense_gate, dense_up, out, count, NUMBER=number_of(gate), BLOCK=RANGE
        )
    return out


def swiglu_backward(grad: Tensor, gate: Tensor, up: Tensor) -> tuple[Tensor, Tensor]:
    """Compute ``swiglu_backward``; see ``kernels.activations``."""
    dense = [each.contiguous() for each in (grad, gate, up)]
    grad_gate, grad_up = torch.empty_like(dense[1]), torch.empty_like(dense[2])
    if count := gate.numel():
        _swiglu_backward[(triton.cdiv(count, RANGE),)](
            *dense, grad_gate, grad_up, count, NUMBER=number_of(gate), BLOCK=RANGE
        )
    return grad_gate, grad_up
