"""Convolution: conv1d to conv3d and conv_transpose1d to conv_transpose3d.

There are three primitives: the convolution is bilinear in input and weight, so its two gradients
are bilinear as well, and the three are each other's derivatives.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from torchstone.microtorch.ops.correlation import (
    Geometry,
    Sizes,
    correlate,
    input_gradient,
    weight_gradient,
)
from torchstone.microtorch.ops.matmul import conjugate
from torchstone.microtorch.ops.namespace import named, op
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.reductions import expect
from torchstone.microtorch.tensor import Array, Tensor

Steps = int | Sequence[int]


def _to_input(grad: Tensor, input_shape: Sizes, weight: Tensor, geometry: Geometry) -> Tensor:
    return _input_gradient(grad, conjugate(weight), input_shape[2:], geometry)


def _to_weight(grad: Tensor, input: Tensor, weight_shape: Sizes, geometry: Geometry) -> Tensor:
    return _weight_gradient(grad, conjugate(input), weight_shape[2:], geometry)


def _to_every_place(grad: Tensor, self_shape: Sizes) -> Tensor:
    return grad.reshape((1, -1) + (1,) * (len(self_shape) - 2)).expand(self_shape)


@primitive(self=_to_every_place)
def _channel_sum(self: Array) -> Array:
    rows = np.moveaxis(self, 1, -1)
    if self.dtype.kind != "f" or not rows.flags.c_contiguous:
        total: Array = np.add.reduce(self, (0, *range(2, self.ndim)))
        return total
    # A product with ones is faster than a reduction over many short rows.
    flat = rows.reshape(math.prod(rows.shape[:-1]), rows.shape[-1])
    total = np.dot(np.ones(len(flat), np.promote_types(self.dtype, np.float32)), flat)
    return total.astype(self.dtype, copy=False)


@primitive(input=_to_input, weight=_to_weight, bias=lambda grad: _channel_sum(grad))
def _convolution(input: Array, weight: Array, bias: Array | None, geometry: Geometry) -> Array:
    return correlate(input, weight, bias, geometry)


def _input_to_weight(
    grad: Tensor, grad_output: Tensor, weight_shape: Sizes, geometry: Geometry
) -> Tensor:
    return _weight_gradient(conjugate(grad_output), grad, weight_shape[2:], geometry)


@primitive(
    grad_output=lambda grad, weight, geometry: _convolution(
        grad, conjugate(weight), None, geometry
    ),
    weight=_input_to_weight,
)
def _input_gradient(grad_output: Array, weight: Array, spatial: Sizes, geometry: Geometry) -> Array:
    return input_gradient(grad_output, weight, spatial, geometry)


@primitive(
    grad_output=lambda grad, input, geometry: _convolution(conjugate(input), grad, None, geometry),
    input=lambda grad, grad_output, input_shape, geometry: _input_gradient(
        conjugate(grad_output), grad, input_shape[2:], geometry
    ),
)
def _weight_gradient(grad_output: Array, input: Array, kernel: Sizes, geometry: Geometry) -> Array:
    return weight_gradient(grad_output, input, kernel, geometry)


def _steps(value: Steps, count: int, what: str, *, at_least: int = 0) -> Sizes:
    """Expand a number to all dimensions, or check a sequence of them."""
    numbers = (value,) if isinstance(value, int) else tuple(int(each) for each in value)
    if len(numbers) not in (1, count):
        raise RuntimeError(
            f"expected {what} to be a single integer value or a list of {count} values to match "
            f"the convolution dimensions, but got {what}={list(numbers)}"
        )
    if min(numbers) < at_least:
        kind = "non-positive" if at_least else "negative"
        hint = "; dilation should be greater than zero" if what == "dilation" else ""
        raise RuntimeError(f"{kind} {what} is not supported{hint}")
    return numbers * count if len(numbers) == 1 else numbers


def _same(kernel: Sizes, stride: Sizes, dilation: Sizes) -> tuple[Sizes, Sizes]:
    """Return padding for which output and input have equal size; an odd element goes at the end."""
    if max(stride) != 1:
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    total = [d * (k - 1) for d, k in zip(dilation, kernel, strict=True)]
    return tuple(each // 2 for each in total), tuple(each - each // 2 for each in total)


def _padding(
    padding: Steps | str, kernel: Sizes, stride: Sizes, dilation: Sizes
) -> tuple[Sizes, Sizes]:
    if padding == "same":
        return _same(kernel, stride, dilation)
    if isinstance(padding, str):
        if padding != "valid":
            raise RuntimeError(f"Invalid padding string: '{padding}'")
        padding = 0
    both = _steps(padding, len(kernel), "padding")
    return both, both


def _check_types(name: str, input: Any, weight: Any, bias: Any) -> None:
    for what, each in (("input", input), ("weight", weight), ("bias", bias)):
        if not isinstance(each, Tensor) and not (what == "bias" and each is None):
            raise TypeError(f"{name}(): argument '{what}' must be Tensor, not "
                            f"{type(each).__name__}")  # fmt: skip
    expect("slow_conv2d_cpu", input, "fciu")
    if bias is not None and bias.array.dtype != input.array.dtype:
        raise RuntimeError(
            f"Input type ({input.dtype.c_name}) and bias type ({bias.dtype.c_name}) should be the "
            "same"
        )
    if weight.array.dtype != input.array.dtype:
        raise RuntimeError(
            f"expected scalar type {input.dtype.title} but found {weight.dtype.title}"
        )


def _check_shapes(
    input: Sizes, weight: Sizes, bias: Tensor | None, groups: int, transposed: bool
) -> None:
    """Raise PyTorch's error for a weight that does not match the input."""
    given = f"Given {'transposed' if transposed else 'groups'}={1 if transposed else groups}"
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if 0 in weight[2:]:
        raise RuntimeError(f"kernel size should be greater than zero, but got {list(weight[2:])}")
    if weight[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but "
            f"got weight of size {list(weight)} instead"
        )
    if weight[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, "
            f"but got weight of size {list(weight)} instead"
        )
    wanted = weight[0] if transposed else weight[1] * groups
    if input[1] != wanted:
        raise RuntimeError(
            f"{given}, weight of size {list(weight)}, expected input{list(input)} to have {wanted} "
            f"channels, but got {input[1]} channels instead"
        )
    outputs = weight[1] * groups if transposed else weight[0]
    if bias is not None and bias.array.shape != (outputs,):
        raise RuntimeError(
            f"Given weight of size {list(weight)}, expected bias to be 1-dimensional with "
            f"{outputs} elements, but got bias of size {list(bias.shape)} instead"
        )


