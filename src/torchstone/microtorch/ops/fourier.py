"""Fourier transforms: fft, ifft, rfft, irfft, hfft, ihfft, fftshift, fftfreq.

A transform's matrix is symmetric and, up to scale, unitary, so its adjoint is the inverse transform
with the other normalization (``_SWAPPED``). Where only the non-redundant half of a spectrum is
kept, the gradient of the other half is 0, or is added to its mirror image.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.dtypes import dtype as Dtype
from torchstone.microtorch.ops.creation import finished, made, numpy_dtype
from torchstone.microtorch.ops.matmul import conjugate
from torchstone.microtorch.ops.namespace import named, op
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.tensor import Array, Tensor, wrap_dim

_SWAPPED = {"backward": "forward", "forward": "backward", "ortho": "ortho"}
Dims = tuple[int, ...]


def _complex_rule(grad: Tensor, dims: Dims, norm: str, inverse: bool) -> Any:
    return _complex(grad, dims, _SWAPPED[norm], not inverse)


@primitive(self=_complex_rule)
def _complex(self: Array, dims: Dims, norm: Any, inverse: bool) -> Array:
    transform = np.fft.ifftn if inverse else np.fft.fftn
    return transform(self, axes=dims, norm=norm)


def _real_to_half_rule(grad: Tensor, self_shape: tuple[int, ...], dims: Dims, norm: str) -> Any:
    whole = _resize(grad, dims[-1], self_shape[dims[-1]])
    return _complex(whole, dims, _SWAPPED[norm], True).real


@primitive(self=_real_to_half_rule)
def _real_to_half(self: Array, dims: Dims, norm: Any) -> Array:
    return np.fft.rfftn(self, axes=dims, norm=norm)


def _half_to_real_rule(grad: Tensor, dims: Dims, length: int, norm: str) -> Any:
    half = _real_to_half(grad, dims, _SWAPPED[norm])
    # These entries count twice, because their complex conjugates are implied.
    counts = np.full(half.array.shape[dims[-1]], 2, grad.array.dtype)
    counts[0] = 1
    if length % 2 == 0:
        counts[-1] = 1
    after = half.array.ndim - 1 - dims[-1]
    return half * made(counts.reshape((-1,) + (1,) * after))


@primitive(self=_half_to_real_rule)
def _half_to_real(self: Array, dims: Dims, length: int, norm: Any) -> Array:
    sizes = [*(self.shape[dim] for dim in dims[:-1]), length]
    return np.fft.irfftn(self, sizes, axes=dims, norm=norm)


def _resize_rule(grad: Tensor, self_shape: Dims, dim: int) -> Any:
    return _resize(grad, dim, self_shape[dim])


@primitive(self=_resize_rule)
def _resize(self: Array, dim: int, size: int) -> Array:
    """Truncate a dimension at its end, or pad it with zeros."""
    shape = list(self.shape)
    shape[dim] = size
    result = np.zeros(shape, self.dtype)
    kept = (slice(None),) * dim + (slice(0, min(size, self.shape[dim])),)
    result[kept] = self[kept]
    return result


def _resized(input: Tensor, dims: Dims, sizes: Sequence[int]) -> Tensor:
    for dim, size in zip(dims, sizes, strict=True):
        if size != input.array.shape[dim]:
            input = _resize(input, dim, size)
    return input


def _checked_norm(norm: str | None) -> str:
    if norm is not None and norm not in _SWAPPED:
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    return norm or "backward"


def _as_inexact(name: str, input: Tensor, *, wants_real: bool = False) -> Tensor:
    if wants_real and input.array.dtype.kind == "c":
        raise RuntimeError(f"{name} expects a real input tensor, but got {input.dtype}")
    if input.array.dtype == np.float16:
        raise RuntimeError("Unsupported dtype Half")
    return input if input.array.dtype.kind in "fc" else input.to(dtypes.get_default_dtype())


def _dims_and_sizes(
    input: Tensor, s: Sequence[int] | None, dim: Any, *, halved: bool = False
) -> tuple[Dims, list[int]]:
    """Return the dimensions that are transformed and the number of points along each.

    Args:
        input: The input of the transform.
        s: The number of points; -1 keeps the size.
        dim: The dimensions; by default all, or the last ``len(s)``.
        halved: The last dimension has only the non-redundant half.
    """
    dims = _dims(input, s, dim)
    if not dims and halved:
        raise RuntimeError("at least one dimension has to be transformed")
    sizes = [input.array.shape[each] for each in dims]
    if halved:
        sizes[-1] = 2 * (sizes[-1] - 1)
    for place, size in enumerate(s or ()):
        sizes[place] = sizes[place] if size == -1 else size
    for size in sizes:
        if size < 1:
            raise RuntimeError(f"Invalid number of data points ({size}) specified")
    return dims, sizes


def _dims(input: Tensor, s: Sequence[int] | None, dim: Any) -> Dims:
    ndim = input.array.ndim
    if dim is None and s is not None and len(s) > ndim:
        raise RuntimeError(
            f"Got shape with {len(s)} values but input tensor only has {ndim} dimensions."
        )
    if dim is None:
        dim = range(ndim) if s is None else range(ndim - len(s), ndim)
    dims = tuple(wrap_dim(each, ndim) for each in ((dim,) if isinstance(dim, int) else dim))
    if len(set(dims)) != len(dims):
        raise RuntimeError("FFT dims must be unique")
    if s is not None and len(s) != len(dims):
        raise RuntimeError("When given, dim and shape arguments must have the same length")
    return dims


def _transform(name: str, input: Tensor, s: Any, dim: Any, norm: str | None) -> Tensor:
    """Compute the named transform along several dimensions.

    The name's prefix gives the kind: "i" inverse, "r" real input, "h" real spectrum.
    """
    inverse, kind = name.startswith("i"), name.removeprefix("i")[0]
    to_half = name[:2] in ("rf", "ih")
    from_half = name[:2] in ("ir", "hf")
    input = _as_inexact(name, input, wants_real=to_half)
    dims, sizes = _dims_and_sizes(input, s, dim, halved=from_half)
    scale = _checked_norm(norm)
    if to_half:
        # A real spectrum comes from the inverse transform: the conjugate of the forward one.
        half = _real_to_half(
            _resized(input, dims, sizes), dims, _SWAPPED[scale] if inverse else scale
        )
        return conjugate(half) if inverse else half
    if input.array.dtype.kind == "f":
        input = input.to(input.dtype.to_complex())
    if not from_half:
        return _complex(_resized(input, dims, sizes), dims, scale, inverse)
    input = _resized(input, dims, [*sizes[:-1], sizes[-1] // 2 + 1])
    if kind == "h":
        input, scale = conjugate(input), _SWAPPED[scale]
    return _half_to_real(input, dims, sizes[-1], scale)


_DOES = {
    "fft": "Compute the discrete Fourier transform",
    "ifft": "Compute the inverse discrete Fourier transform",
    "rfft": "Compute the one-sided Fourier transform of a real signal",
    "irfft": "Compute a real signal from its one-sided Fourier transform",
    "hfft": "Compute the real Fourier transform of one half of a Hermitian-symmetric signal",
    "ihfft": "Compute one half of a Hermitian-symmetric signal from its real Fourier transform",
}


def _along_one(name: str) -> Callable[..., Tensor]:
    def transform(
        input: Tensor,
        n: int | None = None,
        dim: int = -1,
        norm: str | None = None,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        sizes = None if n is None else (n,)
        if not input.array.ndim:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        return into(out, _transform(name, input, sizes, (dim,), norm))

    return transform


def _along_several(name: str, default_dims: tuple[int, int] | None) -> Callable[..., Tensor]:
    def transform(
        input: Tensor,
        s: Sequence[int] | None = None,
        dim: Any = default_dims,
        norm: str | None = None,
        *,
        out: Tensor | None = None,
    ) -> Tensor:
        return into(out, _transform(name, input, s, dim, norm))

    return transform


for _name, _does in _DOES.items():
    for _full, _function, _where in (
        (_name, _along_one(_name), "along one dimension."),
        (f"{_name}2", _along_several(_name, (-2, -1)), "along two dimensions."),
        (f"{_name}n", _along_several(_name, None), "along several dimensions."),
    ):
        op("fft")(named(_function, _full, f"{_does} {_where}"))


def _shifted(input: Tensor, dim: Any, *, back: bool) -> Tensor:
    dims = range(input.array.ndim) if dim is None else (dim,) if isinstance(dim, int) else dim
    sizes = [input.array.shape[wrap_dim(each, input.array.ndim)] for each in dims]
    shifts = [(size + 1) // 2 if back else size // 2 for size in sizes]
    return input.roll(shifts, tuple(dims))


@op("fft")
def fftshift(input: Tensor, dim: Any = None) -> Tensor:
    """Move the zero frequency to the center."""
    return _shifted(input, dim, back=False)


@op("fft")
def ifftshift(input: Tensor, dim: Any = None) -> Tensor:
    """Undo ``fftshift``."""
    return _shifted(input, dim, back=True)


@op("fft")
def fftfreq(n: int, d: float = 1.0, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """Return the sample frequencies of ``fft`` for ``n`` points at distance ``d``."""
    return finished(np.fft.fftfreq(n, d).astype(numpy_dtype(dtype)), options)


@op("fft")
def rfftfreq(n: int, d: float = 1.0, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """Return the sample frequencies of ``rfft`` for ``n`` points at distance ``d``."""
    return finished(np.fft.rfftfreq(n, d).astype(numpy_dtype(dtype)), options)
