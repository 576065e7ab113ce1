"""Operators that dequantize codes panel by panel, without a tensor of all values.

``torchstone.kernels.block_dequantize`` dequantizes a panel of rows, and torch's matrix product
reads it. In a graph of ``torch.compile`` there is a single panel, because the number of rows is not
known.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchstone.nested.block_quant import BlockQuantTensor, decode_tree
from torchstone.nested.dispatch import Way, enter

aten = torch.ops.aten
# Rows of a panel: large enough that the product of a panel is as fast per row as that of the whole.
PANEL = 4096


@enter(Way.FUSED, aten.dequantize.self)
def _dequantize(operator: Any, t: BlockQuantTensor) -> Tensor:
    return t.decoded()


@enter(Way.FUSED, aten.linear.default)
def _linear(operator: Any, input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    weight, bias = decode_tree((weight, bias))
    if not isinstance(input, BlockQuantTensor):
        return _called(operator, input, weight, bias)
    if not _has_panels(input):
        return _called(operator, input.decoded(), weight, bias)
    out = _by_panels(input, weight.t(), bias)
    return out.view(*input.shape[:-1], weight.shape[0])


@enter(Way.FUSED, aten.mm.default, when="left")
def _mm(operator: Any, left: Tensor, right: Tensor) -> Any:
    if not isinstance(left, BlockQuantTensor):
        return NotImplemented
    right = decode_tree(right)
    return _by_panels(left, right, None) if _has_panels(left) else operator(left.decoded(), right)


@enter(Way.FUSED, aten.addmm.default, when="left")
def _addmm(operator: Any, bias: Tensor, left: Tensor, right: Tensor, **factors: float) -> Any:
    if not isinstance(left, BlockQuantTensor):
        return NotImplemented
    bias, right = decode_tree((bias, right))
    if factors or bias.dim() != 1 or not _has_panels(left):
        return operator(bias, left.decoded(), right, **factors)
    return _by_panels(left, right, bias)


def _called(operator: Any, *args: Any) -> Tensor:
    out: Tensor = operator(*args)
    return out


def _has_panels(t: BlockQuantTensor) -> bool:
    # While a graph is traced, the parts are proxies.
    is_real = type(t.codes) is Tensor and t.codes.is_contiguous() and t.scales.is_contiguous()
    return is_real and t.numel() > PANEL * t.shape[-1]


def _by_panels(left: BlockQuantTensor, right: Tensor, bias: Tensor | None) -> Tensor:
    """Compute left @ right + bias panel by panel."""
    codes, scales = left.codes.flatten(0, -2), left.scales.flatten(0, -2)
    out = right.new_empty(codes.shape[0], right.shape[1])
    for first in range(0, codes.shape[0], PANEL):
        rows = slice(first, first + PANEL)
        panel = left.with_parts(codes[rows], scales[rows]).decoded()
        if bias is None:
            torch.mm(panel, right, out=out[rows])
        else:
            torch.addmm(bias, panel, right, out=out[rows])
    return out
