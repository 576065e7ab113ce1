"""Complex numbers: conj, real, imag, view_as_real, view_as_complex, polar, angle.

Conjugation is computed at once. PyTorch defers it by a bit on the tensor; here there is never
anything to resolve.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.ops.broadcasting import expect_tensors, meet
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.pointwise import into, zero_rule
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.tensor import Array, Tensor, attach


@primitive(self=lambda grad: grad.conj())
def _conj(self: Array) -> Any:
    return np.conjugate(self)


@op()
def conj(input: Tensor) -> Tensor:
    """Return the complex conjugate; a real tensor itself."""
    return _conj(input) if input.array.dtype.kind == "c" else input


@op(inplace=True)
def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the complex conjugate."""
    return into(out, conj(input))


@op(aliases=("resolve_neg",))
def resolve_conj(input: Tensor) -> Tensor:
    """Return the tensor itself: conjugation and negation are never deferred."""
    return input


@op(aliases=("is_neg",))
def is_conj(input: Tensor) -> bool:
    """Return False: conjugation and negation are never deferred."""
    return False


@op(method=False)
def is_complex(input: Tensor) -> bool:
    """Return whether the dtype of a tensor is complex."""
    return input.is_complex()


@primitive(view=True, self=lambda grad: grad)
def _real(self: Array) -> Array:
    return self.real


@primitive(view=True, self=lambda grad: grad * 1j)
def _imag(self: Array) -> Array:
    return self.imag


@op(method=False)
def real(input: Tensor) -> Tensor:
    """Return a view of the real parts; a real tensor itself."""
    return _real(input) if input.array.dtype.kind == "c" else input


@op(method=False)
def imag(input: Tensor) -> Tensor:
    """Return a view of the imaginary parts.

    Raises:
        RuntimeError: The tensor is real.
    """
    if input.array.dtype.kind != "c":
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return _imag(input)


def _part(get: Any) -> property:
    def put(self: Tensor, value: Any) -> None:
        get(self).copy_(value)

    return property(get, put, doc=get.__doc__)


attach("real", _part(real))
attach("imag", _part(imag))


@primitive(view=True, self=lambda grad: grad.contiguous().view_as_complex())
def _view_as_real(self: Array) -> Array:
    parts = self.real
    return np.lib.stride_tricks.as_strided(
        parts, (*self.shape, 2), (*self.strides, parts.itemsize), writeable=self.flags.writeable
    )


@primitive(view=True, self=lambda grad: grad.view_as_real())
def _view_as_complex(self: Array, numpy: Any) -> Array:
    # NumPy reinterprets pairs only in contiguous memory, which a vector of two always is.
    pairs = np.lib.stride_tricks.as_strided(self, (2,), (self.itemsize,))
    return np.lib.stride_tricks.as_strided(
        pairs.view(numpy), self.shape[:-1], self.strides[:-1], writeable=self.flags.writeable
    )


@op()
def view_as_real(input: Tensor) -> Tensor:
    """Return a view of complex numbers as pairs of real ones.

    Shapes:
        input: (*shape) -> (*shape, 2)
    """
    if input.array.dtype.kind != "c":
        raise RuntimeError("view_as_real is only supported for complex tensors")
    return _view_as_real(input)


@op()
def view_as_complex(input: Tensor) -> Tensor:
    """Return a view of pairs of real numbers as complex ones.

    Shapes:
        input: (*shape, 2) -> (*shape)

    Raises:
        RuntimeError: The last dimension does not have size 2, or its pairs are not contiguous.
    """
    array = input.array
    if array.dtype.kind != "f" or array.itemsize < 4:
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a "
            f"tensor of scalar type: {input.dtype.title}"
        )
    if not array.ndim:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if array.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if array.size and array.strides[-1] != array.itemsize:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(step % (2 * array.itemsize) for step in array.strides[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    return _view_as_complex(input, input.dtype.to_complex().numpy)


@primitive(real=lambda grad: grad.real, imag=lambda grad: grad.imag)
def _complex(real: Array, imag: Array) -> Array:
    shape = np.broadcast_shapes(real.shape, imag.shape)
    result = np.empty(shape, dtypes.of_numpy(real.dtype).to_complex().numpy)
    result.real, result.imag = real, imag
    return result


def _check_pair(name: str, pair: dict[str, Any], out: Tensor | None) -> None:
    """Check that both are tensors of one floating-point dtype, and that ``out`` fits."""
    expect_tensors(name, **pair)
    first, second = (each.dtype for each in pair.values())
    if not (first.is_floating_point and second.is_floating_point):
        raise RuntimeError(
            f"Expected both inputs to be Half, Float or Double tensors but got {first} and {second}"
        )
    if first is not second:
        raise RuntimeError(
            f"Expected object of scalar type {first} but got scalar type {second} for second "
            "argument"
        )
    if out is not None and out.dtype is not first.to_complex():
        raise RuntimeError(
            f"Expected object of scalar type {first.to_complex().title} but got scalar type "
            f"{out.dtype.title} for argument 'out'"
        )
    meet(*(each.array.shape for each in pair.values()))


@op(method=False)
def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Create complex numbers from real and imaginary parts.

    Raises:
        RuntimeError: The parts do not have the same floating-point dtype.
    """
    _check_pair("complex", {"real": real, "imag": imag}, out)
    return into(out, _complex(real, imag))


@primitive(
    abs=lambda grad, result: (grad.conj() * result.sgn()).real,
    angle=lambda grad, result: (grad.conj() * (result * 1j)).real,
)
def _polar(abs: Array, angle: Array) -> Array:
    return _complex.forward(abs * np.cos(angle), abs * np.sin(angle))


@op(method=False)
def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Create complex numbers from absolute values and angles.

    Raises:
        RuntimeError: The two do not have the same floating-point dtype.
    """
    _check_pair("polar", {"abs": abs, "angle": angle}, out)
    return into(out, _polar(abs, angle))


def _angle_rule(grad: Tensor, self: Tensor) -> Tensor:
    if not self.is_complex():
        return zero_rule(grad)
    # The angle is not differentiable at 0; its gradient there is 0 by convention.
    return (grad * 1j * self / (self.abs() ** 2)).masked_fill(self.eq(0), 0)


@primitive(self=_angle_rule)
def _angle(self: Array) -> Any:
    if self.dtype.kind == "c":
        return np.angle(self)
    x = self if self.dtype.kind == "f" else self.astype(dtypes.get_default_dtype().numpy)
    return np.where(np.isnan(x), x, np.where(x < 0, x.dtype.type(np.pi), x.dtype.type(0)))


@op()
def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the angle of each number in radians; for real numbers 0 or pi."""
    return into(out, _angle(input))
