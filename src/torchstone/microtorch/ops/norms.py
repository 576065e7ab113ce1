"""Vector norms and distances: norm, dist, cdist, pdist, cosine_similarity, normalize."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.dtypes import dtype as Dtype
from torchstone.microtorch.ops.broadcasting import meet
from torchstone.microtorch.ops.extremes import shares
from torchstone.microtorch.ops.namespace import functions, load_seldom, op
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.reductions import Dims, dims_of, expect, restore
from torchstone.microtorch.tensor import Array, Tensor, wrap, wrap_dim


def _norm_rule(
    grad: Tensor, self: Tensor, result: Tensor, p: float, dims: tuple[int, ...], keepdim: bool
) -> Tensor:
    """Compute the gradient; at zero, where the norm has no derivative, use the subgradient 0."""
    shape = self.array.shape
    grad, norm = (restore(each, shape, dims, keepdim) for each in (grad, result))
    if p == 0:
        return self * 0
    if p == 1:
        return grad * self.sgn()
    if p == 2:
        return grad * (self / norm).masked_fill(norm.eq(0), 0)
    size = self.abs()
    if math.isinf(p):
        return grad * shares(size, norm, dims, True) * self.sgn()
    if p < 1:
        slope = self.sgn() * (size ** (p - 1)).masked_fill(size.eq(0), 0)
        return grad * slope * norm ** (1 - p)
    if p < 2:
        slope = self.sgn() * size ** (p - 1)
    else:
        slope = self * size ** (p - 2)
    return grad * slope * (norm ** (1 - p)).masked_fill(norm.eq(0), 0)


@primitive(self=_norm_rule)
def _norm(self: Array, p: float, dims: tuple[int, ...], keepdim: Any) -> Any:
    if p == 2 and self.dtype.kind == "f":
        return np.sqrt(np.add.reduce(self * self, dims, keepdims=keepdim))
    size = np.abs(self)
    if p == math.inf:
        return np.maximum.reduce(size, dims, keepdims=keepdim, initial=0)
    if p == -math.inf:
        return np.minimum.reduce(size, dims, keepdims=keepdim, initial=math.inf)
    if p == 0:
        return np.add.reduce((size != 0).astype(size.dtype), dims, keepdims=keepdim)
    if p == 1:
        return np.add.reduce(size, dims, keepdims=keepdim)
    return np.add.reduce(size**p, dims, keepdims=keepdim) ** (1 / p)


# PyTorch's name of the node, which printed tensors show.
_norm.node.__name__ = "LinalgVectorNormBackward0"


def vector_norm(x: Tensor, p: float, dims: tuple[int, ...], keepdim: bool = False) -> Tensor:
    """Return ``sum(abs(x) ** p) ** (1 / p)``.

    Raises:
        RuntimeError: ``x`` has an integer dtype; or it is empty and has no norm.
    """
    if x.dtype.kind < dtypes.FLOAT:
        raise RuntimeError(
            "linalg.vector_norm: Expected a floating point or complex tensor as "
            f"input. Got {x.dtype.title}"
        )
    if (p < 0 or p == math.inf) and any(not x.array.shape[dim] for dim in dims):
        raise RuntimeError(
            f"linalg.vector_norm cannot compute the {p} norm on an empty tensor "
            "because the operation does not have an identity"
        )
    return _norm(x, float(p), dims, keepdim)


@op("linalg", name="vector_norm")
def _vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    dtype: Dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the vector norm along dimensions, or of all elements."""
    if dtype is not None:
        x = x.to(dtype)
    return into(out, vector_norm(x, ord, dims_of(dim, x.array.ndim), keepdim))


@op()
def norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: Dims = None,
    keepdim: bool = False,
    out: Tensor | None = None,
    dtype: Dtype | None = None,
) -> Tensor:
    """Compute a vector norm, or the nuclear norm of a matrix if ``p`` is ``"nuc"``."""
    if dtype is not None:
        input = input.to(dtype)
    if p == "nuc":
        dims = dims_of(dim, input.array.ndim)
        load_seldom()
        result: Tensor = functions["linalg"]["matrix_norm"](input, "nuc", dims, keepdim)
    else:
        if isinstance(p, str) and p != "fro":
            raise RuntimeError(f"only valid string values are 'fro' and 'nuc', found: {p}")
        order = 2 if p is None or isinstance(p, str) else p
        result = vector_norm(input, order, dims_of(dim, input.array.ndim), keepdim)
    return into(out, result)


