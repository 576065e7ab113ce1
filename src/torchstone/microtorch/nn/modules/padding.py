"""Padding modules: ReflectionPad, ReplicationPad, ZeroPad, ConstantPad, CircularPad."""

from __future__ import annotations

from typing import Any, ClassVar

from torchstone.microtorch.nn import functional as F
from torchstone.microtorch.nn.modules.functional_module import REQUIRED, Functional, ntuple
from torchstone.microtorch.tensor import Tensor


class _Pad(Functional):
    """Base class of the padding modules.

    Attributes:
        _num_dims: Number of padded dimensions; sizes are before and after each, the last one first.
        _mode: The mode of ``nn.functional.pad``.
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
        """Pad the input."""
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
        """Pad the input with the constant."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        """Return the sizes, and the value."""
        return f"padding={self.padding}, value={self.value}"


class _CircularPad(_Pad):
    _mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        """Pad the input with elements of the opposite end."""
        dims = (self._num_dims + 1, self._num_dims + 2)
        if input.array.ndim not in dims:
            raise ValueError(
                f"expected {dims[0]}D or {dims[1]}D input (got {input.array.ndim}D input)"
            )
        return super().forward(input)


class ReflectionPad1d(_ReflectionPad, num_dims=1):
    """Reflection padding of (length,)."""


class ReflectionPad2d(_ReflectionPad, num_dims=2):
    """Reflection padding of (height, width)."""


class ReflectionPad3d(_ReflectionPad, num_dims=3):
    """Reflection padding of (depth, height, width)."""


class ReplicationPad1d(_ReplicationPad, num_dims=1):
    """Replication padding of (length,)."""


class ReplicationPad2d(_ReplicationPad, num_dims=2):
    """Replication padding of (height, width)."""


class ReplicationPad3d(_ReplicationPad, num_dims=3):
    """Replication padding of (depth, height, width)."""


class ZeroPad1d(_Pad, num_dims=1):
    """Zero padding of (length,)."""


class ZeroPad2d(_Pad, num_dims=2):
    """Zero padding of (height, width)."""


class ZeroPad3d(_Pad, num_dims=3):
    """Zero padding of (depth, height, width)."""


class ConstantPad1d(_ConstantPad, num_dims=1, value=REQUIRED):
    """Constant padding of (length,)."""


class ConstantPad2d(_ConstantPad, num_dims=2, value=REQUIRED):
    """Constant padding of (height, width)."""


class ConstantPad3d(_ConstantPad, num_dims=3, value=REQUIRED):
    """Constant padding of (depth, height, width)."""


class CircularPad1d(_CircularPad, num_dims=1):
    """Circular padding of (length,)."""


class CircularPad2d(_CircularPad, num_dims=2):
    """Circular padding of (height, width)."""


class CircularPad3d(_CircularPad, num_dims=3):
    """Circular padding of (depth, height, width)."""
