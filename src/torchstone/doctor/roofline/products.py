"""Work of products: matrix-matrix, batched, matrix-vector; and of recurrent layers."""

from __future__ import annotations

import math
from collections.abc import Callable

from torchstone.doctor.roofline.tensors import Inputs, Tensor, Unknown
from torchstone.doctor.roofline.work import Family, Work, work

Model = Callable[[Inputs], Work]


def _product(
    left: int, right: int, bias: int | None = None, *, is_transposed: bool = False
) -> Model:
    """Return the model of ``left @ right``, given the positions of the inputs."""

    def model(inputs: Inputs) -> Work:
        a, b = inputs.need(left), inputs.need(right)
        if is_transposed:
            b = Tensor(shape=b.shape[::-1], dtype=b.dtype)
        added = None if bias is None else inputs.tensor(bias)
        return _multiplied(a, b, added)

    return model


def _multiplied(a: Tensor, b: Tensor, added: Tensor | None) -> Work:
    """Return the work of ``a @ b``, with the rules of ``torch.matmul``."""
    if not a.shape or not b.shape or a.shape[-1] != b.shape[-2 if len(b.shape) > 1 else 0]:
        raise Unknown
    inner = a.shape[-1]
    columns = b.shape[-1:] if len(b.shape) > 1 else ()
    batch = _batch(a.shape[:-2], b.shape[:-2])
    output = (*batch, *a.shape[-2:-1], *columns)
    item = max(a.item, 2) if a.item == 1 else a.item
    tensors = [a, b] if added is None else [a, b, added]
    return work(
        Family.PRODUCT,
        tensors,
        output,
        dtype=a.dtype,
        flops=2 * math.prod(output) * inner,
        # Products of 8-bit types have results of 16 bits or more.
        written=math.prod(output) * item,
    )


def _batch(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    padded = (1,) * (len(longer) - len(shorter)) + shorter
    if any(x != y and 1 not in (x, y) for x, y in zip(longer, padded, strict=True)):
        raise Unknown
    return tuple(y if x == 1 else x for x, y in zip(longer, padded, strict=True))


def _dot(inputs: Inputs) -> Work:
    a, b = inputs.need(0, 1), inputs.need(1, 1)
    return _multiplied(a, b, None)


def _outer(inputs: Inputs) -> Work:
    a, b = inputs.need(0, 1), inputs.need(1, 1)
    return _multiplied_outer([a, b], a, b, 1)


def _outer_added(inputs: Inputs) -> Work:
    added, a, b = inputs.need(0, 2), inputs.need(1, 1), inputs.need(2, 1)
    return _multiplied_outer([a, b, added], a, b, 2)


def _multiplied_outer(tensors: list[Tensor], a: Tensor, b: Tensor, flops: int) -> Work:
    output = (a.shape[0], b.shape[0])
    size = math.prod(output)
    return work(
        Family.PRODUCT, tensors, output, dtype=a.dtype, flops=flops * size, written=size * a.item
    )


def _recurrent(weights: Callable[[Inputs], list[Tensor]], times: int) -> Model:
    """Return the model of a recurrent layer: each step multiplies by all of its weights."""

    def model(inputs: Inputs) -> Work:
        x = inputs.need(0)
        if len(x.shape) != 3:
            raise Unknown
        matrices = [each for each in weights(inputs) if len(each.shape) == 2]
        if not matrices:
            raise Unknown
        steps = x.shape[0] * x.shape[1]
        flops = times * 2 * steps * sum(each.numel for each in matrices)
        hidden = matrices[-1].shape[-1]
        output = (*x.shape[:2], hidden)
        written = math.prod(output) * x.item
        return work(
            Family.RECURRENT, [x, *matrices], output, dtype=x.dtype, flops=flops, written=written
        )

    return model


def _cudnn_weights(inputs: Inputs) -> list[Tensor]:
    # The weight list has no dtypes; it has the dtype of the input.
    return inputs.listed_as(1, inputs.need(0).dtype)


def _mkldnn_weights(inputs: Inputs) -> list[Tensor]:
    return [inputs.need(1), inputs.need(2)]


MODELS: dict[str, Model] = {
    "aten::mm": _product(0, 1),
    "aten::bmm": _product(0, 1),
    "aten::matmul": _product(0, 1),
    "aten::mv": _product(0, 1),
    "aten::addmm": _product(1, 2, 0),
    "aten::addmm_": _product(1, 2, 0),
    "aten::_addmm_activation": _product(1, 2, 0),
    "aten::baddbmm": _product(1, 2, 0),
    "aten::baddbmm_": _product(1, 2, 0),
    "aten::addmv": _product(1, 2, 0),
    "aten::addmv_": _product(1, 2, 0),
    "aten::dot": _dot,
    "aten::vdot": _dot,
    "aten::addr": _outer_added,
    "aten::ger": _outer,
    "aten::linear": _product(0, 1, 2, is_transposed=True),
    "aten::mkldnn_linear": _product(0, 1, 2, is_transposed=True),
    "mkldnn::_linear_pointwise": _product(0, 1, 2, is_transposed=True),
    "aten::_scaled_mm": _product(0, 1),
    "aten::_int_mm": _product(0, 1),
    "aten::_cudnn_rnn": _recurrent(_cudnn_weights, 1),
    "aten::miopen_rnn": _recurrent(_cudnn_weights, 1),
    "aten::mkldnn_rnn_layer": _recurrent(_mkldnn_weights, 1),
    "aten::mkldnn_rnn_layer_backward": _recurrent(_mkldnn_weights, 2),
}