@op(inplace=True)
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """Scale down slices along a dimension whose norm exceeds ``maxnorm``."""
    ndim = input.array.ndim
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {ndim} dimensions")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    dim = wrap_dim(dim, ndim)
    norms = vector_norm(input, p, tuple(each for each in range(ndim) if each != dim), True)
    factor = (maxnorm / (norms + 1e-7)).masked_fill(norms.gt(maxnorm).logical_not(), 1)
    return input * factor


@op()
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """Compute the p-norm of the difference of two tensors."""
    difference = input - other
    return vector_norm(difference, p, tuple(range(difference.array.ndim)))


def _euclid_rule(grad: Tensor, x1: Tensor, x2: Tensor, result: Tensor) -> Tensor:
    weight = (grad / result).masked_fill(result.eq(0), 0)
    return x1 * weight.sum(-1, True) - weight.matmul(x2)


@primitive(
    x1=_euclid_rule,
    x2=lambda grad, x1, x2, result: _euclid_rule(grad.mT, x2, x1, result.mT),
)
def _euclid(x1: Array, x2: Array) -> Any:
    """Compute all Euclidean distances by one matrix product."""
    squares = [np.add.reduce(each * each, -1) for each in (x1, x2)]
    result = -2 * np.matmul(x1, np.swapaxes(x2, -1, -2))
    result += squares[0][..., :, None]
    result += squares[1][..., None, :]
    return np.sqrt(np.maximum(result, 0, out=result), out=result)


_CDIST_MODES = (
    "use_mm_for_euclid_dist_if_necessary",
    "use_mm_for_euclid_dist",
    "donot_use_mm_for_euclid_dist",
)


@op(method=False)
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = _CDIST_MODES[0]) -> Tensor:
    """Compute the distance between each row of one matrix and each row of another.

    Shapes:
        x1: (*batch, num_rows, num_features); x2: (*batch, num_others, num_features)
        -> (*batch, num_rows, num_others).
    """
    if compute_mode not in _CDIST_MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    for name, each in (("X1", x1), ("X2", x2)):
        expect("cdist", each, "f")
        if each.array.ndim < 2:
            raise RuntimeError(
                f"cdist only supports at least 2D tensors, {name} got: {each.array.ndim}D"
            )
    if x1.array.shape[-1] != x2.array.shape[-1]:
        raise RuntimeError(
            f"X1 and X2 must have the same number of columns. X1: "
            f"{x1.array.shape[-1]} X2: {x2.array.shape[-1]}"
        )
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    is_large = max(x1.array.shape[-2], x2.array.shape[-2]) > 25
    if p == 2 and compute_mode in _CDIST_MODES[0 if is_large else 1 : 2]:
        batch = meet(x1.array.shape[:-2], x2.array.shape[:-2])
        return _euclid(*(each.expand(*batch, *each.array.shape[-2:]) for each in (x1, x2)))
    return _row_norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p)


def _row_norm(x: Tensor, p: float, keepdim: bool = False) -> Tensor:
    if x.array.ndim and not x.array.shape[-1]:
        return x.sum(-1, keepdim)
    return vector_norm(x, p, (x.array.ndim - 1,) if x.array.ndim else (), keepdim)


@op(method=False)
@op("nn.functional")
def pdist(input: Tensor, p: float = 2) -> Tensor:
    """Compute the distance between each pair of rows of a matrix."""
    expect("pdist", input, "f")
    if input.array.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.array.ndim}D")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    first, second = (wrap(each) for each in np.triu_indices(input.array.shape[0], 1))
    return _row_norm(input.index_select(0, first) - input.index_select(0, second), p)


@op(method=False)
@op("nn.functional")
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """Compute the distance between corresponding vectors; ``eps`` keeps it from being zero."""
    return _row_norm(x1 - x2 + eps, p, keepdim)


@op(method=False)
@op("nn.functional")
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Compute the cosine similarity of vectors along a dimension."""
    dtype = dtypes.result_type(x1, x2)
    if dtype.kind != dtypes.FLOAT:
        raise RuntimeError(
            f"expected common dtype to be floating point, yet common dtype is {dtype.title}"
        )
    shape = meet(x1.array.shape, x2.array.shape)
    x1, x2 = x1.to(dtype).expand(shape), x2.to(dtype).expand(shape)
    dims = dims_of(dim, len(shape))
    units = [each / vector_norm(each, 2, dims, True).clamp(min=eps) for each in (x1, x2)]
    return (units[0] * units[1]).sum(dims)


@op("nn.functional")
def normalize(
    input: Tensor, p: float = 2.0, dim: Dims = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Tensor:
    """Divide vectors by their norm along a dimension."""
    norms = vector_norm(input, p, dims_of(dim, input.array.ndim), True)
    return into(out, input / norms.clamp(min=eps).expand(input.array.shape))
