"""Determinants and matrix functions: det, slogdet, matrix_power, matrix_exp, vander."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchstone.microtorch import dtypes, return_types
from torchstone.microtorch.ops.decompositions import linalg_svd
from torchstone.microtorch.ops.joining import cat
from torchstone.microtorch.ops.lu import inv, solve_matrix
from torchstone.microtorch.ops.matmul import adjoint, conjugate, matmul
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.triangular import check_matrix, identity
from torchstone.microtorch.tensor import Array, Tensor

_Slogdet = return_types.define("linalg_slogdet", "sign", "logabsdet")


def _of_each_matrix(numbers: Tensor) -> Any:
    return numbers.unsqueeze(-1).unsqueeze(-1)


def _inverse_adjoint(self: Tensor) -> Any:
    size = self.array.shape[-1]
    return solve_matrix(adjoint(self), identity(size, size, self))


def _det_rule(grad: Tensor, self: Tensor, result: Tensor) -> Any:
    # By Hadamard's inequality the determinant is at most the product of the row norms. If it is
    # within rounding error of 0 on that scale, the inverse is unusable.
    bound = np.sqrt((np.abs(self.array) ** 2).sum(-1)).prod(-1)
    least = 10 * self.array.shape[-1] * np.finfo(self.array.dtype).eps * bound
    if np.all(np.abs(result.array) > least):
        return _of_each_matrix(grad * conjugate(result)) * _inverse_adjoint(self)
    return _of_each_matrix(grad) * _cofactors(self)


def _cofactors(matrix: Tensor) -> Any:
    """Return the conjugated derivative of the determinant of a singular matrix.

    With A = U S V, the cofactors of S are the products of all but one singular value.
    """
    u, s, vh = linalg_svd(matrix)
    unit = identity(s.array.shape[-1], s.array.shape[-1], s)
    others = (s.unsqueeze(-2) * (1 - unit) + unit).prod(-1)
    return _of_each_matrix(conjugate(_det(u) * _det(vh))) * ((u * others.unsqueeze(-2)) @ vh)


@primitive(self=_det_rule)
def _det(self: Array) -> Any:
    return np.linalg.det(self)


@op()
@op("linalg")
def det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the determinant."""
    check_matrix("linalg.det", A, is_square=True)
    return into(out, _det(A))


def _slogdet_rule(grads: tuple[Tensor | None, ...], self: Tensor, result0: Tensor) -> Any:
    of_sign, grad = grads
    if of_sign is not None and self.array.dtype.kind == "c":
        # The sign of a complex determinant depends on the imaginary part of its logarithm.
        turn = (of_sign * result0.conj()).imag * 1j
        grad = turn if grad is None else grad + turn
    return None if grad is None else _of_each_matrix(grad) * _inverse_adjoint(self)


@primitive(self=_slogdet_rule)
def _slogdet(self: Array) -> tuple[Any, Any]:
    sign, logarithm = np.linalg.slogdet(self)
    return sign, logarithm


@op()
@op("linalg")
def slogdet(A: Tensor) -> Any:
    """Return the sign and the logarithm of the absolute value of the determinant."""
    check_matrix("linalg.slogdet", A, is_square=True)
    return _Slogdet(*_slogdet(A))


@op()
def logdet(input: Tensor) -> Tensor:
    """Return the logarithm of the determinant; NaN if the determinant is negative."""
    sign, logarithm = slogdet(input)
    result: Tensor = logarithm + sign.log()
    return result


@primitive(self=lambda grad: grad * 0)
def _zeroth_power(self: Array) -> Array:
    return np.broadcast_to(np.eye(self.shape[-1], dtype=self.dtype), self.shape).copy()


@op()
@op("linalg")
def matrix_power(A: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """Compute the ``n``-th power of a matrix; negative powers use the inverse."""
    if A.array.ndim < 2 or A.array.shape[-1] != A.array.shape[-2]:
        check_matrix("linalg.matrix_power", A.to(dtypes.float64), is_square=True)
    factor, rest = (inv(A), -n) if n < 0 else (A, n)
    result: Tensor | None = None
    while rest:
        if rest % 2:
            result = factor if result is None else matmul(result, factor)
        rest //= 2
        factor = matmul(factor, factor) if rest else factor
    if result is None:
        result = _zeroth_power(A)
    return into(out, result)


def _exp_rule(grad: Tensor, self: Tensor) -> Any:
    # The upper right block of exp([[A, G], [0, A]]) is the derivative at A along G: Mathias (1996).
    size = self.array.shape[-1]
    top = identity(size, 2 * size, self)
    bottom = identity(2 * size, 2 * size, self)[size:]
    turned = adjoint(self)
    block = top.transpose(-2, -1) @ (turned @ top + grad @ bottom)
    block = block + bottom.transpose(-2, -1) @ turned @ bottom
    return matrix_exp(block)[..., :size, size:]


@primitive(self=_exp_rule)
def _matrix_exp(self: Array) -> Array:
    """Compute the exponential by scaling and squaring with a Padé approximant.

    Source:
        Higham, The scaling and squaring method for the matrix exponential revisited (2005).
    """
    wide = self.astype(np.result_type(self.dtype, np.float64))
    norms = np.abs(wide).sum(-2).max(-1, initial=0)
    squarings = np.maximum(np.ceil(np.log2(np.maximum(norms, 1e-300) / 5.37)), 0)
    wide = wide / np.exp2(squarings)[..., None, None]
    degree, coefficient = 13, 1.0
    square, power = wide @ wide, np.eye(self.shape[-1])
    sums: list[Any] = [power, 0]
    for n in range(1, degree + 1):
        coefficient *= (degree - n + 1) / (n * (2 * degree - n + 1))
        power = power @ square if n % 2 == 0 else power
        sums[n % 2] = sums[n % 2] + coefficient * power
    odd = wide @ sums[1]
    result = np.linalg.solve(sums[0] - odd, sums[0] + odd)
    for n in range(int(squarings.max(initial=0))):
        result = np.where((n < squarings)[..., None, None], result @ result, result)
    return result.astype(self.dtype, copy=False)


@op()
@op("linalg")
def matrix_exp(A: Tensor) -> Tensor:
    """Compute the matrix exponential."""
    check_matrix("linalg.matrix_exp", A, is_square=True)
    result: Tensor = _matrix_exp(A)
    return result


@op("linalg")
def vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """Create Vandermonde matrices: the powers 0 to N - 1 of every element.

    Shapes:
        x: (*batch, n) -> (*batch, n, N); the default of N is n.
    """
    if N is not None and N <= 1:
        raise RuntimeError("N must be greater than 1.")
    values = x if x.array.ndim else x.unsqueeze(0)
    count = values.array.shape[-1] if N is None else N
    if values.array.dtype.kind in "iub":
        values = values.to(dtypes.int64)
    factors = values.unsqueeze(-1).expand((*values.array.shape, max(count - 1, 0)))
    ones = values.new_ones((*values.array.shape, 1))
    result: Tensor = cat([ones, factors.cumprod(-1)], -1)
    return result
