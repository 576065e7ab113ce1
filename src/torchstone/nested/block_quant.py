"""``BlockQuantTensor``: tensor subclass with quantized codes and one scale per block.

It has the shape and dtype of its values. Operators that only move whole rows move codes and scales;
some have kernels of their own; all others dequantize (``dispatch.py``).
"""

# N rows, D values per row, G = D / block blocks per row
from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import torch
from torch import Tensor
from torch.utils._pytree import tree_map_only

from torchstone.kernels.block_reference import FORMATS
from torchstone.kernels.blocks import block_dequantize
from torchstone.nested.dispatch import dispatch
from torchstone.nested.refusal import BadType, BadValue, listed, name_of

LOGICAL = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
Meta = tuple[str, int, torch.dtype]


class BlockQuantTensor(torch.Tensor):
    """Tensor of codes, with one bfloat16 scale for each block of consecutive values in a row.

    Attributes:
        codes: int8 or float8_e4m3fn of shape ``(*, D)``, or uint8 of shape ``(*, D / 2)`` with two
            4-bit codes per byte, the low nibble first.
        scales: bfloat16 of shape ``(*, D / block)``.
        format: ``int8``, ``int4`` or ``fp8``.
        block: The number of values that share a scale.
    """

    codes: Tensor
    scales: Tensor
    format: str
    block: int

    @staticmethod
    def __new__(
        cls: type[BlockQuantTensor],
        codes: Tensor,
        scales: Tensor,
        format: str,
        block: int,
        dtype: torch.dtype,
    ) -> BlockQuantTensor:
        """Create a tensor from codes and scales without copying them.

        Raises:
            TypeError: A dtype does not match the format, or an argument requires a gradient.
            ValueError: The shapes, the devices or the block do not match.
        """
        check_parts(codes, scales, format, block, dtype)
        width = codes.shape[-1] * FORMATS[format].values_per_code
        return torch.Tensor._make_wrapper_subclass(
            cls, (*codes.shape[:-1], width), dtype=dtype, device=codes.device
        )

    def __init__(
        self, codes: Tensor, scales: Tensor, format: str, block: int, dtype: torch.dtype
    ) -> None:
        self.codes, self.scales, self.format, self.block = codes, scales, format, block

    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        # Formatting the values would dispatch, and dequantize.
        return (
            f"BlockQuantTensor(shape={tuple(self.shape)}, format={self.format!r}, "
            f"block={self.block}, dtype={self.dtype}, device={self.device})"
        )

    def __tensor_flatten__(self) -> tuple[list[str], Meta]:
        return ["codes", "scales"], (self.format, self.block, self.dtype)

    @staticmethod
    def __tensor_unflatten__(
        inner: dict[str, Tensor], meta: Meta, outer_size: object, outer_stride: object
    ) -> BlockQuantTensor:
        return BlockQuantTensor(inner["codes"], inner["scales"], *meta)

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls,
        operator: Any,
        types: object,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        return dispatch(operator, args, kwargs or {}, decode_tree, is_quantized)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore codes and scales from a pickle, which may be untrusted, after checking them.

        Other attributes of the tensor are dropped.
        """
        names = ("codes", "scales", "format", "block")
        if not state.keys() >= {*names}:
            raise BadValue("state", came=listed(sorted(map(str, state))), wanted=listed(names))
        codes, scales, format, block = (state[name] for name in names)
        check_parts(codes, scales, format, block, self.dtype)
        width = codes.shape[-1] * FORMATS[format].values_per_code
        if tuple(self.shape) != (*codes.shape[:-1], width):
            came, wanted = str(tuple(codes.shape)), str(tuple(self.shape))
            raise BadValue("state_shape", came=came, wanted=wanted)
        self.codes, self.scales, self.format, self.block = codes, scales, format, block

    def requires_grad_(self, requires_grad: bool = True) -> BlockQuantTensor:
        """Raise an error for True: codes cannot take the small steps of an optimizer.

        Raises:
            TypeError: ``requires_grad`` is True.
        """
        if requires_grad:
            raise BadType("requires_grad", name="BlockQuantTensor")
        return self

    def decoded(self) -> Tensor:
        """Return the dequantized values as an ordinary tensor, without autograd."""
        return block_dequantize(self.codes, self.scales, self.format, self.block, self.dtype)

    def mapped(self, function: Callable[[Tensor], Tensor]) -> BlockQuantTensor:
        """Apply a function to codes and scales, and return the resulting tensor."""
        return self.with_parts(function(self.codes), function(self.scales))

    def with_parts(self, codes: Tensor, scales: Tensor) -> BlockQuantTensor:
        """Return a tensor with the same format, block and dtype but other codes and scales."""
        return BlockQuantTensor(codes, scales, self.format, self.block, self.dtype)

    @property
    def kind(self) -> Meta:
        """Format, block and dtype, which must be equal for tensors to be concatenated."""
        return self.format, self.block, self.dtype


def is_quantized(value: object) -> bool:
    """Return whether a value is a ``BlockQuantTensor``."""
    return isinstance(value, BlockQuantTensor)


def decode_tree(tree: Any) -> Any:
    """Replace each ``BlockQuantTensor`` in a tree of arguments by its dequantized values."""
    return tree_map_only(BlockQuantTensor, BlockQuantTensor.decoded, tree)


def check_format(function: str, format: str, block: int, width: int) -> None:
    """Raise an error unless rows of a given width divide into blocks of a format."""
    # A membership test in a list, because the value may not be hashable.
    if format not in [*FORMATS]:
        wanted = listed(FORMATS)
        raise BadValue("format", function=function, came=repr(format), wanted=wanted)
    if not isinstance(block, int | torch.SymInt) or isinstance(block, bool):
        raise BadType("block_type", function=function, came=type(block).__name__)
    if block < 1 or block % FORMATS[format].values_per_code:
        number = FORMATS[format].values_per_code
        raise BadValue("block", function=function, came=block, format=format, number=number)
    if width < 1 or width % block:
        raise BadValue("block_divides", function=function, came=block, width=width)


def check_parts(codes: Tensor, scales: Tensor, format: str, block: int, dtype: torch.dtype) -> None:
    """Raise an error unless codes and scales are consistent."""
    for name, part in (("codes", codes), ("scales", scales)):
        if not isinstance(part, Tensor):
            raise BadType(
                "not_tensor", function="BlockQuantTensor", name=name, came=type(part).__name__
            )
        if part.requires_grad:
            raise BadType("requires_grad", name=name)
    if codes.dim() < 1:
        raise BadValue("no_dims", function="BlockQuantTensor", name="codes")
    per_code = FORMATS[format].values_per_code if format in [*FORMATS] else 1
    check_format("BlockQuantTensor", format, block, codes.shape[-1] * per_code)
    if dtype not in LOGICAL:
        _refuse_dtype("dtype", dtype, listed(map(name_of, LOGICAL)))
    if codes.dtype != FORMATS[format].dtype:
        _refuse_dtype("codes", codes.dtype, name_of(FORMATS[format].dtype))
    if scales.dtype != torch.bfloat16:
        _refuse_dtype("scales", scales.dtype, "bfloat16")
    wanted = (*codes.shape[:-1], codes.shape[-1] * per_code // block)
    if tuple(scales.shape) != wanted:
        raise BadValue("scales_shape", came=str(tuple(scales.shape)), wanted=str(wanted))
    if codes.device != scales.device:
        raise BadValue("devices", codes=str(codes.device), scales=str(scales.device))


def _refuse_dtype(name: str, came: object, wanted: str) -> None:
    told = name_of(came) if isinstance(came, torch.dtype) else repr(came)
    raise BadType("dtype", function="BlockQuantTensor", name=name, came=told, wanted=wanted)


def quantized(tensor: Tensor) -> BlockQuantTensor:
    """Cast a tensor that is known to be quantized."""
    return cast(BlockQuantTensor, tensor)
