"""Finite differences and numerical integration: diff, gradient, trapezoid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchstone.microtorch import dtypes
from torchstone.microtorch.ops.joining import cat
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.reductions import dims_of, expect
from torchstone.microtorch.tensor import Tensor, wrap_dim

Spacing = float | Tensor | Sequence[float] | Sequence[Tensor]


def _neighbours(input: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    size = max(input.array.shape[dim] - 1, 0)
    return input.narrow(dim, 0, size), input.narrow(dim, input.array.shape[dim] - size, size)


@op()
def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """Compute the ``n``-th differences of neighbouring elements along a dimension."""
    if not input.array.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    dim = wrap_dim(dim, input.array.ndim)
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    if n and (prepend is not None or append is not None):
        input = cat([each for each in (prepend, input, append) if each is not None], dim)
    for _ in range(min(n, input.array.shape[dim])):
        left, right = _neighbours(input, dim)
        input = left.logical_xor(right) if input.dtype is dtypes.bool_ else right - left
    return input


def _distances(x: Tensor, y: Tensor, dim: int) -> Tensor:
    """Return the distances between sample points ``x``, broadcastable against ``y``."""
    if x.array.shape[-1 if x.array.ndim == 1 else dim] != y.array.shape[dim]:
        raise RuntimeError("There must be one `x` value for each sample point")
    if x.array.ndim == 1:
        return diff(x).reshape((-1,) + (1,) * (y.array.ndim - dim - 1))
    return diff(x, dim=dim - y.array.ndim)


@op(aliases=("trapz",), method=False)
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = 1, dim: int = -1) -> Tensor:
    """Integrate along a dimension by the trapezoidal rule."""
    expect("trapezoid", y, "fciu")
    dim = wrap_dim(dim, y.array.ndim)
    size = y.array.shape[dim]
    if x is not None:
        left, right = _neighbours(y, dim)
        return (_distances(x, y, dim) * (left + right)).sum(dim - y.array.ndim) / 2
    if not size:
        return y.sum(dim)
    ends = y.select(dim, 0) + y.select(dim, size - 1)
    return (y.sum(dim) - ends * 0.5) * dx


@op(method=False)
def cumulative_trapezoid(
    y: Tensor, x: Tensor | None = None, *, dx: Any = 1, dim: int = -1
) -> Tensor:
    """Integrate cumulatively along a dimension by the trapezoidal rule."""
    expect("cumulative_trapezoid", y, "fciu")
    dim = wrap_dim(dim, y.array.ndim)
    left, right = _neighbours(y, dim)
    step = dx / 2 if x is None else _distances(x, y, dim) / 2
    return ((left + right) * step).cumsum(dim - y.array.ndim)


def _slopes(y: Tensor, spacing: Any, edge_order: int) -> Tensor:
    """Compute the derivative along the first dimension.

    Interior points, and the ends for ``edge_order=2``, use the parabola through three points.

    Args:
        y: Function values.
        spacing: The distance between the sample points, or the points themselves.
        edge_order: Order of the approximation at the ends, 1 or 2.
    """
    size = y.array.shape[0]
    slope = diff(y, dim=0)
    if isinstance(spacing, Tensor):
        step = diff(spacing).reshape((-1,) + (1,) * (y.array.ndim - 1))
        before, after = step.narrow(0, 0, size - 2), step.narrow(0, 1, size - 2)
        slope = slope / step
        left, right = slope.narrow(0, 0, size - 2), slope.narrow(0, 1, size - 2)
        inner = (left * after + right * before) / (before + after)
    else:
        before = after = spacing
        slope = slope / spacing
        left, right = slope.narrow(0, 0, size - 2), slope.narrow(0, 1, size - 2)
        inner = (y.narrow(0, 2, size - 2) - y.narrow(0, 0, size - 2)) / (2 * spacing)
    if edge_order == 1:
        return cat([slope.narrow(0, 0, 1), inner, slope.narrow(0, size - 2, 1)], 0)
    bend = (right - left) / (before + after)
    first = (left - bend * before).narrow(0, 0, 1)
    last = (right + bend * after).narrow(0, size - 3, 1)
    return cat([first, inner, last], 0)


@op(method=False)
def gradient(
    input: Tensor, *, spacing: Spacing | None = None, dim: Any = None, edge_order: int = 1
) -> tuple[Tensor, ...]:
    """Estimate the gradient along each dimension by finite differences."""
    expect("gradient", input, "fci")
    dims = dims_of(dim, input.array.ndim)
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    for each in dims:
        if input.array.shape[each] <= edge_order:
            raise RuntimeError(
                "torch.gradient expected each dimension size to be at least edge_order+1"
            )
    if isinstance(spacing, Sequence):
        each_spacing: list[Any] = list(spacing)
    else:
        each_spacing = [1 if spacing is None else spacing] * len(dims)
    if len(each_spacing) != len(dims):
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar or a list of length "
            f"equal to 'self.dim() = {len(dims)}', but got a list of length {len(each_spacing)}"
        )
    return tuple(
        _slopes(input.movedim(each, 0), apart, edge_order).movedim(0, each).contiguous()
        for each, apart in zip(dims, each_spacing, strict=True)
    )
