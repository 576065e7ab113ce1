"""Legacy tensor types such as ``torch.FloatTensor``, memory formats and layouts."""

from __future__ import annotations

from typing import Any

from torchstone.microtorch import dtypes
from torchstone.microtorch.tensor import Tensor, constructed, wrap


class memory_format:
    """Memory format; tensors here always follow the order of the dimensions."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"


class layout(memory_format):
    """Layout of a tensor; here always strided."""


def expect_in_order(memory_format: Any) -> None:
    """Raise an error for channels-last formats, so that nobody relies on their strides.

    Raises:
        RuntimeError: The format is channels-last.
    """
    if memory_format in (NAMES["channels_last"], NAMES["channels_last_3d"]):
        raise RuntimeError(
            f"memory_format={memory_format}: microtorch keeps elements in the order of the "
            "dimensions, and chooses by itself where convolutions put their channels; leave "
            "memory_format out"
        )


class _OfOneType(type):
    """Metaclass of the legacy tensor types: construction and ``isinstance`` by dtype."""

    dtype: dtypes.dtype

    def __call__(cls, *args: Any) -> Tensor:
        """Create a tensor from data, or uninitialized from sizes."""
        made = wrap(constructed(args, cls.dtype))
        if made.dtype is not cls.dtype:
            raise TypeError(f"expected a tensor of {cls.dtype} (got one of {made.dtype})")
        return made

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype

    def __str__(cls) -> str:
        return f"torch.{cls.__name__}"


_TYPES = {
    "FloatTensor": dtypes.float32, "DoubleTensor": dtypes.float64, "HalfTensor": dtypes.float16,
    "LongTensor": dtypes.int64, "IntTensor": dtypes.int32, "ShortTensor": dtypes.int16,
    "CharTensor": dtypes.int8, "ByteTensor": dtypes.uint8, "BoolTensor": dtypes.bool_,
}  # fmt: skip
_FORMATS = ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")
NAMES: dict[str, Any] = {
    **{name: _OfOneType(name, (), {"dtype": dtype}) for name, dtype in _TYPES.items()},
    **{name: memory_format(name) for name in _FORMATS},
    "strided": layout("strided"),
    "memory_format": memory_format,
    "layout": layout,
}
globals().update(NAMES)
