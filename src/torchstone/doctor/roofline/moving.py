"""Work of gather, join and reduce operators, whose traffic depends on several sizes."""

from __future__ import annotations

import math
from collections.abc import Callable

from torchstone.doctor.roofline import elementwise
from torchstone.doctor.roofline.tensors import Inputs, Tensor, Unknown
from torchstone.doctor.roofline.work import Family, Work, work

Model = Callable[[Inputs], Work]


def _reduced(dims: int, made: int = 0, num_results: int = 1) -> Model:
    """Return the model of a reduction over the dimensions in the input ``dims``.

    ``made`` is the element size of the result in bytes; 0 for that of the input.
    """

    def model(inputs: Inputs) -> Work:
        x = inputs.need(0)
        if dims == 1 and inputs.tensor(1) is not None:
            # The larger of two tensors is not reduced.
            return elementwise.MODELS["aten::maximum"](inputs)
        over = _dims(inputs, dims, len(x.shape))
        output = tuple(size for at, size in enumerate(x.shape) if at not in over)
        written = num_results * math.prod(output) * (made or x.item)
        return work(Family.REDUCTION, [x], output, dtype=x.dtype, flops=x.numel, written=written)

    return model


def _dims(inputs: Inputs, at: int, rank: int) -> set[int]:
    """Return the reduced dimensions; all if none is given."""
    if not inputs.is_given(at):
        return set(range(rank))
    try:
        found = inputs.numbers(at)
    except Unknown:
        # A dtype or a boolean: the overload that reduces all dimensions.
        return set(range(rank))
    # A single number may also be a dtype, in the overload that reduces all dimensions.
    return {each % rank for each in found if -rank <= each < rank} or set(range(rank))


def _scanned(inputs: Inputs) -> Work:
    x = inputs.need(0)
    return work(Family.REDUCTION, [x], x.shape, dtype=x.dtype, flops=x.numel, written=x.whole_bytes)


def _joined(inputs: Inputs) -> Work:
    """Return the work of ``cat``: everything is read and written once."""
    tensors = [each for each in inputs.listed(0) if each.numel]
    if not tensors:
        raise Unknown
    dim = inputs.number(1)
    first = tensors[0].shape
    if not first or any(len(each.shape) != len(first) for each in tensors):
        raise Unknown
    dim %= len(first)
    output = (*first[:dim], sum(each.shape[dim] for each in tensors), *first[dim + 1 :])
    written = sum(each.whole_bytes for each in tensors)
    return work(Family.JOIN, tensors, output, dtype=tensors[0].dtype, flops=0, written=written)


def _selected(inputs: Inputs) -> Work:
    """Return the work of ``index_select``: the selected rows are read and written."""
    x, index = inputs.need(0), inputs.need(2)
    if not x.shape:
        raise Unknown
    dim = inputs.number(1) % len(x.shape)
    output = (*x.shape[:dim], index.numel, *x.shape[dim + 1 :])
    return _taken(Family.INDEX, x, index, output)


def _embedded(inputs: Inputs) -> Work:
    table, index = inputs.need(0, 2), inputs.need(1)
    return _taken(Family.EMBEDDING, table, index, (*index.shape, table.shape[1]))


def _gathered(inputs: Inputs) -> Work:
    x, index = inputs.need(0), inputs.need(2)
    return _taken(Family.INDEX, x, index, index.shape)


def _taken(family: Family, x: Tensor, index: Tensor, output: tuple[int, ...]) -> Work:
    size = math.prod(output) * x.item
    return work(
        family,
        [x, index],
        output,
        dtype=x.dtype,
        flops=0,
        # Duplicate rows may be read once.
        read=min(size, x.num_bytes) + index.num_bytes,
        written=size,
    )


def _scattered(inputs: Inputs) -> Work:
    """Return the work of ``scatter_`` and ``index_add_``: the indexed elements are written."""
    x, index = inputs.need(0), inputs.need(2)
    source = inputs.tensor(3)
    moved = source if source is not None and source.shape else index
    size = moved.numel * x.item
    read = index.num_bytes + (0 if source is None else source.num_bytes)
    return work(
        Family.INDEX,
        [x, index],
        x.shape,
        dtype=x.dtype,
        flops=moved.numel,
        read=read,
        written=min(size, x.whole_bytes),
    )


def _table_gradient(inputs: Inputs) -> Work:
    """Return the work of an embedding's dense gradient: the whole table is written."""
    grad, index = inputs.need(0), inputs.need(1)
    if not grad.shape:
        raise Unknown
    output = (inputs.number(2), grad.shape[-1])
    if output[0] < 0:
        raise Unknown
    whole = math.prod(output) * grad.item
    return work(
        Family.TABLE_GRADIENT,
        [grad, index],
        output,
        dtype=grad.dtype,
        flops=grad.numel,
        written=whole,
        touched=min(whole, index.numel * grad.shape[-1] * grad.item),
    )


