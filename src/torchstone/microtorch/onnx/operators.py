"""ONNX exporters of the primitives: elementwise functions, reductions and others.

An exporter is a function of the graph, of a primitive's result (``y``, or ``ys`` if there are
several) and of its arguments. It records ONNX operations and returns the name of the result, or
``NotImplemented`` if ONNX has no equivalent for these arguments. Operands of elementwise functions
are given as names, with a common dtype.

Source:
    ONNX operators, opset 18.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from torchstone.microtorch.onnx.graph import Graph
from torchstone.microtorch.tensor import Array, Tensor

Exporter = Callable[..., Any]
END = np.iinfo(np.int64).max


def ints(*numbers: int) -> Array:
    """Create a list of integers, in which ONNX expects shapes and axes."""
    return np.array(numbers, np.int64)


def like(tensor: Tensor, value: Any) -> Array:
    """Create a constant with the dtype of a tensor."""
    return np.array(value, tensor.array.dtype)


def _plain(op_type: str, **attributes: Any) -> Exporter:
    return lambda g, y, *operands: g.add(op_type, *operands, **attributes)


def _logical(g: Graph, y: Tensor, *names: str) -> str:
    op_type = g.origin.removeprefix("logical_").capitalize()
    return g.add(op_type, *[g.cast(each, np.bool_) for each in names])


def _bitwise(g: Graph, y: Tensor, *names: str) -> str:
    op_type = g.origin.removeprefix("bitwise_").capitalize()
    return g.add(op_type if y.array.dtype == np.bool_ else f"Bitwise{op_type}", *names)


def _remainder(g: Graph, y: Tensor, a: str, b: str) -> str:
    if y.array.dtype.kind != "f":
        return g.add("Mod", a, b)
    return g.add("Sub", a, g.add("Mul", g.add("Floor", g.add("Div", a, b)), b))


def _floor_divide(g: Graph, y: Tensor, a: str, b: str) -> str:
    if y.array.dtype.kind == "f":
        return g.add("Floor", g.add("Div", a, b))
    # ONNX rounds towards zero, so the remainder is subtracted first.
    return g.add("Div", g.add("Sub", a, g.add("Mod", a, b)), b)


def _clamp(g: Graph, y: Tensor, x: Any, low: Any, high: Any) -> Any:
    for op_type, limit in (("Max", low), ("Min", high)):
        if limit is not None:
            x = g.add(op_type, x, limit if isinstance(limit, Tensor) else like(y, limit))
    return x


def _elu(g: Graph, y: Tensor, x: Tensor, alpha: float, scale: float, rate: float) -> Any:
    if rate == 1:
        return g.add("Selu", x, alpha=float(alpha), gamma=float(scale))
    return g.add("Celu", x, alpha=float(alpha)) if alpha * rate == scale == 1 else NotImplemented


def _softplus(g: Graph, y: Tensor, x: Tensor, beta: float, threshold: float) -> Any:
    # Above a high threshold both agree up to rounding.
    if threshold < 15:
        return NotImplemented
    return g.add("Div", g.add("Softplus", g.add("Mul", x, like(x, beta))), like(x, beta))


def _leaky_relu(g: Graph, y: Tensor, x: Tensor, weight: Any) -> str:
    is_tensor = isinstance(weight, Tensor)
    return g.add("PRelu", x, weight) if is_tensor else g.add("LeakyRelu", x, alpha=float(weight))


def _normal_cdf(g: Graph, y: Tensor, x: str) -> str:
    through = g.add("Erf", g.add("Mul", x, like(y, math.sqrt(0.5))))
    return g.add("Mul", g.add("Add", through, like(y, 1)), like(y, 0.5))


def _gelu_tanh(g: Graph, y: Tensor, x: Tensor) -> str:
    cube = g.add("Mul", g.add("Mul", x, g.add("Mul", x, x)), like(x, 0.044715))
    inner = g.add("Mul", g.add("Add", x, cube), like(x, math.sqrt(2 / math.pi)))
    gate = g.add("Add", g.add("Tanh", inner), like(x, 1))
    return g.add("Mul", g.add("Mul", x, gate), like(x, 0.5))


def _of_type(g: Graph, y: Tensor, value: Any) -> str:
    return g.cast(value if isinstance(value, Tensor) else like(y, value), y.array.dtype)


def _fill(g: Graph, y: Tensor, x: Tensor, value: Any) -> str:
    return g.add("Expand", _of_type(g, y, value), ints(*y.array.shape))


# Primitives whose ONNX operator has the same name.
_SAME = """
    abs acos acosh add asin asinh atan atanh ceil cos cosh erf exp floor log mish mul neg reciprocal
    relu sigmoid sign sin sinh sqrt sub tan tanh
    """
# Primitive name -> exporter.
PRIMITIVES: dict[str, Exporter] = {each: _plain(each.capitalize()) for each in _SAME.split()} | {
    "maximum": _plain("Max"),
    "minimum": _plain("Min"),
    "pow": _plain("Pow"),
    "fmod": _plain("Mod", fmod=1),
    "div": lambda g, y, a, b: (
        g.add("Div", a, b) if g.forward is np.true_divide else NotImplemented
    ),
    "remainder": _remainder,
    "floor_divide": _floor_divide,
    "eq": _plain("Equal"),
    "ne": lambda g, y, a, b: g.add("Not", g.add("Equal", a, b)),
    "lt": _plain("Less"),
    "le": _plain("LessOrEqual"),
    "gt": _plain("Greater"),
    "ge": _plain("GreaterOrEqual"),
    "isnan": _plain("IsNaN"),
    "isinf": _plain("IsInf"),
    "isfinite": lambda g, y, x: g.add("Not", g.add("Or", g.add("IsNaN", x), g.add("IsInf", x))),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor", "logical_not"), _logical),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"), _bitwise),
    "pow_number": lambda g, y, x, exponent: g.add("Pow", x, like(y, exponent)),
    "rsqrt": lambda g, y, x: g.add("Reciprocal", g.add("Sqrt", x)),
    "log2": lambda g, y, x: g.add("Div", g.add("Log", x), like(y, math.log(2))),
    "log10": lambda g, y, x: g.add("Div", g.add("Log", x), like(y, math.log(10))),
    "log1p": lambda g, y, x: g.add("Log", g.add("Add", x, like(y, 1))),
    "expm1": lambda g, y, x: g.add("Sub", g.add("Exp", x), like(y, 1)),
    "exp2": lambda g, y, x: g.add("Pow", like(y, 2), x),
    "trunc": lambda g, y, x: g.add("Mul", g.add("Sign", x), g.add("Floor", g.add("Abs", x))),
    "round": lambda g, y, x, decimals: NotImplemented if decimals else g.add("Round", x),
    "clamp": _clamp,
    "hardtanh": _clamp,
    "elu": _elu,
    "softplus": _softplus,
    "leaky_relu": _leaky_relu,
    "normal_cdf": _normal_cdf,
    "gelu_tanh": _gelu_tanh,
    "silu": lambda g, y, x: g.add("Mul", x, g.add("Sigmoid", x)),
    "log_sigmoid": lambda g, y, x: g.add("Neg", g.add("Softplus", g.add("Neg", x))),
    "hardsigmoid": _plain("HardSigmoid", alpha=1 / 6, beta=0.5),
    "hardswish": _plain("HardSwish"),
    "softshrink": lambda g, y, x, lambd: g.add("Shrink", x, lambd=float(lambd), bias=float(lambd)),
    "hardshrink": lambda g, y, x, lambd: g.add("Shrink", x, lambd=float(lambd), bias=0.0),
    "threshold": lambda g, y, x, threshold, value: g.add(
        "Where", g.add("LessOrEqual", x, like(x, threshold)), like(x, value), x
    ),
    "where": _plain("Where"),
    "masked_fill": lambda g, y, x, mask, value: g.add("Where", mask, _of_type(g, y, value), x),
    "minus_inf": lambda g, y, mask, dtype: g.add("Where", mask, like(y, -np.inf), like(y, 0)),
    "blind": lambda g, y, x: _truth(
        g, "ReduceMin", g.add("Equal", x, like(x, -np.inf)), (x.array.ndim - 1,), True
    ),
    "clone": lambda g, y, x, order: g.add("Identity", x),
    "to_copy": lambda g, y, x, dtype: g.cast(x, dtype),
    "fill": _fill,
    "copy": _fill,
}  # fmt: skip


# Reductions.


def _reduce(g: Graph, op_type: str, x: Any, dims: Sequence[int], keepdim: Any) -> str:
    return g.add(
        op_type, x, ints(*dims), keepdims=int(bool(keepdim)), noop_with_empty_axes=int(not dims)
    )


def _reduction(op_type: str) -> Exporter:
    return lambda g, y, x, dims, keepdim, *rest: _reduce(
        g, op_type, g.cast(x, y.array.dtype), dims, keepdim
    )


def _truth(g: Graph, op_type: str, x: Any, dims: Sequence[int], keepdim: Any) -> str:
    numbers = g.cast(g.cast(x, np.bool_), np.int32)
    return g.cast(_reduce(g, op_type, numbers, dims, keepdim), np.bool_)


def _variance(g: Graph, y: Tensor, x: Tensor, dims: Any, correction: float, keepdim: Any) -> str:
    centred = g.add("Sub", x, _reduce(g, "ReduceMean", x, dims, True))
    total = _reduce(g, "ReduceSumSquare", centred, dims, keepdim)
    # The count is computed from the shape, because sizes may be dynamic.
    count = math.prod(x.array.shape[dim] for dim in dims) - correction
    return g.add("Div", total, like(x, count))


def _standardize(
    g: Graph, ys: Any, x: Tensor, dims: Any, eps: float, is_centred: bool
) -> tuple[str, str, str]:
    mean = _reduce(g, "ReduceMean", x, dims, True)
    scaled = g.add("Sub", x, mean) if is_centred else g.name(x)
    variance = _reduce(g, "ReduceMean", g.add("Mul", scaled, scaled), dims, True)
    rstd = g.add("Reciprocal", g.add("Sqrt", g.add("Add", variance, like(x, eps))))
    return g.add("Mul", scaled, rstd), rstd, mean


def _norm(g: Graph, y: Tensor, x: Tensor, p: float, dims: Any, keepdim: Any) -> Any:
    return _reduce(g, f"ReduceL{int(p)}", x, dims, keepdim) if p in (1, 2) else NotImplemented


def _along(op_type: str, **attributes: Any) -> Exporter:
    """Create the exporter of an operation along a dimension."""
    return lambda g, y, x, dim: (
        g.add(op_type, x, axis=dim, **attributes) if x.array.ndim else NotImplemented
    )


def _top(g: Graph, y: Tensor, x: Tensor, k: int, dim: int, largest: bool) -> Any:
    if not x.array.ndim:
        return NotImplemented
    return g.add_several("TopK", x, ints(k), count=2, axis=dim, largest=int(largest))[1]


PRIMITIVES |= {
    "sum": _reduction("ReduceSum"),
    "mean": _reduction("ReduceMean"),
    "logsumexp": _reduction("ReduceLogSumExp"),
    "amax": _reduction("ReduceMax"),
    "amin": _reduction("ReduceMin"),
    "prod": lambda g, y, x, dim, keepdim: _reduction("ReduceProd")(
        g, y, x, (dim,) if x.array.ndim else (), keepdim
    ),
    "all": lambda g, y, x, dims, keepdim: _truth(g, "ReduceMin", x, dims, keepdim),
    "any": lambda g, y, x, dims, keepdim: _truth(g, "ReduceMax", x, dims, keepdim),
    "var": _variance,
    "std": lambda g, *args: g.add("Sqrt", _variance(g, *args)),
    "standardize": _standardize,
    "norm": _norm,
    "argmax": _along("ArgMax", keepdims=1),
    "argmin": _along("ArgMin", keepdims=1),
    "softmax": _along("Softmax"),
    "log_softmax": _along("LogSoftmax"),
    "top": _top,
    "order": lambda g, y, x, dim, descending: _top(
        g, y, x, x.array.shape[dim] if x.array.ndim else 1, dim, descending
    ),
    "cumsum": lambda g, y, x, dim, backwards: g.add(
        "CumSum", g.cast(x, y.array.dtype), np.array(dim, np.int64), reverse=int(backwards)
    ),
}
