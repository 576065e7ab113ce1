"""Creation, conversion and indexing of jagged tensors with quantized values."""

# B sequences, N rows in all sequences, D values per row
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import torch
from torch import Tensor
from torch.nested import nested_tensor_from_jagged

from torchstone.kernels.blocks import block_quantize
from torchstone.nested.arguments import (
    require_alike,
    require_floating,
    require_jagged,
    require_list,
    require_quantized,
    require_tensor,
)
from torchstone.nested.block_quant import BlockQuantTensor, check_format
from torchstone.nested.refusal import BadType, BadValue

# torch.nested's private type: a Tensor with offsets.
Jagged: TypeAlias = Any


def quantize(t: Tensor, format: str = "int8", block: int = 32) -> Tensor:
    """Quantize a dense or jagged tensor, with a straight-through gradient.

    A jagged tensor keeps its offsets, and so its nested int: the result can be added to tensors
    with the same offsets.

    Args:
        t: A floating-point tensor; a quantized one is dequantized first.
        format: ``int8``, ``int4`` or ``fp8``.
        block: The number of values of a row that share a scale; it divides the last dimension.

    Raises:
        TypeError: ``t`` is not a floating-point tensor.
        ValueError: The format is unknown, the block does not divide the last dimension, or the
            offsets are invalid.
    """
    require_tensor("quantize", "t", t)
    require_floating("quantize", "t", t)
    if t.is_nested:
        require_jagged("quantize", "t", t)
        return wrapped(quantize(t.values(), format, block), t)
    if t.dim() < 1:
        raise BadValue("no_dims", function="quantize", name="t")
    check_format("quantize", format, block, t.shape[-1])
    if isinstance(t, BlockQuantTensor):
        t = dequantize(t)
    quantized: Tensor = _Quantize.apply(t, format, block)  # type: ignore[no-untyped-call]
    return quantized


def dequantize(t: Tensor) -> Tensor:
    """Dequantize a tensor; any other one is returned unchanged.

    Args:
        t: A dense or jagged tensor.

    Raises:
        TypeError: ``t`` is not a tensor.
    """
    require_tensor("dequantize", "t", t)
    values: Tensor = t.values() if t.is_nested and t.layout == torch.jagged else t
    if not isinstance(values, BlockQuantTensor):
        return t
    decoded: Tensor = _Dequantize.apply(values)  # type: ignore[no-untyped-call]
    return wrapped(decoded, t) if t.is_nested else decoded


class _Quantize(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, input: Tensor, format: str, block: int) -> Tensor:
        codes, scales = block_quantize(input, format, block)
        return BlockQuantTensor(codes, scales, format, block, input.dtype)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        return grad, None, None


class _Dequantize(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, input: BlockQuantTensor) -> Tensor:
        return input.decoded()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        return grad


def tensor(list: Sequence[Tensor], *, format: str = "int8", block: int = 32) -> Tensor:
    """Create a quantized jagged tensor from sequences.

    Args:
        list: Sequences of shape ``(length, *, D)``; a length may be 0.
        format: ``int8``, ``int4`` or ``fp8``.
        block: The number of values of a row that share a scale.

    Raises:
        TypeError: An element is not a floating-point tensor, or its dtype differs from the first.
        ValueError: Shapes or devices differ, or the block does not divide the last dimension.
    """
    require_list("tensor", "list", list)
    require_alike("tensor", "list", list)
    values = quantize(torch.cat([*list]), format, block)
    return from_lengths(values, [each.shape[0] for each in list])


def from_lengths(values: Tensor, lengths: Sequence[int]) -> Tensor:
    """Create a jagged tensor from packed rows.

    The shortest and longest length are cached, because without them ``to_padded_tensor`` would pad
    to the sum of lengths.
    """
    ends = torch.tensor([0, *lengths], dtype=torch.int64).cumsum(0).to(values.device)
    shortest, longest = min(lengths, default=0), max(lengths, default=0)
    return _jagged(values, ends, shortest, longest)


def from_padded(
    x: Tensor, lengths: Sequence[int] | Tensor, *, format: str = "int8", block: int = 32
) -> Tensor:
    """Create a quantized jagged tensor from a padded tensor and the lengths of its sequences.

    Args:
        x: A tensor of shape ``(B, longest, *, D)``.
        lengths: B integers from 0 to ``longest``.
        format: ``int8``, ``int4`` or ``fp8``.
        block: The number of values of a row that share a scale.

    Raises:
        TypeError: ``x`` is not a dense floating-point tensor, or lengths are not integers.
        ValueError: The lengths do not match ``x``, or the block does not divide the last dimension.
    """
    require_tensor("from_padded", "x", x)
    require_floating("from_padded", "x", x)
    if x.is_nested:
        raise BadType("not_dense", function="from_padded", name="x")
    if x.dim() < 3:
        raise BadValue("not_padded", function="from_padded", name="x", came=str(tuple(x.shape)))
    numbers = _whole_numbers("from_padded", "lengths", lengths)
    if len(numbers) != x.shape[0]:
        raise BadValue(
            "lengths_count", function="from_padded", came=len(numbers), wanted=x.shape[0]
        )
    for place, each in enumerate(numbers):
        if not 0 <= each <= x.shape[1]:
            raise BadValue(
                "length", function="from_padded", place=place, came=each, longest=x.shape[1]
            )
    places = torch.arange(x.shape[1], device=x.device)
    is_value = places < torch.tensor(numbers, device=x.device).unsqueeze(1)
    return from_lengths(quantize(x[is_value], format, block), numbers)


