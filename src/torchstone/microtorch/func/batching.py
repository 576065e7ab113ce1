"""Batching rules of ``vmap``: how each primitive runs on a whole batch.

The batch is dimension 0 of the physical tensors. Most primitives only need operands with the same
number of dimensions, and dimension indices incremented by one. Some need a rule of their own. All
others run once per example, which is correct but slow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.func.batched import (
    Example,
    ReadsValues,
    deepest,
    is_over,
    lift,
    lower,
)
from torchstone.microtorch.func.tree import flatten, mapped, unflatten
from torchstone.microtorch.ops.cross_entropy import pick
from torchstone.microtorch.ops.elementwise import Binary, Unary
from torchstone.microtorch.ops.indexing import put_at, take_at
from torchstone.microtorch.ops.joining import stack
from torchstone.microtorch.ops.primitive import Primitive
from torchstone.microtorch.ops.views import Diagonal, Key, overwrite
from torchstone.microtorch.tensor import Tensor, wrap

# A rule takes the primitive, its arguments and the level, and returns physical results; None if it
# does not apply.
Rule = Callable[[Primitive, Sequence[Any], Any], Any]


def batched_call(primitive: Primitive, args: Sequence[Any]) -> Any:
    """Run a primitive on the whole batch; return None if no argument is batched."""
    level = deepest(args)
    if level is None:
        return None
    if isinstance(primitive, Unary):
        return lift(primitive(args[0].physical), level)
    rule: Rule | None = binary if isinstance(primitive, Binary) else RULES.get(_name(primitive))
    results = rule(primitive, args, level) if rule is not None else None
    if results is None:
        if primitive.__name__ in _DRAWING and level.randomness == "same":
            raise RuntimeError(
                "Vmap does not currently support same randomness with a batched tensor input."
            )
        return one_by_one(primitive, args, {}, level)
    return mapped(lambda each: lift(each, level), results)


_DRAWING = ("bernoulli", "normal_around")
# Names shared by several primitives; their module is prepended.
_SHARED = {"slope", "fold", "unfold"}


def _name(primitive: Primitive) -> str:
    name = primitive.__name__
    if name in _SHARED:
        return f"{primitive.forward.__module__.rpartition('.')[2]}.{name}"
    return name


# Fallback: one call per example.


def one_by_one(
    function: Callable[..., Any], args: Any, kwargs: Any, level: Any, *, writes: bool = False
) -> Any:
    """Call a function once per example and stack the results.

    Args:
        function: The function.
        args: Its positional arguments; tensors may be nested at any depth.
        kwargs: Its keyword arguments, likewise.
        level: The ``vmap`` level whose examples are split.
        writes: The function writes into its first argument and returns nothing else.
    """
    if not level.size:
        raise RuntimeError("vmap: what has no batching rule can't be done for a batch of size 0")
    if writes:
        refuse_unmapped(args[0], level)
    leaves, spec = flatten((args, kwargs))
    whole = [_all_examples(each, level) for each in leaves]
    rows = []
    for number in range(level.size):
        picked = [
            each if all_of is None else all_of[number]
            for each, all_of in zip(leaves, whole, strict=True)
        ]
        own_args, own_kwargs = unflatten(picked, spec)
        rows.append(function(*own_args, **own_kwargs))
    if writes:
        return args[0]
    made, shape = flatten(rows[0])
    columns = zip(*(flatten(row)[0] for row in rows), strict=True) if made else ()
    return unflatten([_joined(column, level) for column in columns], shape)


def _all_examples(leaf: Any, level: Any) -> Any:
    if isinstance(leaf, Example):
        owner = leaf.owner and leaf.owner()
        return None if owner is None or not is_over(owner, level) else lower(owner, level).array
    return lower(leaf, level) if is_over(leaf, level) else None


def _joined(column: Sequence[Any], level: Any) -> Any:
    first = column[0]
    if isinstance(first, Tensor):
        return lift(stack(column), level)
    if any(each != first for each in column[1:]):
        raise ReadsValues("vmap: an operation gives another value for each example, and no Tensor")
    return first


def refuse_unmapped(target: Tensor, level: Any) -> None:
    """Raise an error for a write of batched values into an unbatched tensor."""
    if not is_over(target, level):
        raise RuntimeError(
            "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a "
            "Tensor `other` in extra_args that has more elements than `self`. This happened due to "
            "`other` being vmapped over but `self` not being vmapped over in a vmap. Please try to "
            "use out-of-place operators instead of inplace arithmetic."
        )


# Rules for the whole batch.


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor | np.ndarray)


def _physical(value: Any, ndim: int, level: Any, *, repeat: bool = False) -> Any:
    """Reshape an operand to the batch dimension followed by ``ndim`` dimensions.

    Args:
        value: A tensor, or an array for primitives that take arrays.
        ndim: Number of dimensions of one example.
        level: The level of the batch.
        repeat: Expand operands that are not batched as well.
    """
    if isinstance(value, Example):
        owner = value.owner and value.owner()
        if owner is None:
            raise ReadsValues("vmap: the operation reads the values of a batched Tensor")
        return _physical(owner, ndim, level, repeat=repeat).array
    if isinstance(value, np.ndarray):
        return _physical(wrap(value), ndim, level, repeat=True).array if repeat else value
    if not is_over(value, level) and not repeat:
        return value
    whole = lower(value, level)
    size, *shape = whole.array.shape
    missing = ndim - len(shape)
    return whole.reshape(size, *(1,) * missing, *shape) if missing > 0 else whole


def in_front(primitive: Primitive, args: Sequence[Any], level: Any) -> Any:
    """Align the operands and increment their dimension arguments."""
    ndim = max(_ndim(each) for each in args if _is_tensor(each))
    named = [place for place, name in enumerate(primitive.parameters) if name in ("dim", "dims")]
    if not ndim and any(args[place] not in ((), []) for place in named):
        return None
    counts = bool(named) or "shape" in primitive.parameters
    moved, is_first = [], True
    for place, each in enumerate(args):
        name = primitive.parameters[place]
        if _is_tensor(each):
            moved.append(_physical(each, ndim, level, repeat=counts or is_first))
            is_first = False
        elif place in named:
            moved.append(_further(each))
        else:
            moved.append((level.size, *each) if name == "shape" else each)
    return primitive(*moved)


def _ndim(value: Any) -> int:
    return value.array.ndim if isinstance(value, Tensor) else value.ndim


def _further(dims: Any) -> Any:
    """Increment non-negative dimensions by one."""
    if isinstance(dims, int):
        return dims + 1 if dims >= 0 else dims
    return type(dims)(_further(each) for each in dims)


def binary(primitive: Primitive, args: Sequence[Any], level: Any) -> Any:
    """Promote dtypes as for single examples, and align: a 0-d example promotes unlike a batch."""
    operands = list(args)
    if all(isinstance(each, Tensor) for each in args) and args[0].dtype is not args[1].dtype:
        wanted = dtypes.result_type(*args).numpy
        operands = [each._cast(wanted) for each in args]
    ndim = max(_ndim(each) for each in operands if isinstance(each, Tensor))
    aligned = (
        _physical(each, ndim, level) if isinstance(each, Tensor) else each for each in operands
    )
    return primitive(*aligned)


def aligned(primitive: Primitive, args: Sequence[Any], level: Any) -> Any:
    """Align the operands so that they broadcast."""
    ndim = max(_ndim(each) for each in args if _is_tensor(each))
    return primitive(*[_physical(x, ndim, level) if _is_tensor(x) else x for x in args])


def merged(primitive: Primitive, args: Sequence[Any], level: Any) -> Any:
    """Merge the batch with the first dimension of the examples; others must not be batched."""
    first, *others = args
    if any(is_over(each, level) for each in others) or not is_over(first, level):
        return None
    whole = lower(first, level)
    size, count, *shape = whole.array.shape
    result = primitive(whole.reshape(size * count, *shape), *others)
    return mapped(lambda x: x.reshape(size, count, *x.array.shape[1:]), result)


def merged_rows(primitive: Primitive, args: Sequence[Any], level: Any) -> Any:
    """Merge the batch with the first dimension of the examples, for all operands."""
    whole = [lower(each, level) if isinstance(each, Tensor) else each for each in args]
    size, count = whole[0].array.shape[:2]
    rows = [
        each.reshape(size * count, *each.array.shape[2:]) if isinstance(each, Tensor) else each
        for each in whole
    ]
    result = primitive(*rows)
    return result.reshape(size, count, *result.array.shape[1:])


def _cross_entropy(primitive: Primitive, args: Sequence[Any], level: Any) -> Any:
    scores, target, ignore_index = args
    logs = lower(scores, level).log_softmax(-1)
    # ``pick`` itself is batched by merging the rows of all examples.
    picked = lower(pick(lift(logs, level), target, ignore_index), level)
    counts = lower(target, level).ne(ignore_index).sum(1)
    return -picked.sum(1) / counts, logs.exp()


def _expand(primitive: Primitive, args: Sequence[Any], level: Any) -> Any:
    tensor, shape = args
    return primitive(_physical(tensor, len(shape), level), (level.size, *shape))


def _join(primitive: Primitive, args: Sequence[Any], level: Any) -> Any:
    dim, *tensors = args
    return primitive(dim + 1, *[_physical(each, 0, level, repeat=True) for each in tensors])


class _EachLook:
    """Index object that applies the same index to every example."""

    def __init__(self, look: Any) -> None:
        self.look = look

    def __call__(self, array: Any) -> Any:
        if isinstance(self.look, Key):
            return array[(slice(None), *self.look.key)]
        offset, first, second = self.look.offset, self.look.dim1 + 1, self.look.dim2 + 1
        return Diagonal(offset, first, second)(array)


def _look(primitive: Primitive, args: Sequence[Any], level: Any) -> Any:
    *tensors, last = args
    if primitive is overwrite:
        self, source = tensors
        part = last(np.broadcast_to(np.False_, self.array.shape)).ndim
        parts = [_physical(self, 0, level, repeat=True), _physical(source, part, level)]
    else:
        parts = [tensors[0].physical, *[(level.size, *shape) for shape in tensors[1:]]]
    return primitive(*parts, _EachLook(last))


def _at_places(primitive: Primitive, args: Sequence[Any], level: Any) -> Any:
    places = args[1] if primitive is take_at else args[2]
    if deepest(places) is not None:
        return None
    named = [place for place, each in enumerate(places) if not isinstance(each, slice)]
    is_apart = named[-1] - named[0] >= len(named)
    further = (slice(None), *places)
    if primitive is put_at:
        if is_apart:
            return None
        self, values, _, accumulate = args
        part = np.broadcast_to(np.False_, self.array.shape)[places].ndim
        whole = _physical(self, 0, level, repeat=True)
        return primitive(whole, _physical(values, part, level), further, accumulate)
    found = primitive(args[0].physical, further)
    if not is_apart:
        return found
    # Dimensions selected by non-adjacent indices come first, before the batch dimension.
    return found.movedim(np.broadcast(*[places[place] for place in named]).ndim, 0)


def _of_index(primitive: Primitive, args: Sequence[Any], level: Any) -> Any:
    self, dim, index, *others = args
    ndim = self.array.ndim
    if not ndim or is_over(index, level) or any(_is_tensor(x) and _ndim(x) != ndim for x in others):
        return None
    sources = [_physical(x, 0, level, repeat=True) if _is_tensor(x) else x for x in others]
    return primitive(_physical(self, 0, level, repeat=True), dim + 1, index, *sources)


def _dot(primitive: Primitive, args: Sequence[Any], level: Any) -> Any:
    first, second = (_physical(each, 1, level) for each in args)
    return (first * second).sum(-1)


def _linear(primitive: Primitive, args: Sequence[Any], level: Any) -> Any:
    self, weight, bias = args
    if is_over(self, level) and not is_over(weight, level) and not is_over(bias, level):
        return primitive(self.physical, weight, bias)
    rows = max(self.array.ndim, 2)
    # A vector becomes a row even if it is not batched; the row dimension is removed at the end.
    inputs = _physical(self, rows, level, repeat=self.array.ndim == 1)
    product = inputs @ _physical(weight, rows, level).transpose(-2, -1)
    if bias is not None:
        product = product + _physical(bias, rows, level)
    return product.squeeze(-2) if self.array.ndim == 1 else product


def _max_gradient(primitive: Primitive, args: Sequence[Any], level: Any) -> Any:
    *tensors, taps, is_tiling = args
    return primitive(*[_physical(each, 0, level, repeat=True) for each in tensors], taps, is_tiling)


def _embedding(primitive: Primitive, args: Sequence[Any], level: Any) -> Any:
    weight, indices, *others = args
    return None if is_over(weight, level) else primitive(weight, indices.physical, *others)


_IN_FRONT = """
    gate hardshrink hardsigmoid hardswish hardswish_slope hardtanh is_low leaky_relu relu_gradient
    activations.slope softshrink threshold decay elu gelu_tanh log_sigmoid mish silu softplus
    softplus_slope take spread minus_inf clamp isclose where angle complex conj imag polar
    real view_as_complex view_as_real cross clone copy to_copy cumprod cumsum logcumsumexp
    places_so_far recurrence shifted cholesky eig eigh qr svd amax amin argmax argmin shares
    floored inside rounded grids.slope masked_fill split unbind unsafe_split det matrix_exp slogdet
    zeroth_power bce huber inv lu solve_matrix project standardize norm logit nan_to_num round
    max_values max_windows gather_places scatter_places frexp pow_number flip roll tril triu all any
    count_nonzero is_number logsumexp mean others prod stretch sum without_nan resample log_softmax
    log_softmax_grad softmax softmax_grad commonest kth middle order top polygamma std var
    lerp cholesky_solve solve_triangular views.unfold views.fold view unsafe_view
    gather scatter scatter_add scatter_fill
