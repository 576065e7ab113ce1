"""Work of convolutions, forward and backward, for all libraries that PyTorch calls.

Each library has its own parameter order; without parameters in the trace (``Concrete Inputs``,
torch 2.1 and later) the output size is unknown, and so is the work.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from torchstone.doctor.roofline.tensors import Inputs, Tensor, Unknown
from torchstone.doctor.roofline.work import Family, Work, work

Model = Callable[[Inputs], Work]


def _forward(
    stride: int,
    padding: int,
    dilation: int | None,
    *,
    bias: int | None = None,
    transposed: int | bool = False,
    output_padding: int | None = None,
) -> Model:
    """Return the model of a convolution, given the positions of its parameters.

    ``transposed`` is the position of the flag, or its value; the groups follow from the weight.
    """

    def model(inputs: Inputs) -> Work:
        x, weight = inputs.need(0), inputs.need(1)
        is_transposed = transposed if isinstance(transposed, bool) else inputs.flags(transposed)[0]
        num_dims = len(weight.shape) - 2
        if num_dims < 1 or len(x.shape) not in (num_dims + 1, num_dims + 2):
            raise Unknown
        # An unbatched image is a batch of one.
        batch = x.shape[0] if len(x.shape) == num_dims + 2 else 1
        sizes, kernel = x.shape[-num_dims:], weight.shape[2:]
        steps, pads = _each(inputs, stride, num_dims), _pads(inputs, padding, kernel)
        gaps = _each(inputs, dilation, num_dims) if dilation is not None else (1,) * num_dims
        reach = [gap * (size - 1) for gap, size in zip(gaps, kernel, strict=True)]
        if min(steps) < 1:
            raise Unknown
        if is_transposed:
            more = _each(inputs, output_padding, num_dims) if output_padding is not None else None
            output = tuple(
                (size - 1) * step - 2 * pad + far + 1 + (more[at] if more else 0)
                for at, (size, step, pad, far) in enumerate(
                    zip(sizes, steps, pads, reach, strict=True)
                )
            )
            if not weight.shape[0]:
                raise Unknown
            channels = weight.shape[1] * max(1, x.shape[-num_dims - 1] // weight.shape[0])
        else:
            output = tuple(
                (size + 2 * pad - far - 1) // step + 1
                for size, step, pad, far in zip(sizes, steps, pads, reach, strict=True)
            )
            channels = weight.shape[0]
        if min(output) < 0:
            raise Unknown
        places = math.prod(sizes if is_transposed else output)
        whole = (batch, channels, *output)
        added = None if bias is None else inputs.tensor(bias)
        return work(
            Family.CONVOLUTION,
            [x, weight] if added is None else [x, weight, added],
            whole,
            dtype=x.dtype,
            flops=2 * batch * places * weight.numel,
            written=math.prod(whole) * x.item,
        )

    return model


def _each(inputs: Inputs, at: int, num_dims: int) -> tuple[int, ...]:
    """Return a parameter for each dimension; a single number applies to all."""
    found = inputs.numbers(at)
    if len(found) == 1:
        return found * num_dims
    if len(found) != num_dims:
        raise Unknown
    return found


def _pads(inputs: Inputs, at: int, kernel: tuple[int, ...]) -> tuple[int, ...]:
    return _each(inputs, at, len(kernel))


def _backward(grad: int, x: int, weight: int, mask: int, transposed: int | bool) -> Model:
    """Return the model of a backward pass: each gradient costs as much as the forward pass."""

    def model(inputs: Inputs) -> Work:
        of_output, of_input, of_weight = inputs.need(grad), inputs.need(x), inputs.need(weight)
        is_transposed = transposed if isinstance(transposed, bool) else inputs.flags(transposed)[0]
        wanted = inputs.flags(mask)
        num_dims = len(of_weight.shape) - 2
        if num_dims < 1 or len(of_output.shape) != num_dims + 2 or len(wanted) < 2:
            raise Unknown
        around = of_input if is_transposed else of_output
        places = math.prod(around.shape[2:]) * of_output.shape[0]
        num_products = wanted[0] + wanted[1]
        return work(
            Family.CONVOLUTION,
            [of_output, of_input, of_weight],
            of_input.shape,
            dtype=of_input.dtype,
            flops=2 * places * of_weight.numel * num_products,
            read=_read(of_output, of_input, of_weight, wanted),
            written=wanted[0] * of_input.whole_bytes + wanted[1] * of_weight.whole_bytes,
        )

    return model


def _read(grad: Tensor, x: Tensor, weight: Tensor, wanted: tuple[bool, ...]) -> int:
    # The gradient of the input reads the weight; that of the weight reads the input.
    return grad.num_bytes + wanted[0] * weight.num_bytes + wanted[1] * x.num_bytes


_PLAIN = _forward(3, 4, 5, bias=2)
_TRANSPOSED = _forward(3, 4, 7, bias=2, transposed=True, output_padding=5)
_GENERAL = _forward(3, 4, 5, bias=2, transposed=6, output_padding=7)
_DEPTHWISE = _forward(4, 5, 6, bias=3)
_SLOW = _forward(4, 5, None, bias=3)

MODELS: dict[str, Model] = {
    **{f"aten::conv{n}d": _PLAIN for n in (1, 2, 3)},
    **{f"aten::conv_transpose{n}d": _TRANSPOSED for n in (1, 2, 3)},
    "aten::convolution": _GENERAL,
    "aten::_convolution": _GENERAL,
    "aten::convolution_overrideable": _GENERAL,
    "aten::cudnn_convolution": _forward(3, 2, 4),
    "aten::cudnn_convolution_relu": _forward(3, 4, 5, bias=2),
    "aten::cudnn_convolution_add_relu": _forward(5, 6, 7, bias=4),
    "aten::cudnn_convolution_transpose": _forward(4, 2, 5, transposed=True, output_padding=3),
    "aten::miopen_convolution": _forward(4, 3, 5, bias=2),
    "aten::miopen_depthwise_convolution": _forward(4, 3, 5, bias=2),
    "aten::miopen_convolution_transpose": _forward(
        5, 3, 6, bias=2, transposed=True, output_padding=4
    ),
    "aten::mkldnn_convolution": _forward(4, 3, 5, bias=2),
    "mkldnn::_convolution_pointwise": _forward(4, 3, 5, bias=2),
    "aten::_conv_depthwise2d": _DEPTHWISE,
    "aten::conv_depthwise3d": _DEPTHWISE,
    "aten::slow_conv_dilated2d": _DEPTHWISE,
    "aten::slow_conv_dilated3d": _DEPTHWISE,
    "aten::thnn_conv2d": _SLOW,
    "aten::_slow_conv2d_forward": _SLOW,
    "aten::slow_conv3d_forward": _SLOW,
    "aten::convolution_backward": _backward(0, 1, 2, 10, 7),
    "aten::convolution_backward_overrideable": _backward(0, 1, 2, 9, 6),
    "aten::cudnn_convolution_backward": _backward(1, 0, 2, 9, False),
}
