"""Statistics: var, std, quantile, cov, corrcoef."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.ops.namespace import named, op
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.ops.primitive import Primitive, primitive
from torchstone.microtorch.ops.reductions import (
    Dims,
    count_of,
    dims_of,
    expect,
    is_number,
    mean,
    restore,
)
from torchstone.microtorch.tensor import Array, Tensor, wrap, wrap_dim


def _freedom(shape: tuple[int, ...], dims: tuple[int, ...], correction: float) -> np.float64:
    """Return the degrees of freedom, as a NumPy scalar, because division by 0 must not raise."""
    return np.float64(max(count_of(shape, dims) - correction, 0))


def _var_rule(
    grad: Tensor, self: Tensor, dims: tuple[int, ...], correction: float, keepdim: bool
) -> Tensor:
    shape = self.array.shape
    scale = float(2 / _freedom(shape, dims, correction))
    grad = restore(grad, shape, dims, keepdim)
    return grad * scale * (self - self.mean(dims, True) if dims else self - self)


def _variance(array: Array, dims: tuple[int, ...], correction: float, keepdim: Any) -> Any:
    center = np.add.reduce(array, dims, keepdims=True) / array.dtype.type(
        count_of(array.shape, dims)
    )
    x = array - center
    square = x.real**2 + x.imag**2 if x.dtype.kind == "c" else x * x
    total = np.add.reduce(square, dims, keepdims=keepdim)
    return total / square.dtype.type(_freedom(array.shape, dims, correction))


@primitive(self=_var_rule)
def _var(self: Array, dims: tuple[int, ...], correction: float, keepdim: Any) -> Any:
    return _variance(self, dims, correction, keepdim)


def _std_rule(
    grad: Tensor, self: Tensor, result: Tensor, dims: Any, correction: float, keepdim: bool
) -> Tensor:
    # The square root has no derivative at zero; the subgradient 0 is used.
    grad = (grad / (2 * result)).masked_fill(result.eq(0), 0)
    return _var_rule(grad, self, dims, correction, keepdim)


@primitive(self=_std_rule)
def _std(self: Array, dims: tuple[int, ...], correction: float, keepdim: Any) -> Any:
    return np.sqrt(_variance(self, dims, correction, keepdim))


def _spread(
    name: str, made: Primitive, input: Tensor, dim: Any, keepdim: bool, correction: float
) -> Tensor:
    if input.dtype.kind < dtypes.FLOAT:
        raise RuntimeError("std and var only support floating point and complex dtypes")
    dims = dims_of(dim, input.array.ndim)
    if count_of(input.array.shape, dims) <= correction:
        warnings.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the "
            "reduction factor (input numel divided by output numel).",
            stacklevel=4,
        )
    return made(input, dims, correction, keepdim)


def _define_spread(name: str, made: Primitive, what: str) -> None:
    def function(
        input: Tensor,
        dim: Dims = None,
        unbiased: bool | None = None,
        keepdim: bool = False,
        *,
        correction: float | None = None,
        out: Tensor | None = None,
    ) -> Tensor:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        if correction is None:
            correction = 1 if unbiased is None else int(unbiased)
        return into(out, _spread(name, made, input, dim, keepdim, correction))

    def with_mean(
        input: Tensor,
        dim: Dims = None,
        unbiased: bool | None = None,
        keepdim: bool = False,
        *,
        correction: float | None = None,
    ) -> tuple[Tensor, Tensor]:
        spread = function(input, dim, unbiased, keepdim, correction=correction)
        return spread, mean(input, None if isinstance(dim, bool) else dim, keepdim)

    more = f"Compute the {what} along dimensions; the divisor is ``count - correction``."
    op()(named(function, name, more))
    both = f"Compute the {what} and the mean along dimensions."
    op(method=False)(named(with_mean, f"{name}_mean", both))


_define_spread("var", _var, "variance")
_define_spread("std", _std, "standard deviation")

_ROUNDING = {"lower": "floor", "higher": "ceil", "nearest": "round"}


def _quantile(
    name: str, input: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str
) -> Tensor:
    if not isinstance(q, Tensor):
        q = wrap(np.array(q, input.array.dtype))
    _check_quantile(name, input, q, interpolation)
    ndim = input.array.ndim
    kept = (1,) * ndim
    if dim is None:
        input = input.reshape(-1)
    else:
        dim = wrap_dim(dim, ndim)
        input = input.movedim(dim, -1) if ndim else input.reshape(1)
        kept = (*input.array.shape[:dim], 1, *input.array.shape[dim:-1]) if ndim else ()
    ordered = input.sort(-1).values
    numbers = is_number(ordered)
    last = input.array.shape[-1] - 1
    if name == "nanquantile":
        reach = (numbers.sum(-1, keepdim=True) - 1).clamp(min=0).to(input.dtype)
        ranks = q.reshape(-1) * reach
    else:
        # In a row with NaN, which sorts last, every quantile is NaN.
        ranks = q.reshape(-1) * last
        ranks = ranks.expand(*input.array.shape[:-1], -1).masked_fill(
            numbers.all(-1, keepdim=True).logical_not(), last
        )
    found = _between(ordered, ranks, interpolation)
    found = found.movedim(-1, 0)
    if keepdim:
        found = found.reshape((-1, *kept))
    return found if q.array.ndim else found.squeeze(0)


def _between(ordered: Tensor, ranks: Tensor, interpolation: str) -> Tensor:
    """Interpolate sorted rows at fractional positions."""
    if interpolation in _ROUNDING:
        ranks = getattr(ranks, _ROUNDING[interpolation])()
    below, above = ranks.floor(), ranks.ceil()
    low, high = (ordered.gather(-1, each.to(dtypes.int64)) for each in (below, above))
    if interpolation in _ROUNDING:
        return low
    weight = 0.5 if interpolation == "midpoint" else ranks - below
    return low.lerp(high, weight)


def _check_quantile(name: str, input: Tensor, q: Tensor, interpolation: str) -> None:
    known = ("linear", "midpoint", *_ROUNDING)
    if not input.array.size:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    if input.dtype not in (dtypes.float32, dtypes.float64):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    if q.dtype is not input.dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    if q.array.ndim > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    if ((q.array < 0) | (q.array > 1)).any():
        raise RuntimeError(f"{name}() q values must be in the range [0, 1]")
    if interpolation not in known:
        raise RuntimeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint "
            f"or nearest, but got {interpolation}"
        )


def _define_quantile(name: str, elements: str) -> None:
    def function(
        input: Tensor,
        q: Any,
        dim: int | None = None,
        keepdim: bool = False,
        *,
        interpolation: str = "linear",
    ) -> Tensor:
        return _quantile(name, input, q, dim, keepdim, interpolation)

    what = f"Compute the ``q``-th quantiles of the {elements}, along ``dim`` or flattened."
    op()(named(function, name, what))


_define_quantile("quantile", "elements")
_define_quantile("nanquantile", "elements that are not NaN")


def _check_weights(name: str, weights: Tensor | None, count: int, is_whole: bool) -> None:
    if weights is None:
        return
    kind = "integral" if is_whole else "floating point"
    if weights.array.ndim > 1:
        raise RuntimeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {weights.array.ndim}"
        )
    if (weights.dtype.kind == dtypes.INTEGER) is not is_whole:
        raise RuntimeError(f"cov(): expected {name} to have {kind} dtype but got {weights.dtype}")
    if weights.array.size != count:
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are "
            f"observations in the input but got {weights.array.size} != {count}"
        )
    if (weights.array < 0).any():
        raise RuntimeError(f"cov(): {name} cannot be negative")


@op()
def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """Estimate the covariance matrix of variables.

    Shapes:
        input: (num_variables, num_observations), or (num_observations,) for a variance.
    """
    expect("cov", input, "fciu")
    if input.array.ndim > 2:
        raise RuntimeError(
            f"cov(): expected input to have two or fewer dimensions but got {input.array.ndim}"
        )
    x = input if input.array.ndim == 2 else input.reshape(1, -1)
    if x.dtype.kind < dtypes.FLOAT:
        x = x.to(dtypes.get_default_dtype())
    count = x.array.shape[1]
    _check_weights("fweights", fweights, count, True)
    _check_weights("aweights", aweights, count, False)
    weights: Any = fweights
    if aweights is not None:
        weights = aweights if fweights is None else fweights * aweights
    if weights is None:
        freedom: Any = wrap(np.array(count - correction, x.array.real.dtype))
        x = x - x.mean(1, True)
        scaled = x
    else:
        total = weights.sum()
        x = x - (x * weights).sum(1, True) / total
        scaled = x * weights
        freedom = total - correction
        if aweights is not None and correction:
            freedom = total - correction * (weights * aweights).sum() / total
    result = scaled.matmul(x.T.conj() if x.dtype.kind == dtypes.COMPLEX else x.T)
    result = result / freedom.clamp(min=0)
    return result.squeeze()


@op()
def corrcoef(input: Tensor) -> Tensor:
    """Estimate the correlation matrix of variables, the rows of the input."""
    covariance = cov(input)
    if not covariance.array.ndim:
        return covariance / covariance
    scale = covariance.diagonal().sqrt()
    result = covariance / scale.unsqueeze(1) / scale.unsqueeze(0)
    return result.clamp(-1, 1) if result.dtype.kind == dtypes.FLOAT else result
