"""Pooling modules: MaxPool, AvgPool, LPPool, MaxUnpool and adaptive pooling."""

from __future__ import annotations

from typing import Any, ClassVar

from torchstone.microtorch.nn import functional as F
from torchstone.microtorch.nn.modules.functional_module import REQUIRED, Functional, ntuple
from torchstone.microtorch.tensor import Tensor

_WINDOW = {"kernel_size": REQUIRED, "stride": None, "padding": 0}
_MAX = _WINDOW | {"dilation": 1, "return_indices": False, "ceil_mode": False}
_MAX_SHOWN = (*_WINDOW, "dilation", "ceil_mode")
_AVERAGE = _WINDOW | {"ceil_mode": False, "count_include_pad": True}
_AVERAGE_IN_MANY = _AVERAGE | {"divisor_override": None}
_POWER = {"norm_type": REQUIRED, "kernel_size": REQUIRED, "stride": None, "ceil_mode": False}
_ADAPTIVE_MAX = {"output_size": REQUIRED, "return_indices": False}


class _Windowed(Functional):
    """Base class of pooling with windows, whose stride is the window size by default.

    Attributes:
        _num_dims: If nonzero, sizes are expanded to this number of dimensions.
    """

    _num_dims: ClassVar[int] = 0
    stride: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.stride is None:
            self.stride = self.kernel_size
        for name in _WINDOW if self._num_dims else ():
            setattr(self, name, ntuple(getattr(self, name), self._num_dims))


class MaxPool1d(_Windowed, call="max_pool1d", shown=_MAX_SHOWN, **_MAX):
    """Max pooling over (length,)."""


class MaxPool2d(_Windowed, call="max_pool2d", shown=_MAX_SHOWN, **_MAX):
    """Max pooling over (height, width)."""


class MaxPool3d(_Windowed, call="max_pool3d", shown=_MAX_SHOWN, **_MAX):
    """Max pooling over (depth, height, width)."""


class AvgPool1d(_Windowed, call="avg_pool1d", shown=tuple(_WINDOW), **_AVERAGE):
    """Average pooling over (length,)."""

    _num_dims = 1


class AvgPool2d(_Windowed, call="avg_pool2d", shown=tuple(_WINDOW), **_AVERAGE_IN_MANY):
    """Average pooling over (height, width)."""


class AvgPool3d(_Windowed, call="avg_pool3d", shown=tuple(_WINDOW), **_AVERAGE_IN_MANY):
    """Average pooling over (depth, height, width)."""


class _MaxUnpool(_Windowed):
    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        """Scatter maxima to their original positions, with zeros elsewhere.

        Args:
            input: The output of max pooling.
            indices: The indices that max pooling returned.
            output_size: The size of the original input; several are possible.
        """
        unpool = getattr(F, self._call)
        return unpool(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool1d(_MaxUnpool, call="max_unpool1d", **_WINDOW):
    """Partial inverse of ``MaxPool1d``."""

    _num_dims = 1


class MaxUnpool2d(_MaxUnpool, call="max_unpool2d", **_WINDOW):
    """Partial inverse of ``MaxPool2d``."""

    _num_dims = 2


class MaxUnpool3d(_MaxUnpool, call="max_unpool3d", **_WINDOW):
    """Partial inverse of ``MaxPool3d``."""

    _num_dims = 3


class LPPool1d(Functional, call="lp_pool1d", **_POWER):
    """Power-average pooling over (length,)."""


class LPPool2d(Functional, call="lp_pool2d", **_POWER):
    """Power-average pooling over (height, width)."""


class LPPool3d(Functional, call="lp_pool3d", **_POWER):
    """Power-average pooling over (depth, height, width)."""


class AdaptiveAvgPool1d(Functional, call="adaptive_avg_pool1d", output_size=REQUIRED):
    """Average pooling over (length,) to a given output size."""


class AdaptiveAvgPool2d(Functional, call="adaptive_avg_pool2d", output_size=REQUIRED):
    """Average pooling over (height, width) to a given output size."""


class AdaptiveAvgPool3d(Functional, call="adaptive_avg_pool3d", output_size=REQUIRED):
    """Average pooling over (depth, height, width) to a given output size."""


class AdaptiveMaxPool1d(
    Functional, call="adaptive_max_pool1d", shown=("output_size",), **_ADAPTIVE_MAX
):
    """Max pooling over (length,) to a given output size."""


class AdaptiveMaxPool2d(
    Functional, call="adaptive_max_pool2d", shown=("output_size",), **_ADAPTIVE_MAX
):
    """Max pooling over (height, width) to a given output size."""


class AdaptiveMaxPool3d(
    Functional, call="adaptive_max_pool3d", shown=("output_size",), **_ADAPTIVE_MAX
):
    """Max pooling over (depth, height, width) to a given output size."""