def _check_kernel(input: Sizes, kernel: Sizes, geometry: Geometry) -> None:
    padded = [s + a + b for s, a, b in zip(input, geometry.before, geometry.after, strict=True)]
    reach = geometry.reach(kernel)
    if any(size < wanted for size, wanted in zip(padded, reach, strict=True)):
        sizes = " x ".join(map(str, padded)), " x ".join(map(str, reach))
        raise RuntimeError(
            f"Calculated padded input size per channel: ({sizes[0]}). Kernel size: ({sizes[1]}). "
            "Kernel size can't be greater than actual input size"
        )


def _batched(
    name: str, input: Tensor, weight: Tensor, bias: Tensor | None, ndim: int
) -> tuple[Tensor, Sizes]:
    """Add a batch dimension if there is none; return the batch and the kernel size."""
    _check_types(name, input, weight, bias)
    if weight.array.ndim < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if input.array.ndim not in (ndim + 1, ndim + 2) or weight.array.ndim != ndim + 2:
        raise RuntimeError(
            f"Expected {ndim + 1}D (unbatched) or {ndim + 2}D (batched) input to {name}, but got "
            f"input of size: {list(input.shape)} and weight of size: {list(weight.shape)}"
        )
    batch = input.unsqueeze(0) if input.array.ndim == ndim + 1 else input
    return batch, weight.array.shape[2:]


