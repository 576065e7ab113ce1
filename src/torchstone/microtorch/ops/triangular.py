"""Triangular systems: solve_triangular, cholesky_solve, cholesky_inverse."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchstone.microtorch import return_types
from torchstone.microtorch.ops.broadcasting import meet
from torchstone.microtorch.ops.matmul import adjoint
from torchstone.microtorch.ops.namespace import functions, op
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.tensor import Array, Tensor, wrap

_triangular = return_types.define("triangular_solve", "solution", "cloned_coefficient")


class LinAlgError(RuntimeError):
    """Error for a matrix without a result, such as the inverse of a singular one."""


functions["linalg"]["LinAlgError"] = LinAlgError


def check_matrix(name: str, matrix: Tensor, *, is_square: bool = False) -> None:
    """Raise an error unless the tensor is a matrix, or a batch, of real or complex numbers."""
    if matrix.array.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    rows, columns = matrix.array.shape[-2:]
    if is_square and rows != columns:
        raise RuntimeError(
            f"{name}: A must be batches of square matrices, but they are {rows} by {columns} "
            "matrices"
        )
    if matrix.array.dtype.kind not in "fc":
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got "
            f"{matrix.dtype.title}"
        )
    if matrix.array.dtype == np.float16:
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {matrix.dtype.title}")


def check_system(name: str, matrix: Tensor, right: Tensor, *, is_left: bool = True) -> None:
    """Raise an error for right-hand sides that do not match a square matrix."""
    check_matrix(name, matrix, is_square=True)
    if matrix.array.dtype != right.array.dtype:
        raise RuntimeError(
            f"{name}: Expected A and B to have the same dtype, but found A of type "
            f"{matrix.dtype} and B of type {right.dtype} instead"
        )
    shape, wanted = right.array.shape, matrix.array.shape[-1]
    if len(shape) < 2:
        raise RuntimeError(f"{name}: The input tensor B must have at least 2 dimensions.")
    if shape[-2 if is_left else -1] != wanted:
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation "
            f"{'AX = B' if is_left else 'XA = B'} ({wanted}x{wanted} and {shape[-2]}x{shape[-1]})"
        )
    meet(matrix.array.shape[:-2], shape[:-2])


def identity(rows: int, columns: int, like: Tensor) -> Tensor:
    """Create an identity matrix with the dtype of another tensor."""
    return wrap(np.eye(rows, columns, dtype=like.array.dtype))


def batch_message(name: str, info: Array, what: str) -> str:
    """Return the message for the first matrix of a batch for which an algorithm failed.

    Args:
        name: The operation.
        info: For each matrix 0, or the 1-based number of the row that failed.
        what: The message, with a placeholder for that number.
    """
    first = int(np.argmax(info.reshape(-1) != 0))
    where = f" (Batch element {first}):" if info.ndim else ""
    return f"{name}:{where} {what.format(int(info.reshape(-1)[first]))}"


def substitute(matrix: Array, rows: Array, *, lower: bool, unit: bool) -> None:
    """Solve a triangular system in place, by recursive halving: most of the work is products.

    Shapes:
        matrix: (*batch, n, n); rows: (*batch, n, k), the right-hand sides, then the solution.
    """
    count = matrix.shape[-1]
    if count <= 1:
        if count and not unit:
            rows /= matrix
        return
    first, second = slice(0, count // 2), slice(count // 2, count)
    if not lower:
        first, second = second, first
    substitute(matrix[..., first, first], rows[..., first, :], lower=lower, unit=unit)
    rows[..., second, :] -= matrix[..., second, first] @ rows[..., first, :]
    substitute(matrix[..., second, second], rows[..., second, :], lower=lower, unit=unit)


def _matrix_rule(
    grad: Tensor, self: Tensor, result: Tensor, upper: bool, left: bool, unit: bool
) -> Any:
    of_right = solved(adjoint(self), grad, not upper, left, unit)
    full = -(of_right @ adjoint(result) if left else adjoint(result) @ of_right)
    return full.triu(int(unit)) if upper else full.tril(-int(unit))


def _right_rule(grad: Tensor, self: Tensor, upper: bool, left: bool, unit: bool) -> Any:
    return solved(adjoint(self), grad, not upper, left, unit)


@primitive(self=_matrix_rule, other=_right_rule)
def _solve_triangular(self: Array, other: Array, upper: bool, left: bool, unit: bool) -> Array:
    if not left:
        flipped = _solve_triangular.forward(
            self.swapaxes(-2, -1), other.swapaxes(-2, -1), not upper, True, unit
        )
        return flipped.swapaxes(-2, -1)
    batch = np.broadcast_shapes(self.shape[:-2], other.shape[:-2])
    rows = np.array(np.broadcast_to(other, batch + other.shape[-2:]), order="C")
    substitute(self, rows, lower=not upper, unit=unit)
    return rows


def solved(
    matrix: Tensor, right: Tensor, upper: bool, left: bool = True, unit: bool = False
) -> Tensor:
    """Solve a triangular system without checks."""
    result: Tensor = _solve_triangular(matrix, right, upper, left, unit)
    return result


@op("linalg")
def solve_triangular(
    A: Tensor,
    B: Tensor,
    *,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Solve ``A @ X = B``, or ``X @ A = B``, with triangular A.

    Shapes:
        A: (*batch, n, n); B: (*batch, n, k), or (*batch, k, n) unless ``left`` -> the shape of B.
    """
    check_system("linalg.solve_triangular", A, B, is_left=left)
    return into(out, solved(A, B, upper, left, unitriangular))


@op()
def triangular_solve(
    b: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Any:
    """Solve ``A @ X = b``, or the system of A transposed, with triangular A."""
    check_system("triangular_solve", A, b)
    used = A.transpose(-2, -1) if transpose else A
    solution = solved(used, b, upper != transpose, True, unitriangular)
    return _triangular(solution, A.clone())


def _factor_rule(grad: Tensor, L: Tensor, upper: bool, result: Tensor) -> Any:
    half = _cholesky_solve(grad, L, upper) @ adjoint(result)
    # The gradient covers the whole factor, including its zero triangle.
    both = half + adjoint(half)
    return -(L @ both if upper else both @ L)


def _right_of_factor_rule(grad: Tensor, L: Tensor, upper: bool) -> Any:
    return _cholesky_solve(grad, L, upper)


@primitive(self=_right_of_factor_rule, L=_factor_rule)
def _cholesky_solve(self: Array, L: Array, upper: bool) -> Array:
    turned = L.swapaxes(-2, -1).conj()
    first, second = (turned, L) if upper else (L, turned)
    half = _solve_triangular.forward(first, self, False, True, False)
    return _solve_triangular.forward(second, half, True, True, False)


@op()
def cholesky_solve(
    B: Tensor, L: Tensor, upper: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Solve ``A @ X = B`` with the Cholesky factor L of A.

    Shapes:
        B: (*batch, n, k); L: (*batch, n, n), lower triangular, or ``upper`` -> (*batch, n, k).
    """
    check_system("cholesky_solve", L, B)
    return into(out, _cholesky_solve(B, L, upper))


@op()
def cholesky_inverse(L: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Compute the inverse of a matrix from its Cholesky factor L."""
    check_matrix("cholesky_inverse", L, is_square=True)
    return cholesky_solve(identity(L.array.shape[-2], L.array.shape[-1], L), L, upper, out=out)
