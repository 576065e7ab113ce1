"""Matrix and vector products: matmul, mm, bmm, mv, dot, outer, addmm, trace.

All are built on one primitive, whose gradients are products again. Transposed operands are passed
to BLAS without a copy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.ops.broadcasting import broadcast_error, expect_tensors
from torchstone.microtorch.ops.namespace import named, op
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.reductions import expect
from torchstone.microtorch.ops.rounded import rounded_once
from torchstone.microtorch.tensor import Array, Tensor


def adjoint(matrix: Tensor) -> Any:
    """Return the conjugate transpose of the last two dimensions."""
    swapped = matrix.transpose(-2, -1)
    return swapped.conj() if matrix.array.dtype.kind == "c" else swapped


def conjugate(tensor: Tensor) -> Tensor:
    """Return the complex conjugate; a real tensor itself."""
    return tensor.conj() if tensor.array.dtype.kind == "c" else tensor


def _of_first(grad: Tensor, other: Tensor) -> Any:
    return _matmul(grad, adjoint(other))


def _of_second(grad: Tensor, self: Tensor, other_shape: tuple[int, ...]) -> Any:
    if len(other_shape) == 2 < grad.array.ndim:
        # One matrix for the whole batch: its gradient is one product instead of a sum of many.
        self, grad = _as_one_matrix(self), _as_one_matrix(grad)
    return _matmul(adjoint(self), grad)


def _as_one_matrix(batch: Tensor) -> Tensor:
    *counts, columns = batch.array.shape
    return batch.reshape(math.prod(counts), columns)


@primitive(self=_of_first, other=_of_second)
def _matmul(self: Array, other: Array) -> Array:
    if self.shape[-1] == 1 == other.shape[-2]:
        # An outer product: elementwise multiplication is five times as fast as BLAS.
        return self * other
    if self.shape[:-2] == other.shape[:-2] != () and not any(other.strides[:-2]):
        # Batch strides of 0: all batch entries are the same matrix.
        other = other[(0,) * (other.ndim - 2)] if self.size else other
    if other.ndim == 2 < self.ndim and self.flags.c_contiguous and self.size:
        whole = self.reshape(-1, self.shape[-1]) @ other
        return whole.reshape(*self.shape[:-1], other.shape[1])
    return self @ other


@primitive(
    self=lambda grad, other: grad * conjugate(other),
    other=lambda grad, self: grad * conjugate(self),
)
def _dot(self: Array, other: Array) -> Any:
    return np.dot(self, other)


# PyTorch's error messages for operands of different dtypes.
_TYPES_DIFFER = {
    "mm": "expected m1 and m2 to have the same dtype, but got: {0.c_name} != {1.c_name}",
    "mv": "addmv input tensors must have the same dtype, but got {1.title}, {0.title}, and "
    "{1.title}",
    "dot": "dot : expected both vectors to have same dtype, but found {0.title} and {1.title}",
    "addmm": "self and mat2 must have the same dtype, but got {0.title} and {1.title}",
}


def _same_dtype(name: str, *operands: Tensor) -> None:
    for each in operands:
        if not isinstance(each, Tensor):
            raise TypeError(f"{name}(): argument must be Tensor, not {type(each).__name__}")
    first = operands[0].dtype
    for each in operands[1:]:
        if each.dtype is not first:
            words = _TYPES_DIFFER.get(name, "expected scalar type {0.title} but found {1.title}")
            raise RuntimeError(words.format(first, each.dtype))
    expect(name, operands[0], "fciu")


def _expect_dims(**operands: tuple[Tensor, int]) -> None:
    for label, (tensor, ndim) in operands.items():
        if tensor.array.ndim != ndim:
            what = "a matrix" if ndim == 2 else f"a {ndim}D tensor"
            raise RuntimeError(f"{label} must be {what}")


def _expect_vector_for(mat: Array, vec: Array) -> None:
    rows, columns = math.prod(mat.shape[:-1]), mat.shape[-1]
    if columns != vec.shape[0]:
        raise RuntimeError(
            f"size mismatch, got input ({rows}), mat ({rows}x{columns}), vec ({vec.shape[0]})"
        )


def expect_factors(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    """Raise an error for matrix shapes that cannot be multiplied."""
    if first[-1] != second[-2]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({first[-2]}x{first[-1]} and "
            f"{second[-2]}x{second[-1]})"
        )


@op()
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the matrix product of vectors, matrices or batches of matrices.

    Shapes:
        input: (*batch, n, m); other: (*batch, m, p) -> (*batch, n, p); the batches broadcast. A
        vector on the left counts as one row, on the right as one column.
    """
    expect_tensors("matmul", input=input, other=other)
    left, right = input.array.ndim, other.array.ndim
    if left == 2 == right:
        result = mm(input, other)
    elif left == 0 or right == 0:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {left}D and {right}D"
        )
    elif left == 1 == right:
        result = dot(input, other)
    elif left == 1:
        result = matmul(input.unsqueeze(0), other).squeeze(-2)
    elif right == 1:
        _same_dtype("mv", input, other)
        _expect_vector_for(input.array, other.array)
        result = matmul(input, other.unsqueeze(1)).squeeze(-1)
    else:
        _same_dtype("matmul", input, other)
        expect_factors(input.array.shape, other.array.shape)
        try:
            result = _matmul(input, other)
        except ValueError:
            raise broadcast_error(input.array.shape[:-2], other.array.shape[:-2]) from None
    return result if out is None else into(out, result)


