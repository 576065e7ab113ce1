"""Matrix norms and the condition number: matrix_norm, norm, cond."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from torchstone.microtorch.dtypes import dtype as Dtype
from torchstone.microtorch.ops.decompositions import svdvals
from torchstone.microtorch.ops.lu import inv_ex
from torchstone.microtorch.ops.namespace import functions, op
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.ops.triangular import check_matrix
from torchstone.microtorch.tensor import Tensor, wrap_dim


@op("linalg")
def matrix_norm(
    A: Tensor,
    ord: Any = "fro",
    dim: Sequence[int] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: Dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Compute a matrix norm.

    Args:
        A: Matrices.
        ord: "fro" for the Frobenius norm; "nuc" for the sum of the singular values; 2, -2 for the
            largest and smallest singular value; inf, -inf for the largest and smallest absolute
            row sum; 1, -1 for those of columns.
        dim: The row and the column dimension.
        keepdim: Keep these dimensions with size 1.
        dtype: The dtype of the computation.
        out: The output tensor.
    """
    if dtype is not None:
        A = A.to(dtype)
    check_matrix("linalg.matrix_norm", A)
    if isinstance(dim, int) or len(dim) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {dim}")
    first, second = (wrap_dim(each, A.array.ndim) for each in dim)
    if first == second:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got {tuple(dim)}")
    if ord == "fro":
        return into(out, functions["linalg"]["vector_norm"](A, 2, (first, second), keepdim))
    others = [each for each in range(A.array.ndim) if each not in (first, second)]
    result = _norm_of_last(A.permute([*others, first, second]), ord)
    if keepdim:
        for place in sorted((first, second)):
            result = result.unsqueeze(place)
    return into(out, result)


def _norm_of_last(matrix: Tensor, ord: Any) -> Any:
    if ord == "nuc":
        return svdvals(matrix).sum(-1)
    if isinstance(ord, str) or abs(ord) not in (1, 2, math.inf):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    if abs(ord) == 2:
        sizes = svdvals(matrix)
    else:
        sizes = matrix.abs().sum(-2 if abs(ord) == 1 else -1)
    if ord < 0:
        return sizes.amin(-1)
    # The maximum over no rows is 0, because no sum is negative.
    return sizes.amax(-1) if sizes.array.shape[-1] else sizes.sum(-1)


@op("linalg")
def norm(
    input: Tensor,
    ord: Any = None,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Compute a vector norm over one dimension, or a matrix norm over two.

    Without ``ord`` it is the 2-norm of all elements along the given dimensions.
    """
    ndim = input.array.ndim
    if ord is not None and dim is None and ndim not in (1, 2):
        raise RuntimeError(
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
            f"{ndim}D."
        )
    dims = (dim,) if isinstance(dim, int) else dim
    if dims is not None and len(dims) not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dims)}"
        )
    if ord is not None and (ndim if dims is None else len(dims)) == 2:
        return matrix_norm(input, ord, dims or (0, 1), keepdim, dtype=dtype, out=out)
    if isinstance(ord, str):
        raise RuntimeError(f"linalg.norm: Order {ord} needs two dimensions, but got dim={dim}")
    return functions["linalg"]["vector_norm"](
        input, 2 if ord is None else ord, dims, keepdim, dtype=dtype, out=out
    )


@op("linalg")
def cond(A: Tensor, p: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Compute the condition number with respect to inversion.

    Args:
        A: Matrices; they must be square unless ``p`` is None, 2 or -2.
        p: The norm; see ``matrix_norm``.
        out: The output tensor.
    """
    check_matrix("linalg.cond", A, is_square=p not in (None, 2, -2))
    if isinstance(p, str) and p not in ("fro", "nuc"):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    if not A.array.size:
        result: Tensor = A.sum((-2, -1))
    elif p in (None, 2, -2):
        sizes = svdvals(A)
        greatest, least = sizes.amax(-1), sizes.amin(-1)
        result = least / greatest if p == -2 else greatest / least
    elif p == "nuc":
        # By the definition, as in PyTorch: a singular matrix has no inverse to take the norm of.
        sizes = svdvals(A)
        result = sizes.sum(-1) * sizes.reciprocal().sum(-1)
    else:
        inverse, info = inv_ex(A)
        result = matrix_norm(A, p) * matrix_norm(inverse, p)
        result = result.masked_fill(info != 0, math.inf)
    return into(out, result)
