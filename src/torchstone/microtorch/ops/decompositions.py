"""Matrix decompositions: cholesky, qr, svd, eigh, eig.

Every gradient rule differentiates the equation that defines the factors. It consists of products
and triangular solves of the factors, so it can be differentiated again.

Source:
    Giles, Collected matrix derivative results for forward and reverse mode algorithmic
    differentiation (2008); Seeger, Hetzel, Dai, Meissner and Lawrence, Auto-differentiating linear
    algebra (2017).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchstone.microtorch import return_types
from torchstone.microtorch.ops.lu import solve_matrix
from torchstone.microtorch.ops.matmul import adjoint
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.triangular import (
    LinAlgError,
    batch_message,
    check_matrix,
    identity,
    solved,
)
from torchstone.microtorch.tensor import Array, Tensor

_CholeskyEx = return_types.define("linalg_cholesky_ex", "L", "info")
_LinalgQr = return_types.define("linalg_qr", "Q", "R")
_Qr = return_types.define("qr", "Q", "R")
_LinalgSvd = return_types.define("linalg_svd", "U", "S", "Vh")
_Svd = return_types.define("svd", "U", "S", "V")
_Eigh = return_types.define("linalg_eigh", "eigenvalues", "eigenvectors")
_Eig = return_types.define("linalg_eig", "eigenvalues", "eigenvectors")
Grads = tuple[Tensor | None, ...]


def as_diagonal(values: Tensor) -> Tensor:
    """Create diagonal matrices from vectors."""
    return values.unsqueeze(-1) * identity(values.array.shape[-1], values.array.shape[-1], values)


def _without_diagonal(matrix: Tensor) -> Tensor:
    size = matrix.array.shape[-1]
    return matrix * (1 - identity(size, size, matrix))


def _differences(values: Tensor) -> Tensor:
    """Return ``values[j] - values[i]``, with 1 on the diagonal so that it can be a divisor."""
    size = values.array.shape[-1]
    both = values.unsqueeze(-2) - values.unsqueeze(-1)
    return both + identity(size, size, values)


def _converging(name: str, function: Callable[..., Any], *args: Any) -> Any:
    try:
        return function(*args)
    except np.linalg.LinAlgError:
        raise LinAlgError(
            f"{name}: The algorithm failed to converge because the input matrix contained "
            "non-finite values, is ill-conditioned, or has too many repeated eigenvalues."
        ) from None


def _cholesky_rule(grad: Tensor, upper: bool, result0: Tensor) -> Any:
    lower, of_lower = (adjoint(result0), adjoint(grad)) if upper else (result0, grad)
    inner = (adjoint(lower) @ of_lower).tril()
    inner = inner + adjoint(inner.tril(-1))
    half = solved(adjoint(lower), inner * 0.5, upper=True)
    return solved(lower, half, upper=False, left=False)


@primitive(self=_cholesky_rule)
def _cholesky(self: Array, upper: bool) -> tuple[Array, Array]:
    try:
        return _factor(self, upper=upper), np.zeros(self.shape[:-2], np.int32)
    except np.linalg.LinAlgError:
        factor, info = _partial_cholesky(self.swapaxes(-2, -1).conj() if upper else self)
        return (factor.swapaxes(-2, -1).conj() if upper else factor), info


def _factor(matrix: Array, *, upper: bool = False) -> Array:
    factor: Array = np.linalg.cholesky(matrix, upper=upper)
    if np.isnan(factor).any():
        # Some LAPACK builds do not detect non-finite input.
        raise np.linalg.LinAlgError
    return factor


def _partial_cholesky(matrix: Array) -> tuple[Array, Array]:
    """Factor the largest positive-definite leading minor of each matrix."""
    result, info = np.tril(matrix), np.zeros(matrix.shape[:-2], np.int32)
    for place in np.ndindex(info.shape):
        size = _positive_order(matrix[place])
        result[place][:size, :size] = np.linalg.cholesky(matrix[place][:size, :size])
        info[place] = size + 1 if size < len(matrix[place]) else 0
    return result, info


def _positive_order(matrix: Array) -> int:
    for order in range(1, len(matrix) + 1):
        try:
            _factor(matrix[:order, :order])
        except np.linalg.LinAlgError:
            return order - 1
    return len(matrix)


@op("linalg")
def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    """Compute the Cholesky factor; ``info`` is the order of the first minor that fails, or 0."""
    check_matrix("linalg.cholesky", A, is_square=True)
    factor, info = _cholesky(A, upper)
    if check_errors and info.array.any():
        what = (
            "The factorization could not be completed because the input is not positive-definite "
            "(the leading minor of order {} is not positive-definite)."
        )
        raise LinAlgError(batch_message("linalg.cholesky", info.array, what))
    return _CholeskyEx(factor, info)


@op("linalg", name="cholesky")
def linalg_cholesky(A: Tensor, *, upper: bool = False, out: Tensor | None = None) -> Tensor:
    """Compute the Cholesky factor, ``A = L @ L.mH``; only one triangle of A is read.

    Raises:
        LinAlgError: A is not positive-definite.
    """
    return into(out, cholesky_ex(A, upper=upper, check_errors=True)[0])


@op()
def cholesky(input: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Compute the Cholesky factor, ``A = L @ L.mH``."""
    return linalg_cholesky(input, upper=upper, out=out)