op("linalg")(matmul)


def _operator(self: Tensor, other: Any) -> Any:
    return matmul(self, other) if isinstance(other, Tensor) else NotImplemented


def _swapped_operator(self: Tensor, other: Any) -> Any:
    return matmul(other, self) if isinstance(other, Tensor) else NotImplemented


for _name, _function in (("__matmul__", _operator), ("__rmatmul__", _swapped_operator)):
    setattr(Tensor, _name, _function)


@op()
def mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the product of two matrices."""
    _same_dtype("mm", input, mat2)
    _expect_dims(self=(input, 2), mat2=(mat2, 2))
    expect_factors(input.array.shape, mat2.array.shape)
    result: Tensor = _matmul(input, mat2)
    return result if out is None else into(out, result)


@op()
def bmm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the products of two batches of matrices."""
    _same_dtype("bmm", input, mat2)
    _expect_dims(batch1=(input, 3), batch2=(mat2, 3))
    (count, _, inner), got = input.array.shape, mat2.array.shape
    if got[:2] != (count, inner):
        raise RuntimeError(
            "Expected size for first two dimensions of batch2 tensor to be: "
            f"[{count}, {inner}] but got: [{got[0]}, {got[1]}]."
        )
    return into(out, _matmul(input, mat2))


@op()
def mv(input: Tensor, vec: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the product of a matrix and a vector."""
    if input.array.ndim != 2 or vec.array.ndim != 1:
        raise RuntimeError(
            "vector + matrix @ vector expected, got "
            f"{min(vec.array.ndim, 1)}, {input.array.ndim}, {vec.array.ndim}"
        )
    _same_dtype("mv", input, vec)
    _expect_vector_for(input.array, vec.array)
    return into(out, _matmul(input, vec.unsqueeze(1)).squeeze(1))


@op()
def dot(input: Tensor, tensor: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the dot product of two vectors."""
    _same_dtype("dot", input, tensor)
    if input.array.ndim != 1 or tensor.array.ndim != 1:
        raise RuntimeError(
            f"1D tensors expected, but got {input.array.ndim}D and {tensor.array.ndim}D tensors"
        )
    if input.array.size != tensor.array.size:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{input.array.size}] and src "
            f"[{tensor.array.size}] to have the same number of elements, but got "
            f"{input.array.size} and {tensor.array.size} elements respectively"
        )
    return into(out, _dot(input, tensor))


