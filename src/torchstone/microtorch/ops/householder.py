"""Householder reflections: geqrf, householder_product, orgqr, ormqr."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchstone.microtorch import return_types
from torchstone.microtorch.ops.matmul import adjoint, conjugate
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.triangular import check_matrix, identity
from torchstone.microtorch.tensor import Array, Tensor

_Geqrf = return_types.define("geqrf", "a", "tau")


@primitive()
def _geqrf(self: Array) -> tuple[Array, Array]:
    reflections, scales = np.linalg.qr(self, "raw")
    return reflections.swapaxes(-2, -1), scales


@op()
def geqrf(input: Tensor) -> Any:
    """Compute a QR factorization as R and the Householder vectors of Q.

    Shapes:
        input: (*batch, m, n) -> a: (*batch, m, n), tau: (*batch, min(m, n)).
    """
    check_matrix("geqrf", input)
    return _Geqrf(*_geqrf(input))


def _reflected(input: Tensor, tau: Tensor, other: Tensor, *, backwards: bool) -> Tensor:
    """Multiply Q, the product of the reflections ``I - tau * v @ v.mH``, by a matrix.

    Args:
        input: The vectors v, in its columns below the diagonal; their first element is 1.
        tau: The scale of each reflection.
        other: The matrix.
        backwards: Multiply by the adjoint of Q.
    """
    rows, columns = input.array.shape[-2:]
    vectors = input.tril(-1) + identity(rows, columns, input)
    scales = (conjugate(tau) if backwards else tau).unsqueeze(-1).unsqueeze(-1)
    count = tau.array.shape[-1]
    if not count:
        # Without reflections the result still depends on tau, with zero gradients.
        return other * (1 + tau.sum())
    for number in range(count) if backwards else reversed(range(count)):
        vector = vectors[..., number : number + 1]
        other = other - scales[..., number, :, :] * (vector @ (adjoint(vector) @ other))
    return other


def _check_reflections(name: str, input: Tensor, tau: Tensor) -> None:
    check_matrix(name, input)
    if input.array.shape[-1] < tau.array.shape[-1]:
        raise RuntimeError(
            f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]"
        )
    if input.array.dtype != tau.array.dtype:
        raise RuntimeError(
            f"{name}: tau dtype {tau.dtype} does not match input dtype {input.dtype}"
        )


@op("linalg")
def householder_product(A: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the first columns of Q from Householder vectors.

    Shapes:
        A: (*batch, m, n) with m >= n; tau: (*batch, k) with k <= n -> (*batch, m, n).
    """
    _check_reflections("torch.linalg.householder_product", A, tau)
    if A.array.shape[-2] < A.array.shape[-1]:
        raise RuntimeError(
            "torch.linalg.householder_product: input.shape[-2] must be greater than or equal to "
            "input.shape[-1]"
        )
    start = identity(A.array.shape[-2], A.array.shape[-1], A).expand(A.array.shape)
    return into(out, _reflected(A, tau, start, backwards=False))


op(name="orgqr")(householder_product)


@op()
def ormqr(
    input: Tensor,
    tau: Tensor,
    other: Tensor,
    left: bool = True,
    transpose: bool = False,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Multiply a matrix by Q or its adjoint, from the left or from the right."""
    _check_reflections("torch.ormqr", input, tau)
    if other.array.shape[-2 if left else -1] != input.array.shape[-2]:
        raise RuntimeError(
            f"torch.ormqr: other.shape[{-2 if left else -1}] must be equal to input.shape[-2]"
        )
    if left:
        result = _reflected(input, tau, other, backwards=transpose)
    else:
        result = adjoint(_reflected(input, tau, adjoint(other), backwards=not transpose))
    return into(out, result)
