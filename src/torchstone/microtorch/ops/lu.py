"""LU factorization: lu_factor, lu, lu_solve, solve, inv.

Source:
    Toledo, Locality of reference in LU decomposition with partial pivoting (1997), for the
    recursive factorization; Giles, Collected matrix derivative results (2008), for the gradients.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from torchstone.microtorch import return_types
from torchstone.microtorch.ops.joining import cat
from torchstone.microtorch.ops.matmul import adjoint
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.triangular import (
    LinAlgError,
    batch_message,
    check_matrix,
    check_system,
    identity,
    solved,
    substitute,
)
from torchstone.microtorch.tensor import Array, Tensor, wrap

_LuFactor = return_types.define("linalg_lu_factor", "LU", "pivots")
_LuFactorEx = return_types.define("linalg_lu_factor_ex", "LU", "pivots", "info")
_Lu = return_types.define("linalg_lu", "P", "L", "U")
_LuUnpack = return_types.define("lu_unpack", "P", "L", "U")
_InvEx = return_types.define("linalg_inv_ex", "inverse", "info")
_SolveEx = return_types.define("linalg_solve_ex", "result", "info")


def _swap(rows: Array, place: int, chosen: Array) -> None:
    """Swap row ``place`` of each matrix with the chosen row."""
    batch, kept = np.arange(len(rows)), rows[:, place].copy()
    rows[:, place] = rows[batch, chosen]
    rows[batch, chosen] = kept


def _factor(whole: Array, pivots: Array, first: int, last: int) -> None:
    """Factor a range of columns of a batch in place; whole rows are swapped.

    Shapes:
        whole: (batch, rows, columns); pivots: (batch, min(rows, columns)), counted from 0.
    """
    if last - first == 1:
        chosen = first + np.argmax(np.abs(whole[:, first:, first]), axis=1)
        pivots[:, first] = chosen
        _swap(whole, first, chosen)
        pivot = whole[:, first, first, None]
        whole[:, first + 1 :, first] /= np.where(pivot == 0, 1, pivot)
        return
    middle = (first + last) // 2
    _factor(whole, pivots, first, middle)
    right = whole[:, first:middle, middle:last]
    substitute(whole[:, first:middle, first:middle], right, lower=True, unit=True)
    whole[:, middle:, middle:last] -= whole[:, middle:, first:middle] @ right
    _factor(whole, pivots, middle, last)


def factored(matrix: Array) -> tuple[Array, Array, Array]:
    """Compute the LU factorization with partial pivoting.

    Shapes:
        matrix: (*batch, m, n) -> L below the diagonal and U above it, packed into (*batch, m, n);
        pivots, 1-based: (*batch, min(m, n)); info: (*batch,), the 1-based index of a zero pivot.
    """
    *batch, rows, columns = matrix.shape
    rank = min(rows, columns)
    packed = np.array(matrix, order="C").reshape(int(np.prod(batch)), rows, columns)
    pivots = np.zeros((len(packed), rank), np.int32)
    if rank and len(packed):
        _factor(packed, pivots, 0, rank)
        right = packed[:, :rank, rank:]
        substitute(packed[:, :rank, :rank], right, lower=True, unit=True)
    is_zero = np.diagonal(packed, axis1=1, axis2=2) == 0
    info = np.zeros(len(packed), np.int32)
    if rank:
        info[:] = np.where(is_zero.any(1), is_zero.argmax(1) + 1, 0)
    return packed.reshape(matrix.shape), (pivots + 1).reshape(*batch, rank), info.reshape(batch)


def permutation(pivots: Array, rows: int, dtype: Any) -> Tensor:
    """Create the matrices P of ``A = P @ L @ U`` from pivots."""
    *batch, rank = pivots.shape
    swaps = pivots.reshape(int(np.prod(batch)), rank) - 1
    order = np.tile(np.arange(rows), (len(swaps), 1))
    for place in range(rank):
        _swap(order, place, swaps[:, place])
    result = np.zeros((len(swaps), rows, rows), dtype)
    result[np.arange(len(swaps))[:, None], order, np.arange(rows)] = 1
    return wrap(result.reshape(*batch, rows, rows))


def _unpacked(packed: Tensor) -> tuple[Tensor, Tensor]:
    rows, columns = packed.array.shape[-2:]
    rank = min(rows, columns)
    lower = packed[..., :rank].tril(-1) + identity(rows, rank, packed)
    return lower, packed[..., :rank, :].triu()


def _lu_rule(grads: tuple[Tensor | None, ...], result0: Tensor, result1: Tensor) -> Any:
    grad = grads[0]
    if grad is None:
        return None
    rows, columns = result0.array.shape[-2:]
    rank = min(rows, columns)
    lower, upper = _unpacked(result0)
    of_lower, of_upper = grad[..., :rank].tril(-1), grad[..., :rank, :].triu()
    rest: list[Tensor] = []
    if columns > rank:
        # A2 = L @ U2, for the columns on the right.
        of_rest = solved(adjoint(lower), of_upper[..., rank:], upper=True, unit=True)
        of_lower = of_lower - of_rest @ adjoint(upper[..., rank:])
        rest.append(of_rest)
    elif rows > rank:
        # A2 = L2 @ U, for the rows below.
        of_rest = solved(adjoint(upper), of_lower[..., rank:, :], upper=False, left=False)
        of_upper = of_upper - adjoint(lower[..., rank:, :]) @ of_rest
        rest.append(of_rest)
    lower, of_lower = lower[..., :rank, :], of_lower[..., :rank, :]
    upper, of_upper = upper[..., :rank], of_upper[..., :rank]
    inner = (adjoint(lower) @ of_lower).tril(-1) + (of_upper @ adjoint(upper)).triu()
    inner = solved(adjoint(lower), inner, upper=True, unit=True)
    inner = solved(adjoint(upper), inner, upper=False, left=False)
    if rest:
        inner = cat([inner, *rest], dim=-1 if columns > rank else -2)
    return permutation(result1.array, rows, grad.array.dtype) @ inner


@primitive(self=_lu_rule)
def _lu(self: Array) -> tuple[Array, Array, Array]:
    return factored(self)


def _checked_lu(name: str, A: Tensor, pivot: bool) -> Any:
    check_matrix(name, A)
    if not pivot:
        raise RuntimeError(f"{name}: LU without pivoting is not implemented on the CPU")
    return _lu(A)


@op("linalg")
def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """Compute the LU factorization; ``info`` is the 1-based index of a zero pivot, or 0."""
    packed, pivots, info = _checked_lu("linalg.lu_factor", A, pivot)
    if check_errors:
        _refuse_zero_pivots(info.array)
    return _LuFactorEx(packed, pivots, info)


def _refuse_zero_pivots(info: Array) -> None:
    if info.any():
        what = (
            "U[{0},{0}] is zero and using it on lu_solve would result in a division by zero. If "
            "you still want to perform the factorization, consider calling linalg.lu(A, pivot) or "
            "linalg.lu_factor_ex(A, pivot)"
        )
        raise RuntimeError(batch_message("torch.linalg.lu_factor", info, what))


@op("linalg")
def lu_factor(A: Tensor, *, pivot: bool = True) -> Any:
    """Compute the LU factorization: L below the diagonal, U above it, and the pivots.

    Shapes:
        A: (*batch, m, n) -> LU: (*batch, m, n), pivots: (*batch, min(m, n)), 1-based.
    """
    return _LuFactor(*lu_factor_ex(A, pivot=pivot, check_errors=True)[:2])


@op()
def lu(A: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    """Compute the LU factorization like ``linalg.lu_factor``, also of singular matrices."""
    packed, pivots, info = _checked_lu("linalg.lu_factor", A, pivot)
    return (packed, pivots, info) if get_infos else (packed, pivots)


@op("linalg", name="lu")
def linalg_lu(A: Tensor, *, pivot: bool = True) -> Any:
    """Compute the LU factorization, ``A = P @ L @ U``.

    Shapes:
        A: (*batch, m, n) -> P: (*batch, m, m), L: (*batch, m, k), U: (*batch, k, n).
    """
    packed, pivots, _ = _checked_lu("linalg.lu", A, pivot)
    rows = packed.array.shape[-2]
    return _Lu(permutation(pivots.array, rows, packed.array.dtype), *_unpacked(packed))


@op(method=False)
def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True
) -> Any:
    """Convert the result of ``lu_factor`` to the three matrices."""
    pivots, rows = LU_pivots.array, LU_data.array.shape[-2]
    if unpack_pivots and pivots.dtype != np.int32:
        raise RuntimeError(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 "
            "dtype.\nNote: this function is intended to be used with the output produced by "
            "torch.linalg.lu_factor"
        )
    if unpack_pivots and ((pivots < 1) | (pivots > rows)).any():
        raise RuntimeError(
            "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."
            "Did you properly pass the result of lu_factor?"
        )
    nothing = LU_data.new_zeros((0,))
    matrix = permutation(pivots, rows, LU_data.array.dtype) if unpack_pivots else nothing
    lower, upper = _unpacked(LU_data) if unpack_data else (nothing, nothing)
    return _LuUnpack(matrix, lower, upper)


@op("linalg", name="lu_solve")
def linalg_lu_solve(
    LU: Tensor,
    pivots: Tensor,
    B: Tensor,
    *,
    left: bool = True,
    adjoint: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Solve ``A @ X = B`` with the LU factors of A; or with its adjoint, or ``X @ A = B``."""
    check_system("linalg.lu_solve", LU, B, is_left=left)
    if pivots.array.dtype != np.int32:
        raise RuntimeError(
            "linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32. Got "
            f"{pivots.dtype}"
        )
    return into(out, _with_factors(LU, pivots, B, left, adjoint))