@op()
def vdot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the dot product of a conjugated vector with another vector."""
    return dot(conjugate(input), other, out=out)


@op("linalg")
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """Compute the dot products of conjugated vectors with other vectors along a dimension."""
    _same_dtype("linalg.vecdot", x, y)
    return into(out, (conjugate(x) * y).sum(dim))


@op(aliases=("ger",))
def outer(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the outer product of two vectors."""
    for name, each in (("self", input), ("vec2", vec2)):
        if each.array.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {each.array.ndim}-D")
    return into(out, input.unsqueeze(1) * vec2)


@rounded_once
def _combined(
    name: str,
    multiply: Callable[[Tensor, Tensor], Tensor],
    input: Tensor,
    first: Tensor,
    second: Tensor,
    beta: Any,
    alpha: Any,
) -> Tensor:
    """Return ``beta * input + alpha * product``; a ``beta`` of 0 ignores the input, even NaN."""
    product = multiply(first, second)
    if input.array.dtype.kind in "iu":
        beta, alpha = int(beta), int(alpha)
    wanted = product.array.shape
    fits = input.array.ndim <= len(wanted) and all(
        size in (1, other)
        for size, other in zip(input.array.shape[::-1], wanted[::-1], strict=False)
    )
    if not fits:
        raise RuntimeError(
            f"{name}: The expanded size of the tensor must match: an input of shape "
            f"{list(input.shape)} can't be expanded to {list(wanted)}"
        )
    if alpha != 1:
        product = product * alpha
    if beta == 0:
        return product
    return (input if beta == 1 else input * beta) + product


@op(inplace=True)
def addmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: Any = 1,
    alpha: Any = 1,
    out: Tensor | None = None,
) -> Tensor:
    """Compute ``beta * input + alpha * mat1 @ mat2``."""
    _same_dtype("addmm", input, mat1, mat2)
    return into(out, _combined("addmm", mm, input, mat1, mat2, beta, alpha))


@op(inplace=True)
def addmv(
    input: Tensor,
    mat: Tensor,
    vec: Tensor,
    *,
    beta: Any = 1,
    alpha: Any = 1,
    out: Tensor | None = None,
) -> Tensor:
    """Compute ``beta * input + alpha * mat @ vec``."""
    _same_dtype("addmv", input, mat, vec)
    beta, alpha = dtypes.held(beta, input.dtype), dtypes.held(alpha, input.dtype)
    return into(out, _combined("addmv", mv, input, mat, vec, beta, alpha))


def _define_of_batches(name: str, product: Callable[[Tensor, Tensor], Tensor], what: str) -> None:
    def function(
        input: Tensor,
        batch1: Tensor,
        batch2: Tensor,
        *,
        beta: Any = 1,
        alpha: Any = 1,
        out: Tensor | None = None,
    ) -> Tensor:
        _same_dtype(name, input, batch1, batch2)
        return into(out, _combined(name, product, input, batch1, batch2, beta, alpha))

    op(inplace=True)(named(function, name, f"Compute ``beta * input + alpha * {what}``."))


_define_of_batches("baddbmm", bmm, "(batch1 @ batch2)")
_define_of_batches("addbmm", lambda a, b: bmm(a, b).sum(0), "(batch1 @ batch2).sum(0)")


@op(inplace=True)
def addr(
    input: Tensor,
    vec1: Tensor,
    vec2: Tensor,
    *,
    beta: Any = 1,
    alpha: Any = 1,
    out: Tensor | None = None,
) -> Tensor:
    """Compute ``beta * input + alpha * outer(vec1, vec2)``."""
    for name, each in (("beta", beta), ("alpha", alpha)):
        if input.array.dtype.kind in "iu" and isinstance(each, float):
            raise RuntimeError(
                f"For integral input tensors, argument {name} must not be a floating point number."
            )
    beta, alpha = dtypes.held(beta, input.dtype), dtypes.held(alpha, input.dtype)
    return into(out, _combined("addr", outer, input, vec1, vec2, beta, alpha))


@op()
def trace(input: Tensor) -> Tensor:
    """Compute the trace, the sum of the diagonal of a matrix."""
    if input.array.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input.array.ndim}")
    result: Tensor = input.diagonal().sum()
    return result
