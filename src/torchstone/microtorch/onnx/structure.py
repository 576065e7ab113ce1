"""ONNX exporters of matrix products, convolution, pooling, shape operations and indexing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from torchstone.microtorch.onnx.graph import Graph
from torchstone.microtorch.onnx.operators import END, PRIMITIVES, Exporter, ints, like
from torchstone.microtorch.ops import (
    normalization,
    normalization_running,
    pooling_avg,
    pooling_max,
)
from torchstone.microtorch.ops.sliding import per_dim, stride_or
from torchstone.microtorch.ops.views import Key
from torchstone.microtorch.tensor import Tensor


def _linear(g: Graph, y: Tensor, x: Tensor, weight: Tensor, bias: Tensor | None) -> str:
    if x.array.ndim == 2:
        return g.add("Gemm", x, weight, bias, transB=1)
    product = g.add("MatMul", x, g.add("Transpose", weight, perm=(1, 0)))
    return product if bias is None else g.add("Add", product, bias)


def _convolution(g: Graph, y: Tensor, x: Any, weight: Tensor, bias: Any, geometry: Any) -> str:
    return g.add(
        "Conv", x, weight, bias,
        kernel_shape=weight.array.shape[2:], strides=geometry.stride, group=geometry.groups,
        pads=(*geometry.before, *geometry.after), dilations=geometry.dilation,
    )  # fmt: skip


def _transposed(g: Graph, y: Tensor, x: Any, weight: Tensor, spatial: Any, geometry: Any) -> str:
    added = np.subtract(geometry.before, geometry.after).tolist()
    return g.add(
        "ConvTranspose", x, weight,
        kernel_shape=weight.array.shape[2:], strides=geometry.stride, group=geometry.groups,
        pads=geometry.before * 2, dilations=geometry.dilation, output_padding=added,
    )  # fmt: skip


def _max_values(g: Graph, y: Tensor, x: Any, taps: Any, is_tiling: bool) -> Any:
    """Export the maximum over any windows: gather each tap, then take the maximum."""
    shape = x.array.shape
    for axis, each in enumerate(taps, -len(taps)):
        places = [np.arange(shape[axis])[tap] for tap in each]
        parts = [g.add("Gather", x, tap, axis=axis) for tap in places]
        x = parts[0] if len(parts) == 1 else g.add("Max", *parts)
    return x


def _resample(g: Graph, y: Tensor, x: Tensor, maps: Any, divisor: Any) -> str:
    """Export linear maps along the last dimensions: a global average, or matrix products."""
    shape, ndim, mapped = x.array.shape, len(maps), g.name(x)
    is_all = all(each is not None and each.out_size == 1 for each in maps)
    if is_all and len(shape) == ndim + 2 and np.array_equal(divisor, math.prod(shape[2:])):
        return g.add("GlobalAveragePool", x)
    for axis, each in enumerate(maps, -ndim):
        if each is not None:
            matrix = each.apply(np.eye(each.in_size, dtype=x.array.dtype), -2)
            order = list(range(len(shape)))
            order[axis], order[-1] = order[-1], order[axis]
            turned = g.add("Transpose", mapped, perm=order)
            mapped = g.add("Transpose", g.add("MatMul", turned, matrix.T.copy()), perm=order)
    return mapped if divisor is None else g.add("Div", mapped, like(x, divisor))


def _look(g: Graph, y: Tensor, x: Tensor, look: Any) -> Any:
    """Export a basic index: slices, then integers from the last one on, then new dimensions."""
    if not isinstance(look, Key):
        return NotImplemented
    used = sum(isinstance(each, int | slice) for each in look.key)
    places: list[Any] = []
    for each in look.key:
        places += [slice(None)] * (x.array.ndim - used) if each is Ellipsis else [each]
    taken = [each for each in places if each is not None]
    parts = [
        (each.start or 0, END if each.stop is None else each.stop, dim, each.step or 1)
        for dim, each in enumerate(taken)
        if isinstance(each, slice) and each != slice(None)
    ]
    columns = [ints(*each) for each in zip(*parts, strict=True)]
    name = g.add("Slice", x, *columns) if parts else g.name(x)
    for dim, each in reversed(list(enumerate(taken))):
        if isinstance(each, int):
            name = g.add("Gather", name, np.array(each, np.int64), axis=dim)
    kept = [each for each in places if not isinstance(each, int)]
    new = [dim for dim, each in enumerate(kept) if each is None]
    return g.add("Unsqueeze", name, ints(*new)) if new else name


def _split(
    g: Graph, ys: Any, x: Tensor, parts: Sequence[Any], dim: int, stacked: bool
) -> list[str]:
    if stacked:
        return [g.add("Gather", x, np.array(each, np.int64), axis=dim) for each in parts]
    return [g.add("Slice", x, ints(start), ints(stop), ints(dim), ints(1)) for start, stop in parts]


def _pad(g: Graph, y: Tensor, x: Tensor, pads: Sequence[Any], value: Any) -> str:
    before, after = zip(*pads, strict=True)
    return g.add("Pad", x, ints(*before, *after), like(y, value))


def _take_at(g: Graph, y: Tensor, x: Tensor, places: Sequence[Any]) -> Any:
    arrays = [dim for dim, each in enumerate(places) if isinstance(each, np.ndarray)]
    if len(arrays) != 1 or places[arrays[0]].dtype == np.bool_:
        return NotImplemented
    return g.add("Gather", x, places[arrays[0]], axis=arrays[0])


def _elements(g: Graph, y: Tensor, x: Tensor, dim: int, index: Any) -> Any:
    return g.add("GatherElements", x, index, axis=dim) if x.array.ndim else NotImplemented


def _flip(g: Graph, y: Tensor, x: Tensor, dims: Sequence[int]) -> str:
    back, ends = ints(*[-1] * len(dims)), ints(*[-END] * len(dims))
    return g.add("Slice", x, back, ends, ints(*dims), back.copy())


def _reshape(g: Graph, y: Tensor, x: Tensor, shape: Sequence[int]) -> str:
    # Without allowzero, a size of 0 would mean that of the input.
    return g.add("Reshape", x, ints(*y.array.shape), allowzero=int(0 in y.array.shape) or None)


PRIMITIVES |= {
    "matmul": lambda g, y, a, b: g.add("MatMul", a, b),
    "dot": lambda g, y, a, b: g.add("MatMul", a, b),
    "linear": _linear,
    "convolution": _convolution,
    "input_gradient": _transposed,
    "max_values": _max_values,
    "resample": _resample,
    "view": _reshape,
    "unsafe_view": _reshape,
    "expand": lambda g, y, x, shape: g.add("Expand", x, ints(*y.array.shape)),
    "permute": lambda g, y, x, dims: g.add("Transpose", x, perm=[int(each) for each in dims]),
    "cat": lambda g, y, dim, *parts: g.add("Concat", *parts, axis=dim),
    "stack": lambda g, y, dim, *parts: g.add(
        "Concat", *[g.add("Unsqueeze", each, ints(dim)) for each in parts], axis=dim
    ),
    **dict.fromkeys(("split", "unsafe_split", "unbind"), _split),
    "slice": _look,
    "select": _look,
    "flip": _flip,
    "tril": lambda g, y, x, k: g.add("Trilu", x, np.array(k, np.int64), upper=0),
    "triu": lambda g, y, x, k: g.add("Trilu", x, np.array(k, np.int64), upper=1),
    "constant_pad": _pad,
    "embedding": lambda g, y, table, index, *how: g.add("Gather", table, index, axis=0),
    "index_select": lambda g, y, x, dim, index: g.add("Gather", x, index, axis=dim),
    "gather": _elements,
    "take": lambda g, y, x, index, dim: _elements(g, y, x, dim, index),
    "take_at": _take_at,
}


# Functions recorded as a whole.


def _layer_norm(
    g: Graph, ys: Any, x: Tensor, shape: Sequence[int], weight: Any, bias: Any, eps: float
) -> Any:
    scale = np.ones(tuple(shape), x.array.dtype) if weight is None else weight
    return g.add_several(
        "LayerNormalization", x, scale, bias, count=1, axis=-len(shape), epsilon=float(eps)
    )


def _batch_norm(
    g: Graph, ys: Any, x: Tensor, weight: Any, bias: Any, mean: Any, var: Any,
    training: bool, momentum: float, eps: float,
) -> Any:  # fmt: skip
    if training:
        return NotImplemented
    scale = np.ones_like(var.array) if weight is None else weight
    shift = np.zeros_like(var.array) if bias is None else bias
    return g.add_several(
        "BatchNormalization", x, scale, shift, mean, var, count=1, epsilon=float(eps)
    )


def _pool(
    g: Graph, op_type: str, ndim: int, x: Tensor, kernel: Any, stride: Any, padding: Any, **how: Any
) -> str:
    sizes = per_dim(kernel, ndim, "pool", "kernel_size")
    pads = per_dim(padding, ndim, "pool", "padding") * 2
    # ONNX requires a batch dimension.
    is_single = x.array.ndim == ndim + 1
    batch = g.add("Unsqueeze", x, ints(0)) if is_single else g.name(x)
    steps = stride_or(sizes, stride, "pool")
    result = g.add(op_type, batch, kernel_shape=sizes, strides=steps, pads=pads, **how)
    return g.add("Squeeze", result, ints(0)) if is_single else result


def _max_pool(
    g: Graph, y: Any, ndim: int, x: Tensor, kernel: Any, stride: Any, padding: Any,
    dilation: Any, ceil_mode: bool, return_indices: bool,
) -> Any:  # fmt: skip
    if return_indices:
        return NotImplemented
    spread = per_dim(dilation, ndim, "pool", "dilation")
    return _pool(
        g, "MaxPool", ndim, x, kernel, stride, padding, ceil_mode=int(ceil_mode), dilations=spread
    )


def _avg_pool(
    g: Graph, y: Any, ndim: int, x: Tensor, kernel: Any, stride: Any, padding: Any,
    ceil_mode: bool, count_include_pad: bool, divisor: int | None,
) -> Any:  # fmt: skip
    # ONNX runtimes disagree on the divisor of windows that extend beyond the padding.
    if divisor is not None or ceil_mode:
        return NotImplemented
    counts = int(count_include_pad)
    return _pool(g, "AveragePool", ndim, x, kernel, stride, padding, count_include_pad=counts)


WHOLES: dict[str, tuple[Callable[..., Any], Exporter]] = {
    "layer_norm": (normalization.native_layer_norm, _layer_norm),
    "batch_norm": (normalization_running.native_batch_norm, _batch_norm),
    "max_pool": (pooling_max._max_pool, _max_pool),
    "avg_pool": (pooling_avg._avg_pool, _avg_pool),
}
