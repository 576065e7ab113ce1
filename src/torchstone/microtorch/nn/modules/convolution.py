"""Convolution modules: Conv1d to Conv3d and ConvTranspose1d to ConvTranspose3d."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from torchstone.microtorch.nn import functional as F
from torchstone.microtorch.nn.init import (
    _calculate_fan_in_and_fan_out,
    kaiming_uniform_,
    uniform_,
    unset,
)
from torchstone.microtorch.nn.modules.functional_module import ntuple
from torchstone.microtorch.nn.modules.module import Module
from torchstone.microtorch.tensor import Tensor

PADDINGS = ("valid", "same")
PADDING_MODES = ("zeros", "reflect", "replicate", "circular")
Sizes = int | Sequence[int]


class _ConvNd(Module):
    """Base class of the convolutions.

    Attributes:
        _num_dims: Number of spatial dimensions.
    """

    _num_dims: ClassVar[int]
    transposed: ClassVar[bool]

    def __init__(
        self,
        channels: tuple[int, int],
        bias: bool,
        dtype: Any,
        *,
        padding: Any,
        groups: int,
        padding_mode: str,
        output_padding: Sizes = 0,
        **sizes: Sizes,
    ) -> None:
        super().__init__()
        for name, size in (*sizes.items(), ("output_padding", output_padding)):
            setattr(self, name, ntuple(size, self._num_dims))
        self.in_channels, self.out_channels = channels
        self.groups, self.padding_mode = groups, padding_mode
        is_named = isinstance(padding, str)
        self.padding = padding if is_named else ntuple(padding, self._num_dims)
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        for name in ("in_channels", "out_channels"):
            if getattr(self, name) % groups:
                raise ValueError(f"{name} must be divisible by groups")
        if is_named and padding not in PADDINGS:
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {PADDINGS}")
        if padding == "same" and any(step != 1 for step in self.stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in PADDING_MODES:
            raise ValueError(
                f"padding_mode must be one of {PADDING_MODES}, but got "
                f"padding_mode='{padding_mode}'"
            )
        first, second = channels if self.transposed else channels[::-1]
        self.weight = unset(first, second // groups, *self.kernel_size, dtype=dtype)
        self.register_parameter("bias", unset(self.out_channels, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize from the uniform distribution on +-1 / sqrt(fan_in)."""
        kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = _calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in else 0
            uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        """Return the sizes, and the options that differ from the defaults."""
        parts = [f"{self.in_channels}, {self.out_channels}", f"kernel_size={self.kernel_size}"]
        parts.append(f"stride={self.stride}")
        for name, usual in (("padding", 0), ("dilation", 1), ("output_padding", 0)):
            if getattr(self, name) != (usual,) * self._num_dims:
                parts.append(f"{name}={getattr(self, name)}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)


class _Forward(_ConvNd):
    transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            (in_channels, out_channels),
            bias,
            dtype,
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            dilation=dilation,
            groups=groups,
            padding_mode=padding_mode,
        )

    def forward(self, input: Tensor) -> Tensor:
        """Apply the convolution."""
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._around(), mode=self.padding_mode)
            padding = 0
        convolve = getattr(F, f"conv{self._num_dims}d")
        return convolve(
            input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )

    def _around(self) -> list[int]:
        """Return the padding before and after each dimension, the last dimension first."""
        around = []
        for dim in reversed(range(self._num_dims)):
            if self.padding == "same":
                whole = self.dilation[dim] * (self.kernel_size[dim] - 1)
                around += [whole // 2, whole - whole // 2]
            else:
                size = 0 if self.padding == "valid" else self.padding[dim]
                around += [size, size]
        return around


class Conv1d(_Forward):
    """Convolution over (length,)."""

    _num_dims = 1


class Conv2d(_Forward):
    """Convolution over (height, width)."""

    _num_dims = 2


class Conv3d(_Forward):
    """Convolution over (depth, height, width)."""

    _num_dims = 3


class _ConvTransposeNd(_ConvNd):
    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            (in_channels, out_channels),
            bias,
            dtype,
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            output_padding=output_padding,
            dilation=dilation,
            groups=groups,
            padding_mode=padding_mode,
        )

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Apply the transposed convolution.

        Args:
            input: A tensor with the shape of a convolution's output.
            output_size: The requested size; with stride > 1 several are possible.
        """
        transposed = getattr(F, f"conv_transpose{self._num_dims}d")
        return transposed(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            self._output_padding(input, output_size),
            self.groups,
            self.dilation,
        )

    def _output_padding(self, input: Tensor, output_size: Sequence[int] | None) -> Sequence[int]:
        if output_size is None:
            return self.output_padding
        num_dims, ndim = self._num_dims, input.array.ndim
        if len(output_size) not in (num_dims, ndim):
            raise ValueError(
                f"ConvTranspose{num_dims}D: for {ndim}D input, output_size must have {num_dims} "
                f"or {ndim} elements (got {len(output_size)})"
            )
        wanted = list(output_size)[-num_dims:]
        least = [
            (size - 1) * step - 2 * pad + spread * (kernel - 1) + 1
            for size, step, pad, spread, kernel in zip(
                input.array.shape[-num_dims:],
                self.stride,
                self.padding,
                self.dilation,
                self.kernel_size,
                strict=True,
            )
        ]
        most = [low + step - 1 for low, step in zip(least, self.stride, strict=True)]
        bounds = zip(least, wanted, most, strict=True)
        if any(not low <= size <= high for low, size, high in bounds):
            raise ValueError(
                f"requested an output size of {wanted}, but valid sizes range from {least} to "
                f"{most} (for an input of {input.shape[-num_dims:]})"
            )
        return [size - low for size, low in zip(wanted, least, strict=True)]


class ConvTranspose1d(_ConvTransposeNd):
    """Transposed convolution over (length,)."""

    _num_dims = 1


class ConvTranspose2d(_ConvTransposeNd):
    """Transposed convolution over (height, width)."""

    _num_dims = 2


class ConvTranspose3d(_ConvTransposeNd):
    """Transposed convolution over (depth, height, width)."""

    _num_dims = 3