"""
RULES: dict[str, Rule] = {
    **dict.fromkeys(_IN_FRONT.split(), in_front),
    **dict.fromkeys(("slice", "select", "diagonal", "put", "overwrite"), _look),
    **dict.fromkeys(("take_at", "put_at"), _at_places),
    **dict.fromkeys(("index_select", "index_add", "index_copy", "index_fill"), _of_index),
    **dict.fromkeys(("convolution", "input_gradient", "patches.fold", "patches.unfold"), merged),
    **dict.fromkeys(("cat", "stack"), _join),
    **dict.fromkeys(("embedding", "scaled_rows"), _embedding),
    **dict.fromkeys(("pick", "unpick"), merged_rows),
    "cross_entropy": _cross_entropy,
    "sum_of_rows": lambda _, args, level: args[0].physical.sum(1),
    "matmul": aligned,
    "dot": _dot,
    "linear": _linear,
    "permute": lambda op, args, _: op(args[0].physical, (0, *_further(args[1]))),
    "expand": _expand,
    "fill": lambda op, args, level: (
        None if is_over(args[1], level) else op(args[0].physical, args[1])
    ),
    "constant_pad": lambda op, args, _: op(args[0].physical, ((0, 0), *args[1]), args[2]),
    "channel_sum": lambda _, args, __: args[0].physical.sum((1, *range(3, args[0].array.ndim + 1))),
    "max_gradient": _max_gradient,
}
