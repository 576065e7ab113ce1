"""``BlockQuantTensor``: a tensor that holds codes and the scales of their blocks.

It has the shape and dtype of its values. Operators that only move whole rows move codes and scales;
a few have kernels of their own; all others see the values (``dispatch.py``).
"""

# N rows, D values in a row, G = D / block blocks in a row
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
    """A tensor of codes, and one scale in bfloat16 for each block of neighbours in a row.

    Attributes:
        codes: int8 or float8_e4m3fn of shape ``(*, D)``, or uint8 of shape ``(*, D / 2)`` with two
            numbers in a byte, the low nibble first.
        scales: bfloat16 of shape ``(*, D / block)``.
        format: ``int8``, ``int4`` or ``fp8``.
        block: How many values share a scale.
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
        """Make the tensor of these codes and scales; nothing is copied.

        Raises:
            TypeError: A dtype is another one than the format has, or an argument takes a gradient.
            ValueError: Shapes, devices or the block do not fit together.
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
        # Printing values would dispatch, and dequantize.
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
        """Take codes and scales out of a pickle, which may come from anywhere.

        Whatever else torch has noted on the tensor is left out.
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
        """Refuse: codes cannot take the small steps of an optimizer.

        Raises:
            TypeError: A gradient is asked for.
        """
        if requires_grad:
            raise BadType("requires_grad", name="BlockQuantTensor")
        return self

    def decoded(self) -> Tensor:
        """Return the values, as an ordinary tensor; autograd does not see it."""
        return block_dequantize(self.codes, self.scales, self.format, self.block, self.dtype)

    def mapped(self, function: Callable[[Tensor], Tensor]) -> BlockQuantTensor:
        """Return the tensor whose codes and scales are what a function makes of these."""
        return self.with_parts(function(self.codes), function(self.scales))

    def with_parts(self, codes: Tensor, scales: Tensor) -> BlockQuantTensor:
        """Return a tensor of the same kind with other codes and scales."""
        return BlockQuantTensor(codes, scales, self.format, self.block, self.dtype)

    @property
    def kind(self) -> Meta:
        """Format, block and dtype: tensors that agree in these can be joined."""
        return self.format, self.block, self.dtype


def is_quantized(value: object) -> bool:
    """Return whether a value is a ``BlockQuantTensor``."""
    return isinstance(value, BlockQuantTensor)


def decode_tree(tree: Any) -> Any:
    """Replace each ``BlockQuantTensor`` in a tree of arguments by its values."""
    return tree_map_only(BlockQuantTensor, BlockQuantTensor.decoded, tree)


def check_format(function: str, format: str, block: int, width: int) -> None:
    """Raise an error unless rows of a width can be cut into blocks of a format."""
    # Not every value that came can be hashed.
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
    """Raise an error unless codes and scales make a tensor."""
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
    """Return a tensor that is known to be quantized, with its type."""
    return cast(BlockQuantTensor, tensor)
