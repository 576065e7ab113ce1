"""Operators on each element: arithmetic, activations and their gradients, copies, fills, casts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from torchstone.doctor.roofline.tensors import (
    ITEM_BYTES,
    Inputs,
    Tensor,
    Unknown,
    broadcast,
    promoted,
)
from torchstone.doctor.roofline.work import Family, Work, work

Model = Callable[[Inputs], Work]

# Operations for an element: exponentials and the like take about ten of a vector unit.
_CHEAP, _DEAR = 1, 10


def _elementwise(arity: int, flops: int, *, is_truth: bool = False) -> Model:
    """Return the model of an operator whose first ``arity`` inputs may be tensors.

    What follows them is where a result goes (``out=``), which is written and not read.
    """

    def model(inputs: Inputs) -> Work:
        tensors = [found for at, found in inputs.tensors.items() if at < arity]
        output, dtype = broadcast(tensors), promoted(tensors)
        return _made(tensors, output, dtype, flops, "bool" if is_truth else dtype)

    return model


def _made(
    tensors: Sequence[Tensor], output: tuple[int, ...], dtype: str, flops: int, made: str
) -> Work:
    size = math.prod(output)
    return work(
        Family.POINTWISE,
        tensors,
        output,
        dtype=dtype,
        flops=flops * size,
        written=size * ITEM_BYTES[made],
    )


def _divided(inputs: Inputs) -> Work:
    """Return the work of a quotient: integers have one of float32."""
    tensors = [found for at, found in inputs.tensors.items() if at < 2]
    output, dtype = broadcast(tensors), promoted(tensors)
    made = dtype if any(each.is_float for each in tensors) else "float"
    return _made(tensors, output, dtype, _CHEAP, made)


def _within(arity: int, flops: int) -> Model:
    """Return the model of an operator that writes its first input, and reads it."""

    def model(inputs: Inputs) -> Work:
        first = inputs.need(0)
        tensors = [found for at, found in inputs.tensors.items() if at < arity]
        return _made(tensors, first.shape, first.dtype, flops, first.dtype)

    return model


def _copied(inputs: Inputs) -> Work:
    """Return the work of ``copy_``: the first input is written, the second read."""
    to, source = inputs.need(0), inputs.need(1)
    return work(
        Family.COPY,
        [to, source],
        to.shape,
        dtype=to.dtype,
        flops=0,
        read=source.num_bytes,
        written=to.whole_bytes,
    )


def _moved(inputs: Inputs) -> Work:
    """Return the work of a copy in another order."""
    x = inputs.need(0)
    return work(Family.COPY, [x], x.shape, dtype=x.dtype, flops=0, written=x.whole_bytes)


def _filled(family: Family, flops: int) -> Model:
    """Return the model of an operator that writes its first input without reading it."""

    def model(inputs: Inputs) -> Work:
        to = inputs.need(0)
        return work(
            family,
            [to],
            to.shape,
            dtype=to.dtype,
            flops=flops * to.numel,
            read=0,
            written=to.num_bytes,
        )

    return model


def _dropped(inputs: Inputs) -> Work:
    """Return the work of dropout, which keeps a truth value for each element."""
    x = inputs.need(0)
    written = x.whole_bytes + x.numel
    return work(Family.RANDOM, [x], x.shape, dtype=x.dtype, flops=_DEAR * x.numel, written=written)


def _compiled(inputs: Inputs) -> Work:
    """Return the work of a kernel that ``torch.compile`` has made of operators on elements.

    Its inputs are all that it reads and writes, each of them once; how much it computes is not
    known, so that one operation counts for each element of the largest.
    """
    found = list(inputs.tensors.values())
    if not found:
        raise Unknown
    most = max(found, key=lambda each: each.numel)
    return work(Family.COMPILED, found, most.shape, dtype=most.dtype, flops=most.numel, written=0)


_CHEAP_UNARY = "abs neg relu ceil floor round sign bitwise_not logical_not square reciprocal"
_DEAR_UNARY = (
    "exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan tanh sigmoid erf erfc gelu silu "
    "mish softplus elu log_sigmoid logit atan asin acos sinh cosh"
)
_CHEAP_OTHERS = {
    **dict.fromkeys("hardtanh hardswish hardsigmoid leaky_relu threshold nan_to_num".split(), 1),
    **dict.fromkeys("clamp_min clamp_max add sub mul rsub maximum minimum fmod".split(), 2),
    **dict.fromkeys("remainder bitwise_and bitwise_or bitwise_xor prelu masked_fill".split(), 2),
    **dict.fromkeys("addcmul addcdiv lerp where clamp".split(), 3),
    **dict.fromkeys("tril triu".split(), 1),
}
_DEAR_OTHERS = {"pow": 2, "atan2": 2, "xlogy": 2}
_TRUTHS = {
    **dict.fromkeys("eq ne lt le gt ge logical_and logical_or logical_xor isin".split(), 2),
    **dict.fromkeys("isnan isinf isfinite".split(), 1),
}
_CHEAP_BACKWARD = (
    "threshold_backward hardtanh_backward leaky_relu_backward hardswish_backward "
    "hardsigmoid_backward native_dropout_backward sigmoid_backward tanh_backward"
)
_DEAR_BACKWARD = "gelu_backward silu_backward softplus_backward mish_backward log_sigmoid_backward"
_FILLS = {"fill_": Family.FILL, "zero_": Family.FILL}
_RANDOM = "normal_ uniform_ random_ exponential_ bernoulli_ geometric_ log_normal_"
_MOVES = "flip roll"


def _both(name: str, arity: int, flops: int) -> dict[str, Model]:
    return {
        f"aten::{name}": _elementwise(arity, flops),
        f"aten::{name}_": _within(arity, flops),
    }


def _all() -> dict[str, Model]:
    found: dict[str, Model] = {}
    for name in _CHEAP_UNARY.split():
        found |= _both(name, 1, _CHEAP)
    for name in _DEAR_UNARY.split():
        found |= _both(name, 1, _DEAR)
    for name, arity in _CHEAP_OTHERS.items():
        found |= _both(name, arity, _CHEAP)
    for name, arity in _DEAR_OTHERS.items():
        found |= _both(name, arity, _DEAR)
    for name, arity in _TRUTHS.items():
        found[f"aten::{name}"] = _elementwise(arity, _CHEAP, is_truth=True)
    for names, flops in ((_CHEAP_BACKWARD, _CHEAP), (_DEAR_BACKWARD, _DEAR)):
        found |= {f"aten::{name}": _elementwise(2, flops) for name in names.split()}
    found["aten::elu_backward"] = _elementwise(6, _DEAR)
    found |= {"aten::div": _divided, "aten::true_divide": _divided, "aten::div_": _within(2, 1)}
    found |= {f"aten::{name}": _filled(family, 0) for name, family in _FILLS.items()}
    found |= {f"aten::{name}": _filled(Family.RANDOM, _DEAR) for name in _RANDOM.split()}
    found |= {f"aten::{name}": _moved for name in _MOVES.split()}
    found |= {"aten::copy_": _copied, "aten::native_dropout": _dropped}
    found["aten::_fused_dropout"] = _dropped
    return found


MODELS: dict[str, Model] = _all()
COMPILED: Model = _compiled