def _with_factors(LU: Tensor, pivots: Tensor, B: Tensor, left: bool, is_adjoint: bool) -> Tensor:
    if not left:
        return adjoint(_with_factors(LU, pivots, adjoint(B), True, not is_adjoint))
    swap = permutation(pivots.array, LU.array.shape[-1], LU.array.dtype)
    if not is_adjoint:
        return solved(
            LU, solved(LU, swap.transpose(-2, -1) @ B, upper=False, unit=True), upper=True
        )
    right = solved(adjoint(LU), B, upper=False)
    return swap @ solved(adjoint(LU), right, upper=True, unit=True)


@op()
def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Solve ``A @ X = b`` with the LU factors of A."""
    return linalg_lu_solve(LU_data, LU_pivots, b, out=out)


def _solve_rule(grad: Tensor, self: Tensor, result: Tensor) -> Any:
    return -(solve_matrix(adjoint(self), grad) @ adjoint(result))


def _solve_right_rule(grad: Tensor, self: Tensor) -> Any:
    return solve_matrix(adjoint(self), grad)


@primitive(self=_solve_rule, other=_solve_right_rule)
def solve_matrix(self: Array, other: Array) -> Array:
    """Solve ``self @ X = other``; a singular matrix gives infinities and NaN."""
    try:
        return np.linalg.solve(self, other)
    except np.linalg.LinAlgError:
        batch = np.broadcast_shapes(self.shape[:-2], other.shape[:-2])
        packed, pivots, _ = factored(self)
        swap = permutation(pivots, self.shape[-1], self.dtype).array
        rows = np.array(np.broadcast_to(swap.swapaxes(-2, -1) @ other, batch + other.shape[-2:]))
        substitute(packed, rows, lower=True, unit=True)
        substitute(packed, rows, lower=False, unit=False)
        return rows


def _singular(matrix: Array, result: Array) -> Array:
    """Return the index of the first zero pivot of each matrix, or 0."""
    if np.isfinite(result).all():
        return np.zeros(matrix.shape[:-2], np.int32)
    return factored(matrix)[2]


@op("linalg")
def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
    """Solve ``A @ X = B``; ``info`` marks singular matrices."""
    is_vector = B.array.ndim == 1 or (
        B.array.ndim == A.array.ndim - 1 and B.array.shape == A.array.shape[:-1]
    )
    if is_vector:
        B = B.unsqueeze(-1)
    check_system("linalg.solve", A, B, is_left=left)
    result: Tensor = (
        solve_matrix(A, B)
        if left
        else solve_matrix(A.transpose(-2, -1), B.transpose(-2, -1)).transpose(-2, -1)
    )
    info = _singular(A.array, result.array)
    if check_errors and info.any():
        what = "The solver failed because the input matrix is singular."
        raise LinAlgError(batch_message("torch.linalg.solve", info, what))
    if is_vector:
        result = result.squeeze(-1)
    return _SolveEx(result, wrap(info))


@op("linalg")
def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Tensor | None = None) -> Tensor:
    """Solve ``A @ X = B``, or ``X @ A = B``.

    Shapes:
        A: (*batch, n, n); B: (*batch, n, k), or (*batch, n) for vectors -> the shape of B.

    Raises:
        LinAlgError: A is singular.
    """
    return into(out, solve_ex(A, B, left=left, check_errors=True)[0])


@primitive(self=lambda grad, result: -(adjoint(result) @ grad @ adjoint(result)))
def _inv(self: Array) -> Array:
    try:
        return np.linalg.inv(self)
    except np.linalg.LinAlgError:
        return solve_matrix.forward(self, np.eye(self.shape[-1], dtype=self.dtype))


@op("linalg")
def inv_ex(A: Tensor, *, check_errors: bool = False) -> Any:
    """Compute the inverse; ``info`` marks singular matrices."""
    check_matrix("linalg.inv", A, is_square=True)
    result: Tensor = _inv(A)
    info = _singular(A.array, result.array)
    if check_errors and info.any():
        what = (
            "The diagonal element {} is zero, the inversion could not be completed because the "
            "input matrix is singular."
        )
        raise LinAlgError(batch_message("linalg.inv", info, what))
    return _InvEx(result, wrap(info))


@op("linalg")
def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the inverse.

    Raises:
        LinAlgError: The matrix is singular.
    """
    return into(out, inv_ex(A, check_errors=True)[0])


op(name="inverse")(inv)
