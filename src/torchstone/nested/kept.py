"""Operators that keep a tensor quantized, because they only move whole rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nested._internal.nested_tensor import NestedTensor

from torchstone.kernels.block_reference import FORMATS
from torchstone.nested.block_quant import BlockQuantTensor
from torchstone.nested.dispatch import Way, enter, is_row_dim

aten = torch.ops.aten
# Values in these dtypes reach any narrower dtype by a single rounding, as without quantization.
_WIDE = (torch.float32, torch.float64)


@enter(Way.KEPT, aten.detach.default, aten.alias.default, aten._pin_memory.default)
def _same(operator: Any, t: BlockQuantTensor, *args: Any, **kwargs: Any) -> BlockQuantTensor:
    return t.mapped(lambda part: operator(part, *args, **kwargs))


@enter(Way.KEPT, aten.is_pinned.default)
def _is_pinned(operator: Any, t: BlockQuantTensor, *args: Any, **kwargs: Any) -> bool:
    return all(operator(part, *args, **kwargs) for part in (t.codes, t.scales))


@enter(Way.KEPT, aten.clone.default, when="dense")
def _clone(operator: Any, t: BlockQuantTensor, *, memory_format: Any = None) -> Any:
    if memory_format not in (None, torch.preserve_format, torch.contiguous_format):
        return NotImplemented
    return t.mapped(lambda part: operator(part, memory_format=torch.contiguous_format))


@enter(Way.KEPT, aten._to_copy.default, when="narrower")
def _to_copy(
    operator: Any,
    t: BlockQuantTensor,
    *,
    dtype: torch.dtype | None = None,
    layout: torch.layout | None = None,
    device: torch.device | None = None,
    pin_memory: bool | None = None,
    non_blocking: bool = False,
    memory_format: Any = None,
) -> Any:
    """Copy codes and scales; a new dtype only changes the dtype of the values, without rounding."""
    dtype = dtype or t.dtype
    if not dtype.is_floating_point or (dtype != t.dtype and t.dtype not in _WIDE):
        return NotImplemented
    if dtype.itemsize < 2 or layout not in (None, torch.strided):
        return NotImplemented
    codes, scales = (
        operator(part, device=device, pin_memory=pin_memory, non_blocking=non_blocking)
        for part in (t.codes, t.scales)
    )
    return BlockQuantTensor(codes, scales, t.format, t.block, dtype)


@enter(
    Way.KEPT,
    *(aten.slice.Tensor, aten.narrow.default, aten.select.int, aten.index_select.default),
    when="rows",
)
def _rows(operator: Any, t: Any, dim: int = 0, *args: Any, **kwargs: Any) -> Any:
    if not isinstance(t, BlockQuantTensor) or not is_row_dim(t, dim):
        return NotImplemented
    return t.mapped(lambda part: operator(part, dim, *args, **kwargs))


@enter(Way.KEPT, aten.index.Tensor, when="rows")
def _index(operator: Any, t: Any, indices: Sequence[Tensor | None]) -> Any:
    masked = sum(i.dim() - 1 for i in indices if i is not None and i.dtype == torch.bool)
    if not isinstance(t, BlockQuantTensor) or len(indices) + masked >= t.dim():
        return NotImplemented
    return t.mapped(lambda part: operator(part, indices))


@enter(Way.KEPT, aten.split.Tensor, aten.split_with_sizes.default, when="rows")
def _split(operator: Any, t: BlockQuantTensor, sizes: Any, dim: int = 0) -> Any:
    if not is_row_dim(t, dim):
        return NotImplemented
    pairs = zip(operator(t.codes, sizes, dim), operator(t.scales, sizes, dim), strict=True)
    return [t.with_parts(*pair) for pair in pairs]


@enter(Way.KEPT, aten.unbind.int, when="rows")
def _unbind(operator: Any, t: BlockQuantTensor, dim: int = 0) -> Any:
    if not is_row_dim(t, dim):
        return NotImplemented
    pairs = zip(operator(t.codes, dim), operator(t.scales, dim), strict=True)
    return [t.with_parts(*pair) for pair in pairs]


@enter(Way.KEPT, aten.cat.default, when="rows_of_one_kind")
def _cat(operator: Any, tensors: Sequence[Tensor], dim: int = 0) -> Any:
    first = tensors[0]
    if not isinstance(first, BlockQuantTensor) or not is_row_dim(first, dim):
        return NotImplemented
    parts = [t for t in tensors if isinstance(t, BlockQuantTensor) and t.kind == first.kind]
    if len(parts) < len(tensors):
        return NotImplemented
    codes, scales = (
        operator([t.codes for t in parts], dim),
        operator([t.scales for t in parts], dim),
    )
    return first.with_parts(codes, scales)


@enter(Way.KEPT, aten.view.default, aten._unsafe_view.default, when="whole_blocks")
def _view(operator: Any, t: Any, size: Sequence[int]) -> Any:
    """Split rows into shorter ones or join them, as for attention heads."""
    if not isinstance(t, BlockQuantTensor) or not size or not t.codes.is_contiguous():
        return NotImplemented
    width = size[-1]
    if width == -1:
        known = 1
        for each in size[:-1]:
            known *= each
        width = t.numel() // known if known else 0
    if width < 1 or width % t.block or not t.scales.is_contiguous():
        return NotImplemented
    per_code = FORMATS[t.format].values_per_code
    codes = operator(t.codes, [*size[:-1], width // per_code])
    return t.with_parts(codes, operator(t.scales, [*size[:-1], width // t.block]))


@enter(
    Way.KEPT,
    *(aten.reshape.default, aten.flatten.using_ints, aten.unflatten.int),
    when="whole_blocks",
    is_composed=True,
)
@enter(Way.KEPT, aten.chunk.default, when="rows", is_composed=True)
@enter(
    Way.KEPT,
    *(aten.to.dtype, aten.to.device, aten.to.dtype_layout, aten.to.other),
    when="narrower",
    is_composed=True,
)
def _composed(operator: Any, *args: Any, **kwargs: Any) -> Any:
    """Decompose the operator, as torch does outside inference mode."""
    return operator.decompose(*args, **kwargs)


@enter(Way.KEPT, aten.unsqueeze.default, when="rows")
def _unsqueeze(operator: Any, t: BlockQuantTensor, dim: int) -> Any:
    if dim % (t.dim() + 1) == t.dim():
        return NotImplemented
    dim %= t.dim() + 1
    return t.mapped(lambda part: operator(part, dim))


@enter(Way.KEPT, aten.squeeze.dim, when="rows")
def _squeeze(operator: Any, t: BlockQuantTensor, dim: int) -> Any:
    if not is_row_dim(t, dim):
        return NotImplemented
    dim %= t.dim()
    return t.mapped(lambda part: operator(part, dim))


@enter(Way.KEPT, aten.copy_.default, when="one_kind")
def _copy(operator: Any, to: Any, source: Any, non_blocking: bool = False) -> Any:
    if not isinstance(to, BlockQuantTensor):
        return NotImplemented
    if not isinstance(source, BlockQuantTensor) or source.kind != to.kind:
        return NotImplemented
    operator(to.codes, source.codes, non_blocking)
    operator(to.scales, source.scales, non_blocking)
    return to


@enter(Way.KEPT, aten._nested_view_from_jagged.default)
def _nested_view(
    operator: Any,
    values: BlockQuantTensor,
    offsets: Tensor,
    dummy: Tensor,
    lengths: Tensor | None = None,
    ragged_idx: int = 1,
    min_seqlen: Tensor | None = None,
    max_seqlen: Tensor | None = None,
) -> Any:
    """Wrap the values; by default the operator would dequantize them."""
    given = {"min_seqlen": min_seqlen, "max_seqlen": max_seqlen}
    cache = {name: each for name, each in given.items() if each is not None}
    return NestedTensor(
        values, offsets, lengths=lengths, _ragged_idx=ragged_idx, _metadata_cache=cache
    )
