"""Least squares and pseudo-inverse: lstsq, pinv, matrix_rank, tensorinv, tensorsolve."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchstone.microtorch import return_types
from torchstone.microtorch.ops.decompositions import eigvalsh, svdvals
from torchstone.microtorch.ops.lu import inv, solve
from torchstone.microtorch.ops.matmul import adjoint, conjugate, matmul
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.triangular import check_matrix
from torchstone.microtorch.tensor import Array, Tensor, wrap, wrap_dim

_Lstsq = return_types.define("linalg_lstsq", "solution", "residuals", "rank", "singular_values")


def _pinv_rule(grad: Tensor, self: Tensor, result: Tensor) -> Any:
    # Golub and Pereyra (1973), with products ordered by the shorter side.
    rows, columns = self.array.shape[-2:]
    turned, inverse = adjoint(grad), result
    other = adjoint(inverse)
    if rows <= columns:
        k = turned @ inverse
        k_other = k @ other
        inside = k_other - (self @ inverse) @ k_other
        return inside - adjoint(inverse @ k) + (other @ inverse) @ (turned - k @ self)
    k = inverse @ turned
    other_k = other @ k
    inside = other_k - (other_k @ inverse) @ self
    return inside - adjoint(k @ inverse) + (turned - self @ k) @ inverse @ other


@primitive(self=_pinv_rule)
def _pinv(self: Array, tolerance: Array, hermitian: bool) -> Array:
    if hermitian:
        values, vectors = np.linalg.eigh(self)
        inverse = _inverse_above(values, tolerance)
        return (vectors * inverse[..., None, :]) @ vectors.swapaxes(-2, -1).conj()
    u, s, vh = np.linalg.svd(self, full_matrices=False)
    inverse = _inverse_above(s, tolerance)
    return (vh.swapaxes(-2, -1).conj() * inverse[..., None, :]) @ u.swapaxes(-2, -1).conj()


def _inverse_above(values: Array, tolerance: Array) -> Array:
    kept = np.abs(values) > tolerance[..., None]
    return np.where(kept, 1 / np.where(kept, values, 1), 0).astype(values.dtype)


def _tolerance(sizes: Array, A: Tensor, atol: Any, rtol: Any) -> Array:
    """Return the threshold below which a singular value counts as 0.

    Shapes:
        sizes: (*batch, k), the singular values -> (*batch,)
    """
    greatest = sizes.max(-1, initial=0)
    absolute = np.asarray(0 if atol is None else getattr(atol, "array", atol))
    if rtol is None:
        eps = np.finfo(sizes.dtype).eps * max(A.array.shape[-2:])
        relative = np.where(absolute > 0, 0, eps)
    else:
        relative = np.asarray(getattr(rtol, "array", rtol))
    return np.maximum(absolute, relative * greatest)


def _sizes(A: Tensor, hermitian: bool) -> Array:
    values = eigvalsh(A.detach()) if hermitian else svdvals(A.detach())
    return np.abs(values.array)


@op("linalg")
def pinv(
    A: Tensor,
    rcond: Any = None,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the Moore-Penrose pseudo-inverse.

    Args:
        A: Any matrix.
        rcond: The old name of ``rtol``.
        hermitian: A is symmetric or Hermitian.
        atol: Singular values up to this one count as 0.
        rtol: Likewise, relative to the largest; the default is ``eps`` times the larger dimension.
        out: The output tensor.
    """
    check_matrix("linalg.pinv", A, is_square=hermitian)
    tolerance = _tolerance(_sizes(A, hermitian), A, atol, rcond if rtol is None else rtol)
    return into(out, _pinv(A, tolerance, hermitian))


@op()
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """Compute the Moore-Penrose pseudo-inverse."""
    return pinv(input, rcond)