def to_padded(t: Tensor, padding: float = 0.0, length: int | None = None) -> Tensor:
    """Return the values as a dense tensor of shape ``(B, length, *, D)``.

    Args:
        t: A jagged tensor, quantized or not.
        padding: The value behind the end of each sequence.
        length: The padded length, at least that of the longest sequence, which is the default.

    Raises:
        TypeError: ``t`` is not jagged.
        ValueError: ``length`` would truncate a sequence.
    """
    require_jagged("to_padded", "t", t)
    jagged: Jagged = t
    longest = longest_of(jagged)
    if length is None:
        length = longest
    elif length < longest:
        raise BadValue("length_short", function="to_padded", came=length, longest=longest)
    size = (jagged.size(0), length, *jagged.shape[2:])
    padded: Tensor = torch.nested.to_padded_tensor(t, padding, output_size=size)
    return padded


def cat(list: Sequence[Tensor]) -> Tensor:
    """Concatenate batches of sequences, without changing codes.

    Args:
        list: Quantized jagged tensors with equal formats, blocks, dtypes, devices and widths.

    Raises:
        TypeError: An element is not a quantized jagged tensor, or dtypes differ.
        ValueError: Formats, blocks, shapes or devices differ.
    """
    require_list("cat", "list", list)
    values = [require_quantized("cat", f"list[{i}]", each) for i, each in enumerate(list)]
    require_alike("cat", "list", values)
    for place, each in enumerate(values):
        for what in ("format", "block"):
            came, wanted = getattr(each, what), getattr(values[0], what)
            if came != wanted:
                where = f"list[{place}]"
                raise BadValue(
                    "differs", function="cat", name=where, what=what, came=came, wanted=wanted
                )
    jagged: Sequence[Jagged] = list
    # `values()` is differentiable, unlike `_values`.
    rows = torch.cat([_used_rows(each) for each in jagged])
    return from_lengths(rows, [n for each in jagged for n in lengths_of(each)])


def index_sequences(t: Tensor, indices: Sequence[int] | Tensor) -> Tensor:
    """Return the sequences with the given indices, in this order, without changing codes.

    Args:
        t: A jagged tensor, quantized or not.
        indices: Indices of sequences from ``-B`` to ``B - 1``.

    Raises:
        TypeError: ``t`` is not jagged, or indices are not integers.
        ValueError: An index is out of range.
    """
    require_jagged("index_sequences", "t", t)
    jagged: Jagged = t
    lengths = lengths_of(jagged)
    numbers = _whole_numbers("index_sequences", "indices", indices)
    for place, each in enumerate(numbers):
        if not -len(lengths) <= each < len(lengths):
            raise BadValue("index", place=place, came=each, count=len(lengths))
    begins = jagged.offsets().tolist()
    chosen = [each % len(lengths) for each in numbers]
    rows = [torch.arange(begins[i], begins[i] + lengths[i]) for i in chosen]
    places = torch.cat(rows) if rows else torch.zeros(0, dtype=torch.int64)
    values = jagged.values().index_select(0, places.to(jagged.device))
    return from_lengths(values, [lengths[i] for i in chosen])


def lengths_of(t: Jagged) -> list[int]:
    """Return the length of each sequence."""
    lengths: list[int] = t.offsets().diff().tolist()
    return lengths


def longest_of(t: Jagged) -> int:
    """Return the length of the longest sequence; 0 if there is none."""
    longest: int = t._get_max_seqlen() if t.size(0) else 0
    return longest


def _used_rows(t: Jagged) -> Tensor:
    end = int(t.offsets()[-1])
    values: Tensor = t.values()
    return values if end == values.shape[0] else values.narrow(0, 0, end)


def wrapped(values: Tensor, like: Jagged) -> Tensor:
    """Return a jagged tensor of other values with the offsets of ``like``."""
    if torch.compiler.is_compiling():
        # Reading offsets would break the graph.
        shortest, longest = like._maybe_min_seqlen, like._maybe_max_seqlen
    elif like.offsets().shape[0] == 1:
        shortest, longest = 0, 0
    else:
        shortest, longest = like._get_min_seqlen(), like._get_max_seqlen()
    return _jagged(values, like.offsets(), shortest, longest)


def _jagged(values: Tensor, offsets: Tensor, shortest: int | None, longest: int | None) -> Tensor:
    return nested_tensor_from_jagged(values, offsets, min_seqlen=shortest, max_seqlen=longest)


def _whole_numbers(function: str, name: str, given: Sequence[int] | Tensor) -> list[int]:
    if isinstance(given, Tensor):
        is_whole = given.dim() == 1 and not given.is_floating_point() and not given.is_complex()
        if not is_whole or given.dtype == torch.bool:
            came = f"{given.dtype} {tuple(given.shape)}".removeprefix("torch.")
            raise BadType("not_numbers", function=function, name=name, came=came)
        return [int(each) for each in given]
    if not isinstance(given, Iterable):
        raise BadType("not_numbers", function=function, name=name, came=type(given).__name__)
    for each in given:
        if not isinstance(each, int) or isinstance(each, bool):
            raise BadType("not_numbers", function=function, name=name, came=repr(each))
    return list(given)
