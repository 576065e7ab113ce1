"""Linear algebra: the standard's four functions, and its extension."""

from __future__ import annotations

from typing import Any

import torchstone.microtorch as micro
from tests.microtorch.conformance.array_namespace.dtypes import isdtype
from tests.microtorch.conformance.array_namespace.elementwise import together
from tests.microtorch.conformance.array_namespace.statistics import sum as total
from torchstone.microtorch import Tensor


def matrix_transpose(x: Tensor, /) -> Tensor:
    return x.mT


def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    return micro.matmul(*together(x1, x2))


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: Any = 2) -> Tensor:
    return micro.tensordot(*together(x1, x2), dims=axes)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    x1, x2 = micro.broadcast_tensors(*together(x1, x2))
    if isdtype(x1.dtype, "integral"):
        # PyTorch's is for floating-point numbers alone.
        return (x1 * x2).sum(axis, dtype=x1.dtype)
    return micro.linalg.vecdot(x1, x2, dim=axis)


def cholesky(x: Tensor, /, *, upper: bool = False) -> Tensor:
    return micro.linalg.cholesky(x, upper=upper)


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    return micro.linalg.cross(*together(x1, x2), dim=axis)


def det(x: Tensor, /) -> Tensor:
    return micro.linalg.det(x)


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    return micro.diagonal(x, offset, -2, -1)


def eigh(x: Tensor, /) -> Any:
    return micro.linalg.eigh(x)


def eigvalsh(x: Tensor, /) -> Tensor:
    return micro.linalg.eigvalsh(x)


def inv(x: Tensor, /) -> Tensor:
    return micro.linalg.inv(x)


def matrix_norm(x: Tensor, /, *, keepdims: bool = False, ord: Any = "fro") -> Tensor:
    return micro.linalg.matrix_norm(x, ord, keepdim=keepdims)


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    return micro.linalg.matrix_power(x, n)


def matrix_rank(x: Tensor, /, *, rtol: Any = None) -> Tensor:
    return micro.linalg.matrix_rank(x, rtol=rtol)


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    return micro.outer(*together(x1, x2))


def pinv(x: Tensor, /, *, rtol: Any = None) -> Tensor:
    return micro.linalg.pinv(x, rtol=rtol)


def qr(x: Tensor, /, *, mode: str = "reduced") -> Any:
    return micro.linalg.qr(x, mode)


def slogdet(x: Tensor, /) -> Any:
    return micro.linalg.slogdet(x)


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    x1, x2 = together(x1, x2)
    columns = x2[:, None] if x2.ndim == 1 else x2
    # PyTorch takes a matrix for a batch of vectors where its shape allows it; the standard does so
    # for one dimension alone. In equally many dimensions there is no doubt.
    batch = micro.broadcast_shapes(x1.shape[:-2], columns.shape[:-2])
    x1, columns = (each.expand(*batch, *each.shape[-2:]) for each in (x1, columns))
    found = micro.linalg.solve(x1, columns)
    return found[..., 0] if x2.ndim == 1 else found


def svd(x: Tensor, /, *, full_matrices: bool = True) -> Any:
    return micro.linalg.svd(x, full_matrices)


def svdvals(x: Tensor, /) -> Tensor:
    return micro.linalg.svdvals(x)


def trace(x: Tensor, /, *, offset: int = 0, dtype: Any = None) -> Tensor:
    return total(micro.diagonal(x, offset, -2, -1), axis=-1, dtype=dtype)


def vector_norm(x: Tensor, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Tensor:
    if axis == ():
        # PyTorch takes the norm of everything where no dimension is named.
        return micro.linalg.vector_norm(x.unsqueeze(0), ord, dim=0)
    return micro.linalg.vector_norm(x, ord, dim=axis, keepdim=keepdims)