@op("linalg")
def matrix_rank(
    A: Tensor,
    tol: Any = None,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
    out: Tensor | None = None,
) -> Tensor:
    """Count the singular values above the tolerance; see ``pinv``."""
    check_matrix("linalg.matrix_rank", A, is_square=hermitian)
    sizes = _sizes(A, hermitian)
    if tol is not None:
        atol, rtol = tol, 0
    tolerance = _tolerance(sizes, A, atol, rtol)
    return into(out, wrap(np.count_nonzero(sizes > tolerance[..., None], axis=-1)))


@op("linalg")
def lstsq(A: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """Solve ``A @ X = B`` in the least-squares sense.

    Shapes:
        A: (*batch, m, n); B: (*batch, m, k), or (*batch, m) -> solution: (*batch, n, k).
        residuals: (*batch, k), if m > n and A has full rank; rank and singular_values are returned
        only for the values of ``driver`` that compute them in PyTorch.
    """
    check_matrix("torch.linalg.lstsq", A)
    drivers = ("gels", "gelsy", "gelsd", "gelss")
    if driver is not None and driver not in drivers:
        raise RuntimeError(
            "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)"
        )
    if A.array.dtype != B.array.dtype:
        raise RuntimeError("torch.linalg.lstsq: Expected input and other to have the same dtype")
    is_vector = B.array.ndim == A.array.ndim - 1
    right = B.unsqueeze(-1) if is_vector else B
    if right.array.ndim < 2 or right.array.shape[-2] != A.array.shape[-2]:
        raise RuntimeError(
            f"torch.linalg.lstsq: input.size(-2) should match other.size(-{1 if is_vector else 2})"
        )
    full = matmul(pinv(A, rtol=rcond), right)
    rows, columns = A.array.shape[-2:]
    # Empty residuals are still differentiable, so they have a history.
    nothing = full.reshape(-1)[:0]
    sizes = svdvals(A.detach())
    rank = matrix_rank(A, rtol=rcond)
    residuals = nothing
    if rows > columns and driver not in (None, "gelsy") and np.all(rank.array == columns):
        misfit = matmul(A, full) - right
        residuals = (misfit * conjugate(misfit)).sum(-2)
    if driver == "gels":
        rank = rank.new_zeros((0,))
    return _Lstsq(
        full.squeeze(-1) if is_vector else full,
        residuals,
        rank,
        sizes if driver in ("gelsd", "gelss") else sizes.new_zeros((0,)),
    )


@op("linalg")
def tensorinv(A: Tensor, ind: int = 2, *, out: Tensor | None = None) -> Tensor:
    """Compute the inverse of a tensor as a matrix whose rows are its first ``ind`` dimensions."""
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    rows, columns = A.array.shape[:ind], A.array.shape[ind:]
    if math.prod(rows) != math.prod(columns):
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == "
            f"prod(self.shape[:ind]), but got {math.prod(columns)} != {math.prod(rows)}"
        )
    return into(out, inv(A.reshape(math.prod(rows), math.prod(columns))).reshape(columns + rows))


@op("linalg")
def tensorsolve(
    A: Tensor, B: Tensor, dims: Sequence[int] | None = None, *, out: Tensor | None = None
) -> Tensor:
    """Solve ``tensordot(A, X, X.ndim) = B`` for X.

    Args:
        A: The coefficients: the dimensions of B, then those of X.
        B: The right-hand side.
        dims: Dimensions of A that are first moved to its end.
        out: The output tensor.
    """
    ndim = A.array.ndim
    if dims is not None:
        moved = [wrap_dim(each, ndim) for each in dims]
        A = A.permute([*(each for each in range(ndim) if each not in moved), *moved])
    shape = A.array.shape[B.array.ndim :]
    rows = math.prod(A.array.shape[: B.array.ndim])
    if math.prod(shape) != rows:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
            f"prod(self.shape[:other.ndim]), but got {math.prod(shape)} != {rows}"
        )
    return into(out, solve(A.reshape(rows, rows), B.reshape(-1)).reshape(shape))
