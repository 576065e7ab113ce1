"""Input tensors of an operator, from the shapes in a trace.

A trace contains neither outputs nor byte counts. Missing or inconsistent data raises ``Unknown``:
the operator then counts as not modelled, because a guess would look like a measurement.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

from torchstone.doctor.events import Shapes

# Element sizes in bytes, by the names of the profiler and of Triton.
ITEM_BYTES = {
    **{"double": 8, "long int": 8, "long": 8, "long long": 8, "c10::complex<float>": 8},
    **{"float": 4, "int": 4, "unsigned int": 4, "c10::Half": 2, "c10::BFloat16": 2},
    **{"short": 2, "short int": 2, "bool": 1, "unsigned char": 1, "signed char": 1, "char": 1},
    **{"c10::Float8_e4m3fn": 1, "c10::Float8_e5m2": 1, "c10::Float8_e4m3fnuz": 1},
    **{"c10::Float8_e5m2fnuz": 1, "c10::complex<double>": 16},
    **{f"{size} bytes": size for size in (1, 2, 4, 8)},
}
# Names of dtypes in a report.
DTYPES = {
    **{"double": "float64", "float": "float32", "c10::Half": "float16"},
    **{"c10::BFloat16": "bfloat16", "long int": "int64", "int": "int32", "short int": "int16"},
    **{"signed char": "int8", "unsigned char": "uint8", "bool": "bool"},
    **{name: "float8" for name in ITEM_BYTES if "Float8" in name},
}
_MAX_RANK = 12
_MAX_SIZE = 1 << 40


class Unknown(Exception):
    """Raised when the trace lacks the inputs of an operator's model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensor:
    """Tensor with sizes, dtype as the profiler spells it, and strides if known."""

    shape: tuple[int, ...]
    dtype: str
    strides: tuple[int, ...] | None = None

    @property
    def numel(self) -> int:
        """Return the number of elements."""
        return math.prod(self.shape)

    @property
    def item(self) -> int:
        """Return the element size in bytes."""
        return ITEM_BYTES[self.dtype]

    @property
    def whole_bytes(self) -> int:
        """Return the size of all elements in bytes."""
        return self.numel * self.item

    @property
    def num_bytes(self) -> int:
        """Return the bytes in memory: an expanded dimension has stride 0 and is stored once."""
        if self.strides is None or len(self.strides) != len(self.shape):
            return self.whole_bytes
        sizes = [size for size, stride in zip(self.shape, self.strides, strict=True) if stride]
        return math.prod(sizes) * self.item if self.numel else 0

    @property
    def is_float(self) -> bool:
        """Return whether the elements are floating-point numbers."""
        return self.dtype in ("double", "float") or self.dtype.startswith("c10::")


