"""Fourier transforms: PyTorch's, whose ``dim`` is the standard's ``axis`` or ``axes``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torchstone.microtorch as micro
from torchstone.microtorch import Tensor


def _one(name: str) -> Callable[..., Tensor]:
    def transform(
        x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: str = "backward"
    ) -> Tensor:
        return getattr(micro.fft, name)(x, n, axis, norm)

    return transform


def _several(name: str) -> Callable[..., Tensor]:
    def transform(
        x: Tensor, /, *, s: Any = None, axes: Any = None, norm: str = "backward"
    ) -> Tensor:
        return getattr(micro.fft, name)(x, s, axes, norm)

    return transform


fft, ifft, rfft, irfft = _one("fft"), _one("ifft"), _one("rfft"), _one("irfft")
hfft, ihfft = _one("hfft"), _one("ihfft")
fftn, ifftn = _several("fftn"), _several("ifftn")
rfftn, irfftn = _several("rfftn"), _several("irfftn")


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Tensor:
    return micro.fft.fftfreq(n, d, dtype=dtype, device=device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Tensor:
    return micro.fft.rfftfreq(n, d, dtype=dtype, device=device)


def fftshift(x: Tensor, /, *, axes: Any = None) -> Tensor:
    return micro.fft.fftshift(x, axes)


def ifftshift(x: Tensor, /, *, axes: Any = None) -> Tensor:
    return micro.fft.ifftshift(x, axes)