def _qr_rule(grads: Grads, mode: str, result0: Tensor, result1: Tensor) -> Any:
    of_q, of_r = grads
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. "
            "Please use linalg.qr(A, mode='reduced') if you are going to require differentiation "
            "through Q."
        )
    q, r = result0, result1
    rows, columns = q.array.shape[-2], r.array.shape[-1]
    if mode == "complete" and rows > columns:
        raise RuntimeError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols"
        )
    of_q = q * 0 if of_q is None else of_q
    of_r = r * 0 if of_r is None else of_r
    inner = of_r @ adjoint(r) - adjoint(q) @ of_q
    if rows >= columns:
        inner = inner.triu()
        inner = inner + adjoint(inner.triu(1))
        return solved(adjoint(r), of_q + q @ inner, upper=False, left=False)
    turned = (adjoint(inner) - inner).tril(-1)
    first = solved(adjoint(r[..., :rows]), turned, upper=False, left=False)
    return q @ (of_r + first @ identity(rows, columns, r))


@primitive(self=_qr_rule)
def _qr(self: Array, mode: Any) -> tuple[Array, Array]:
    factors: Any = np.linalg.qr(self, mode)
    return (np.empty(0, self.dtype), factors) if mode == "r" else (factors[0], factors[1])


@op("linalg", name="qr")
def linalg_qr(A: Tensor, mode: str = "reduced") -> Any:
    """Compute the QR decomposition: orthonormal columns times an upper triangular matrix.

    Shapes:
        A: (*batch, m, n) -> Q: (*batch, m, k), R: (*batch, k, n); k is m if ``mode`` is
        "complete", otherwise min(m, n); with ``mode`` "r" Q is empty.
    """
    check_matrix("linalg.qr", A)
    if mode not in ("reduced", "r", "complete"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), "
            "'r', or 'complete'"
        )
    return _LinalgQr(*_qr(A, mode))


@op()
def qr(input: Tensor, some: bool = True) -> Any:
    """Compute the QR decomposition; without ``some`` the complete one."""
    return _Qr(*linalg_qr(input, "reduced" if some else "complete"))


def _svd_rule(grads: Grads, result0: Tensor, result1: Tensor, result2: Tensor) -> Any:
    rank = result1.array.shape[-1]
    u, s, vh = result0[..., :rank], result1, result2[..., :rank, :]
    of_u = None if grads[0] is None else grads[0][..., :rank]
    of_vh = None if grads[2] is None else grads[2][..., :rank, :]
    is_complex = u.array.dtype.kind == "c"
    inner = None if grads[1] is None else as_diagonal(grads[1])
    if of_u is not None or of_vh is not None:
        # s_j^2 - s_i^2; the product of sum and difference loses fewer digits.
        gaps = _differences(s) * (s.unsqueeze(-2) + s.unsqueeze(-1))
        gaps = _without_diagonal(gaps) + identity(rank, rank, s)
        turned = _turned(of_u, of_vh, u, s, vh, gaps)
        if is_complex and of_u is not None:
            phase = (adjoint(u) @ of_u).diagonal(dim1=-2, dim2=-1)
            turned = turned + as_diagonal((phase - phase.conj()) / (2 * s))
        inner = turned if inner is None else inner + turned
    if inner is None:
        return None
    return _outside(of_u, of_vh, u, s, vh, inner)


def _turned(
    of_u: Tensor | None, of_vh: Tensor | None, u: Tensor, s: Tensor, vh: Tensor, gaps: Tensor
) -> Any:
    """Return the contribution of rotations within the spans of U and V."""
    total: Any = 0
    if of_u is not None:
        product = adjoint(u) @ of_u
        total = total + _without_diagonal(product - adjoint(product)) / gaps * s.unsqueeze(-2)
    if of_vh is not None:
        product = vh @ adjoint(of_vh)
        total = total + s.unsqueeze(-1) * (_without_diagonal(product - adjoint(product)) / gaps)
    return total


def _outside(
    of_u: Tensor | None, of_vh: Tensor | None, u: Tensor, s: Tensor, vh: Tensor, inner: Tensor
) -> Any:
    """Add the contribution of changes of the spans of U and V."""
    left = u @ inner
    if of_u is not None and u.array.shape[-2] > u.array.shape[-1]:
        scaled = of_u / s.unsqueeze(-2)
        left = left + scaled - u @ (adjoint(u) @ scaled)
    full = left @ vh
    if of_vh is not None and vh.array.shape[-1] > vh.array.shape[-2]:
        scaled = of_vh / s.unsqueeze(-1)
        full = full + u @ (scaled - (scaled @ adjoint(vh)) @ vh)
    return full


