"""Work of norms, softmax and losses: each element is read and written at least once.

A second read of the input, after the statistics, is not compulsory traffic.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from torchstone.doctor.roofline.tensors import Inputs, Tensor, Unknown
from torchstone.doctor.roofline.work import Family, Work, work

Model = Callable[[Inputs], Work]

# Operations per element: mean and variance, then scale and shift; backward needs two more sums.
_NORM, _NORM_BACKWARD, _SOFTMAX, _SOFTMAX_BACKWARD = 8, 12, 12, 4


def _norm(x: int = 0, *, arguments: int = 5) -> Model:
    """Return the model of a norm whose output has the size of its input."""

    def model(inputs: Inputs) -> Work:
        main = inputs.need(x)
        read = [found for at, found in inputs.tensors.items() if x <= at < arguments]
        written = main.whole_bytes
        return work(
            Family.NORM,
            read,
            main.shape,
            dtype=main.dtype,
            flops=_NORM * main.numel,
            written=written,
        )

    return model


def _norm_backward(x: int, mask: int | None = None) -> Model:
    def model(inputs: Inputs) -> Work:
        main = inputs.need(x)
        read = list(inputs.tensors.values())
        return work(
            Family.NORM,
            read,
            main.shape,
            dtype=main.dtype,
            flops=_NORM_BACKWARD * main.numel,
            # The gradients of scale and shift are comparatively small.
            written=main.whole_bytes if mask is None or _is_first(inputs, mask) else 0,
        )

    return model


def _is_first(inputs: Inputs, mask: int) -> bool:
    try:
        return inputs.flags(mask)[0]
    except Unknown:
        return True


def _added_norm(inputs: Inputs) -> Work:
    """Return the work of vLLM's norm with a residual: it writes sum and result."""
    x, residual, weight = inputs.need(0), inputs.need(1), inputs.need(2)
    return work(
        Family.NORM,
        [x, residual, weight],
        x.shape,
        dtype=x.dtype,
        flops=_NORM * x.numel,
        written=x.whole_bytes + residual.whole_bytes,
    )


def _softmax(flops: int, num_read: int) -> Model:
    """Return the model of a softmax; forward may convert half precision to float32."""

    def model(inputs: Inputs) -> Work:
        read = [inputs.need(at) for at in range(num_read)]
        x, item = read[0], read[0].item
        if num_read == 1 and _is_true(inputs, 2):
            item = 4
        return work(
            Family.SOFTMAX,
            read,
            x.shape,
            dtype=x.dtype,
            flops=flops * x.numel,
            written=x.numel * item,
        )

    return model


def _is_true(inputs: Inputs, at: int) -> bool:
    try:
        return inputs.flags(at)[0]
    except Unknown:
        return False


def _picked(inputs: Inputs) -> Work:
    """Return the work of ``nll_loss``: one element per row is read."""
    x, target = inputs.need(0), inputs.need(1)
    read = target.whole_bytes + target.numel * x.item
    return _loss([x, target], (), x.dtype, target.numel, read, target.numel * x.item)


def _picked_backward(inputs: Inputs) -> Work:
    """Return the work of its gradient, which has the size of the input."""
    x, target = inputs.need(1), inputs.need(2)
    return _loss([x, target], x.shape, x.dtype, x.numel, target.whole_bytes, x.whole_bytes)


def _compared(inputs: Inputs) -> Work:
    """Return the work of an elementwise loss; mostly reduced to a scalar."""
    x, target = inputs.need(0), inputs.need(1)
    read = x.num_bytes + target.num_bytes
    return _loss([x, target], (), x.dtype, 3 * x.numel, read, 0)


def _compared_backward(inputs: Inputs) -> Work:
    grad, x, target = inputs.need(0), inputs.need(1), inputs.need(2)
    read = grad.num_bytes + x.num_bytes + target.num_bytes
    return _loss([x, target], x.shape, x.dtype, 3 * x.numel, read, x.whole_bytes)


def _loss(
    tensors: list[Tensor], output: tuple[int, ...], dtype: str, flops: int, read: int, written: int
) -> Work:
    return work(Family.LOSS, tensors, output, dtype=dtype, flops=flops, read=read, written=written)


def _gated(inputs: Inputs) -> Work:
    """Return the work of vLLM's gated activation: one half of the input times f(other half)."""
    output, x = inputs.need(0), inputs.need(1)
    return work(
        Family.POINTWISE,
        [x],
        output.shape,
        dtype=x.dtype,
        flops=11 * output.numel,
        written=math.prod(output.shape) * output.item,
    )


MODELS: dict[str, Model] = {
    "aten::native_layer_norm": _norm(),
    "aten::native_group_norm": _norm(arguments=3),
    "aten::native_batch_norm": _norm(),
    "aten::_native_batch_norm_legit": _norm(),
    "aten::_batch_norm_with_update": _norm(),
    "aten::_batch_norm_no_update": _norm(),
    "aten::cudnn_batch_norm": _norm(),
    "aten::miopen_batch_norm": _norm(),
    "aten::_fused_rms_norm": _norm(arguments=3),
    "aten::native_layer_norm_backward": _norm_backward(1, 7),
    "aten::native_group_norm_backward": _norm_backward(1, 9),
    "aten::native_batch_norm_backward": _norm_backward(1, 9),
    "aten::batch_norm_backward": _norm_backward(1, 9),
    "aten::cudnn_batch_norm_backward": _norm_backward(0),
    "aten::miopen_batch_norm_backward": _norm_backward(0),
    "aten::_fused_rms_norm_backward": _norm_backward(1, 5),
    "_C::rms_norm": _norm(1, arguments=3),
    "_C::fused_add_rms_norm": _added_norm,
    "_C::silu_and_mul": _gated,
    "_C::gelu_and_mul": _gated,
    "_C::gelu_tanh_and_mul": _gated,
    "aten::_softmax": _softmax(_SOFTMAX, 1),
    "aten::_log_softmax": _softmax(_SOFTMAX, 1),
    "aten::_softmax_backward_data": _softmax(_SOFTMAX_BACKWARD, 2),
    "aten::_log_softmax_backward_data": _softmax(_SOFTMAX_BACKWARD, 2),
    "aten::nll_loss_forward": _picked,
    "aten::nll_loss2d_forward": _picked,
    "aten::nll_loss_backward": _picked_backward,
    "aten::nll_loss2d_backward": _picked_backward,
    **{
        f"aten::{name}": model
        for loss in ("mse_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy")
        for name, model in ((loss, _compared), (f"{loss}_backward", _compared_backward))
    },
}