class Inputs:
    """Inputs of an operator, by position.

    Args:
        shapes: Inputs as recorded in the trace.
        listed: Dtype of tensors in lists, which a trace lacks; empty if unknown.
    """

    def __init__(self, shapes: Shapes, listed: str = "") -> None:
        self._dims = _list_of(shapes.dims)
        self._types = _list_of(shapes.types)
        self._strides = _list_of(shapes.strides)
        self._values = _list_of(shapes.values)
        self._listed = listed

    def __len__(self) -> int:
        """Return the number of inputs."""
        return len(self._dims)

    @cached_property
    def tensors(self) -> dict[int, Tensor]:
        """Return the tensors by position."""
        found = {}
        for at in range(len(self)):
            tensor = self.tensor(at)
            if tensor is not None:
                found[at] = tensor
        return found

    def tensor(self, at: int) -> Tensor | None:
        """Return a tensor; None if the input is not one."""
        dtype = _at(self._types, at)
        if not isinstance(dtype, str) or dtype not in ITEM_BYTES:
            return None
        shape, strides = _sizes(_at(self._dims, at)), _sizes(_at(self._strides, at))
        return None if shape is None else Tensor(shape=shape, dtype=dtype, strides=strides)

    def need(self, at: int, rank: int | None = None) -> Tensor:
        """Return a required tensor, of a given rank if one is given.

        Raises:
            Unknown: There is none.
        """
        found = self.tensor(at)
        if found is None or (rank is not None and len(found.shape) != rank):
            raise Unknown
        return found

    def listed(self, at: int) -> list[Tensor]:
        """Return the tensors of a list.

        Raises:
            Unknown: There is no list, or its dtype is unknown.
        """
        return self.listed_as(at, self._listed)

    def listed_as(self, at: int, dtype: str) -> list[Tensor]:
        """Return the tensors of a list whose dtype is known from elsewhere.

        Raises:
            Unknown: There is no list.
        """
        dims, strides = _at(self._dims, at), _at(self._strides, at)
        if not isinstance(dims, list) or dtype not in ITEM_BYTES:
            raise Unknown
        found = []
        for place, each in enumerate(dims):
            shape = _sizes(each)
            if shape is None:
                raise Unknown
            stride = _sizes(_at(strides, place)) if isinstance(strides, list) else None
            found.append(Tensor(shape=shape, dtype=dtype, strides=stride))
        return found

    def sizes_of_list(self, at: int) -> list[tuple[int, ...]]:
        """Return the sizes of the tensors of a list; empty if there is no list."""
        dims = _at(self._dims, at)
        found = [_sizes(each) for each in dims] if isinstance(dims, list) else []
        return [] if None in found else [each for each in found if each is not None]

    def numbers(self, at: int) -> tuple[int, ...]:
        """Return the numbers of a list, or a scalar as one number.

        Raises:
            Unknown: The trace does not have them.
        """
        text = _at(self._values, at)
        try:
            value = msgspec.json.decode(text) if isinstance(text, str) else text
        except (ValueError, RecursionError) as error:
            raise Unknown from error
        found = value if isinstance(value, list) else [value]
        if not all(type(each) is int and abs(each) < _MAX_SIZE for each in found):
            raise Unknown
        return tuple(found)

    def number(self, at: int) -> int:
        """Return a number.

        Raises:
            Unknown: The trace does not have it.
        """
        found = self.numbers(at)
        if len(found) != 1:
            raise Unknown
        return found[0]

    def flags(self, at: int) -> tuple[bool, ...]:
        """Return booleans, as ``[True, False]`` or ``True``.

        Raises:
            Unknown: The trace does not have them.
        """
        text = _at(self._values, at)
        words = str(text).strip("[] ").split(",") if text is not None else []
        known = {"True": True, "true": True, "1": True, "False": False, "false": False, "0": False}
        found = [known.get(word.strip()) for word in words]
        if not found or None in found:
            raise Unknown
        return tuple(each is True for each in found)

    def is_given(self, at: int) -> bool:
        """Return whether a nonempty value is present."""
        return _at(self._values, at) not in (None, "", "[]")


def broadcast(tensors: Sequence[Tensor]) -> tuple[int, ...]:
    """Return the broadcast sizes of several tensors.

    Raises:
        Unknown: The sizes do not match.
    """
    rank = max((len(each.shape) for each in tensors), default=0)
    sizes = [1] * rank
    for each in tensors:
        for at, size in enumerate(reversed(each.shape)):
            if size != 1 and sizes[-1 - at] not in (1, size):
                raise Unknown
            if size != 1:
                sizes[-1 - at] = size
    return tuple(sizes)


def promoted(tensors: Sequence[Tensor]) -> str:
    """Return the promoted dtype of several tensors, by PyTorch's rules.

    Raises:
        Unknown: There is no tensor.
    """
    if not tensors:
        raise Unknown
    # A 0-d tensor changes the dtype only if it is of a higher category.
    order = sorted(tensors, key=lambda each: (_category(each), bool(each.shape), each.item))
    return order[-1].dtype


def _category(tensor: Tensor) -> int:
    return 2 if tensor.is_float else 0 if tensor.dtype == "bool" else 1


def _list_of(text: bytes) -> list[Any]:
    try:
        found = msgspec.json.decode(text) if text else []
    except (ValueError, RecursionError):
        # Includes invalid UTF-8.
        return []
    return found if isinstance(found, list) else []


def _at(values: Sequence[Any], at: int) -> Any:
    return values[at] if 0 <= at < len(values) else None


def _sizes(found: Any) -> tuple[int, ...] | None:
    if not isinstance(found, list) or len(found) > _MAX_RANK:
        return None
    if not all(type(each) is int and 0 <= each < _MAX_SIZE for each in found):
        return None
    return tuple(found)