def _pooled(num_dims: int, *, index_bytes: int, gap: int | None) -> Model:
    """Return the model of a pooling layer; max pooling also writes indices."""

    def model(inputs: Inputs) -> Work:
        x = inputs.need(0)
        if len(x.shape) < num_dims:
            raise Unknown
        kernel = _each(inputs, 1, num_dims)
        step = _each(inputs, 2, num_dims) if inputs.is_given(2) else kernel
        pad = _each(inputs, 3, num_dims) if inputs.is_given(3) else (0,) * num_dims
        gaps = _each(inputs, gap, num_dims) if gap is not None else (1,) * num_dims
        if min(step) < 1:
            raise Unknown
        sizes = tuple(
            (size + 2 * pad[at] - gaps[at] * (kernel[at] - 1) - 1) // step[at] + 1
            for at, size in enumerate(x.shape[-num_dims:])
        )
        if min(sizes) < 0:
            raise Unknown
        output = (*x.shape[:-num_dims], *sizes)
        written = math.prod(output) * (x.item + index_bytes)
        flops = math.prod(output) * math.prod(kernel)
        return work(Family.POOL, [x], output, dtype=x.dtype, flops=flops, written=written)

    return model


def _each(inputs: Inputs, at: int, num_dims: int) -> tuple[int, ...]:
    found = inputs.numbers(at)
    if len(found) not in (1, num_dims):
        raise Unknown
    return found * num_dims if len(found) == 1 else found


def _sized(num_dims: int) -> Model:
    """Return the model of an operator whose second input is the output size."""

    def model(inputs: Inputs) -> Work:
        x = inputs.need(0)
        size = _each(inputs, 1, num_dims)
        output = (*x.shape[:-num_dims], *size)
        if min(size) < 0 or len(x.shape) < num_dims:
            raise Unknown
        most = max(x.numel, math.prod(output))
        written = math.prod(output) * x.item
        return work(Family.POOL, [x], output, dtype=x.dtype, flops=most, written=written)

    return model


def _sized_backward(inputs: Inputs) -> Work:
    grad = inputs.need(0)
    output = inputs.numbers(2)
    if min(output) < 0:
        raise Unknown
    size = math.prod(output)
    return work(
        *(Family.POOL, [grad], output),
        dtype=grad.dtype,
        flops=max(grad.numel, size),
        written=size * grad.item,
    )


def _pooled_backward(index: int | None) -> Model:
    """Return the model of pooling's backward, from the output's gradient to the input's."""

    def model(inputs: Inputs) -> Work:
        grad, x = inputs.need(0), inputs.need(1)
        read = grad.num_bytes + (inputs.need(index).num_bytes if index is not None else 0)
        return work(
            Family.POOL,
            [grad, x],
            x.shape,
            dtype=grad.dtype,
            flops=x.numel,
            read=read,
            written=x.whole_bytes,
        )

    return model


_OVER_ONE = "amax amin sum mean prod all any logsumexp nansum"
_PAIRS = "var_mean std_mean"

MODELS: dict[str, Model] = {
    **{f"aten::{name}": _reduced(1) for name in _OVER_ONE.split()},
    **{f"aten::{name}": _reduced(1, num_results=2) for name in _PAIRS.split()},
    **{f"aten::{name}": _reduced(1) for name in ("var", "std")},
    **{f"aten::{name}": _reduced(2) for name in ("norm", "linalg_vector_norm")},
    **{f"aten::{name}": _reduced(1, 8) for name in ("argmax", "argmin", "count_nonzero")},
    **{f"aten::{name}": _reduced(1) for name in ("max", "min")},
    "aten::cumsum": _scanned,
    "aten::cat": _joined,
    "aten::index_select": _selected,
    "aten::embedding": _embedded,
    "aten::gather": _gathered,
    "aten::scatter_": _scattered,
    "aten::scatter_add_": _scattered,
    "aten::index_add_": _scattered,
    "aten::embedding_dense_backward": _table_gradient,
    "aten::max_pool1d_with_indices": _pooled(1, index_bytes=8, gap=4),
    "aten::max_pool2d_with_indices": _pooled(2, index_bytes=8, gap=4),
    "aten::max_pool3d_with_indices": _pooled(3, index_bytes=8, gap=4),
    "aten::avg_pool2d": _pooled(2, index_bytes=0, gap=None),
    "aten::avg_pool3d": _pooled(3, index_bytes=0, gap=None),
    "aten::max_pool2d_with_indices_backward": _pooled_backward(7),
    "aten::max_pool3d_with_indices_backward": _pooled_backward(7),
    "aten::avg_pool2d_backward": _pooled_backward(None),
    "aten::_adaptive_avg_pool2d": _sized(2),
    "aten::_adaptive_avg_pool2d_backward": _pooled_backward(None),
    "aten::upsample_bilinear2d": _sized(2),
    "aten::upsample_nearest2d": _sized(2),
    "aten::upsample_bicubic2d": _sized(2),
    "aten::upsample_bilinear2d_backward": _sized_backward,
    "aten::upsample_nearest2d_backward": _sized_backward,
}