def _convolving(ndim: int) -> Callable[..., Tensor]:
    def convolve(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Steps = 1,
        padding: Steps | str = 0,
        dilation: Steps = 1,
        groups: int = 1,
    ) -> Tensor:
        """Compute a convolution (cross-correlation).

        Shapes:
            input: ([N,] C, *spatial), weight: (O, C / groups, *kernel), bias: (O,)
            -> ([N,] O, *output).
        """
        batch, kernel = _batched(f"conv{ndim}d", input, weight, bias, ndim)
        steps = _steps(stride, ndim, "stride", at_least=1)
        spread = _steps(dilation, ndim, "dilation", at_least=1)
        before, after = _padding(padding, kernel, steps, spread)
        _check_shapes(batch.array.shape, weight.array.shape, bias, groups, False)
        geometry = Geometry(
            stride=steps, before=before, after=after, dilation=spread, groups=groups
        )
        _check_kernel(batch.array.shape[2:], kernel, geometry)
        result: Tensor = _convolution(batch, weight, bias, geometry)
        return result if batch is input else result.squeeze(0)

    return op("torch", "nn.functional")(named(convolve, f"conv{ndim}d"))


def _transposing(ndim: int) -> Callable[..., Tensor]:
    def convolve_transposed(
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
        stride: Steps = 1,
        padding: Steps = 0,
        output_padding: Steps = 0,
        groups: int = 1,
        dilation: Steps = 1,
    ) -> Tensor:
        """Compute a transposed convolution, the input gradient of a convolution.

        Shapes:
            input: ([N,] C, *spatial), weight: (C, O / groups, *kernel), bias: (O,)
            -> ([N,] O, *output).
        """
        batch, kernel = _batched(f"conv_transpose{ndim}d", input, weight, bias, ndim)
        steps = _steps(stride, ndim, "stride", at_least=1)
        spread = _steps(dilation, ndim, "dilation", at_least=1)
        both = _steps(padding, ndim, "padding")
        extra = _steps(output_padding, ndim, "output_padding")
        _check_shapes(batch.array.shape, weight.array.shape, bias, groups, True)
        spatial = _transposed_size(batch.array.shape[2:], kernel, steps, both, spread, extra)
        # The forward geometry ignores elements added at the end, so its padding may be asymmetric.
        after = tuple(low - more for low, more in zip(both, extra, strict=True))
        geometry = Geometry(stride=steps, before=both, after=after, dilation=spread, groups=groups)
        result: Tensor = _input_gradient(batch, weight, spatial, geometry)
        if bias is not None:
            result = result + bias.reshape((1, -1) + (1,) * ndim)
        return result if batch is input else result.squeeze(0)

    return op("torch", "nn.functional")(named(convolve_transposed, f"conv_transpose{ndim}d"))


def _transposed_size(
    sizes: Sizes, kernel: Sizes, steps: Sizes, both: Sizes, spread: Sizes, extra: Sizes
) -> Sizes:
    if any(e >= max(s, d) for e, s, d in zip(extra, steps, spread, strict=True)):
        raise RuntimeError(
            "output padding must be smaller than either stride or dilation, but got "
            f"output_padding: {list(extra)} stride: {list(steps)} dilation: {list(spread)}"
        )
    spatial = tuple(
        (size - 1) * steps[d] - 2 * both[d] + spread[d] * (kernel[d] - 1) + extra[d] + 1
        for d, size in enumerate(sizes)
    )
    if min(spatial) <= 0:
        raise RuntimeError(
            f"Given input size per channel: {list(sizes)}. Calculated output size per channel: "
            f"{list(spatial)}. Output size is too small"
        )
    return spatial


_PLAIN = {ndim: _convolving(ndim) for ndim in (1, 2, 3)}
_TRANSPOSED = {ndim: _transposing(ndim) for ndim in (1, 2, 3)}


@op(method=False)
def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Steps,
    padding: Steps,
    dilation: Steps,
    transposed: bool,
    output_padding: Steps,
    groups: int,
) -> Tensor:
    """Compute a convolution, or a transposed one, with the dimensions of the weight."""
    ndim = min(max(weight.array.ndim - 2, 1), 3)
    if transposed:
        return _TRANSPOSED[ndim](
            input, weight, bias, stride, padding, output_padding, groups, dilation
        )
    return _PLAIN[ndim](input, weight, bias, stride, padding, dilation, groups)