@primitive(self=_svd_rule)
def _svd(self: Array, full_matrices: bool) -> tuple[Array, Array, Array]:
    u, s, vh = _converging("linalg.svd", np.linalg.svd, self, full_matrices)
    return u, s, vh


@op("linalg", name="svd")
def linalg_svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """Compute the singular value decomposition, ``A = U @ diag(S) @ Vh``.

    Shapes:
        A: (*batch, m, n) -> U: (*batch, m, m), S: (*batch, k), descending, Vh: (*batch, n, n); k
        is min(m, n). Without ``full_matrices`` U: (*batch, m, k) and Vh: (*batch, k, n).
    """
    check_matrix("linalg.svd", A)
    if driver is not None:
        raise RuntimeError(
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with "
            "cuSOLVER backend."
        )
    return _LinalgSvd(*_svd(A, full_matrices))


@op("linalg")
def svdvals(A: Tensor, *, driver: str | None = None, out: Tensor | None = None) -> Tensor:
    """Compute the singular values, in descending order."""
    return into(out, linalg_svd(A, False, driver=driver)[1])


@op()
def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """Compute the singular value decomposition, ``A = U @ diag(S) @ V.mH``; reduced if ``some``."""
    u, s, vh = linalg_svd(input, not some)
    if not compute_uv:
        rows, columns = input.array.shape[-2:]
        batch = input.array.shape[:-2]
        return _Svd(
            input.new_zeros((*batch, rows, rows)), s, input.new_zeros((*batch, columns, columns))
        )
    return _Svd(u, s, adjoint(vh))


def _eigh_rule(grads: Grads, result0: Tensor, result1: Tensor) -> Any:
    of_values, of_vectors = grads
    vectors = result1
    inner: Any = 0
    if of_vectors is not None:
        product = adjoint(vectors) @ of_vectors
        # Orthonormality allows only rotations, so only the skew-Hermitian part counts.
        inner = (product - adjoint(product)) * 0.5
        inner = _without_diagonal(inner) / _differences(result0)
    if of_values is not None:
        inner = inner + as_diagonal(of_values)
    return vectors @ inner @ adjoint(vectors)


@primitive(self=_eigh_rule)
def _eigh(self: Array, half: Any) -> tuple[Array, Array]:
    values, vectors = _converging("linalg.eigh", np.linalg.eigh, self, half)
    return values, vectors


@op("linalg")
def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """Compute the eigenvalues, ascending, and eigenvectors of a symmetric or Hermitian matrix.

    Shapes:
        A: (*batch, n, n), of which only the triangle ``UPLO`` is read -> eigenvalues: (*batch, n),
        real; eigenvectors: (*batch, n, n), one per column.
    """
    check_matrix("linalg.eigh", A, is_square=True)
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    return _Eigh(*_eigh(A, UPLO.upper()))


@op("linalg")
def eigvalsh(A: Tensor, UPLO: str = "L", *, out: Tensor | None = None) -> Tensor:
    """Compute the eigenvalues, ascending, of a symmetric or Hermitian matrix."""
    return into(out, eigh(A, UPLO)[0])


def _eig_rule(grads: Grads, result0: Tensor, result1: Tensor) -> Any:
    of_values, of_vectors = grads
    vectors = result1
    inner: Any = 0
    if of_vectors is not None:
        product = adjoint(vectors) @ of_vectors
        # Eigenvectors have norm 1, so the component that would change their norm is removed.
        lengths = product.diagonal(dim1=-2, dim2=-1).real
        product = product - (adjoint(vectors) @ vectors) * lengths.unsqueeze(-2)
        inner = _without_diagonal(product) / _differences(result0).conj()
    if of_values is not None:
        inner = inner + as_diagonal(of_values)
    return solve_matrix(adjoint(vectors), inner @ adjoint(vectors))


@primitive(self=_eig_rule)
def _eig(self: Array) -> tuple[Array, Array]:
    if not np.isfinite(self).all():
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")
    values, vectors = _converging("linalg.eig", np.linalg.eig, self)
    wanted = np.result_type(self.dtype, np.complex64)
    return values.astype(wanted, copy=False), vectors.astype(wanted, copy=False)


@op("linalg")
def eig(A: Tensor) -> Any:
    """Compute the complex eigenvalues and eigenvectors of a square matrix, in no particular order.

    Shapes:
        A: (*batch, n, n) -> eigenvalues: (*batch, n); eigenvectors: (*batch, n, n), one per column.
    """
    check_matrix("linalg.eig", A, is_square=True)
    return _Eig(*_eig(A))


@op("linalg")
def eigvals(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the complex eigenvalues of a square matrix, in no particular order."""
    return into(out, eig(A)[0])
