"""Padding modules: ReflectionPad, ReplicationPad, ZeroPad, ConstantPad, CircularPad."""

from __future__ import annotations

from typing import Any, ClassVar

from torchstone.microtorch.nn import functional as F
from torchstone.microtorch.nn.modules.functional_module import REQUIRED, Functional, ntuple
from torchstone.microtorch.tensor import Tensor


class _Pad(Functional):
    """Puts something around so many dimensions: before and behind each, the last first.

    Attributes:
        _num_dims: How many.
        _mode: What is put there.
    """

    _num_dims: ClassVar[int]
    _mode: ClassVar[str] = "constant"
    padding: Any

    def __init_subclass__(cls, *, num_dims: int | None = None, **options: Any) -> None:
        if num_dims is None:
            super().__init_subclass__(**options)
            return
        cls._num_dims = num_dims
        super().__init_subclass__(call="pad", padding=REQUIRED, **options)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.padding = ntuple(self.padding, 2 * self._num_dims)

    def forward(self, input: Tensor) -> Tensor:
        """Put it around."""
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return f"{self.padding}"


class _ReflectionPad(_Pad):
    _mode = "reflect"


class _ReplicationPad(_Pad):
    _mode = "replicate"


class _ConstantPad(_Pad):
    def forward(self, input: Tensor) -> Tensor:
        """Put the value around."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        """Return the sizes, and the value."""
        return f"padding={self.padding}, value={self.value}"


class _CircularPad(_Pad):
    _mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        """Put the other end there."""
        dims = (self._num_dims + 1, self._num_dims + 2)
        if input.array.ndim not in dims:
            raise ValueError(
                f"expected {dims[0]}D or {dims[1]}D input (got {input.array.ndim}D input)"
            )
        return super().forward(input)


class ReflectionPad1d(_ReflectionPad, num_dims=1):
    """Pad (length,) by reflection."""


class ReflectionPad2d(_ReflectionPad, num_dims=2):
    """Pad (height, width) by reflection."""


class ReflectionPad3d(_ReflectionPad, num_dims=3):
    """Pad (depth, height, width) by reflection."""


class ReplicationPad1d(_ReplicationPad, num_dims=1):
    """Pad (length,) by repeating the border elements."""


class ReplicationPad2d(_ReplicationPad, num_dims=2):
    """Pad (height, width) by repeating the border elements."""


class ReplicationPad3d(_ReplicationPad, num_dims=3):
    """Pad (depth, height, width) by repeating the border elements."""


class ZeroPad1d(_Pad, num_dims=1):
    """Pad (length,) with zeros."""


class ZeroPad2d(_Pad, num_dims=2):
    """Pad (height, width) with zeros."""


class ZeroPad3d(_Pad, num_dims=3):
    """Pad (depth, height, width) with zeros."""


class ConstantPad1d(_ConstantPad, num_dims=1, value=REQUIRED):
    """Pad (length,) with a constant."""


class ConstantPad2d(_ConstantPad, num_dims=2, value=REQUIRED):
    """Pad (height, width) with a constant."""


class ConstantPad3d(_ConstantPad, num_dims=3, value=REQUIRED):
    """Pad (depth, height, width) with a constant."""


class CircularPad1d(_CircularPad, num_dims=1):
    """Pad (length,) with elements of the other end."""


class CircularPad2d(_CircularPad, num_dims=2):
    """Pad (height, width) with elements of the opposite edges."""


class CircularPad3d(_CircularPad, num_dims=3):
    """Pad (depth, height, width) with elements of the opposite faces."""
