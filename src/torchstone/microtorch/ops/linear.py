"""Linear layers as functions: linear, bilinear, linear_cross_entropy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from torchstone.microtorch.grad_mode import state
from torchstone.microtorch.ops.cross_entropy import cross_entropy
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.rounded import rounded_once
from torchstone.microtorch.tensor import Array, Tensor, wrap


def _rows(tensor: Tensor) -> Any:
    """Reshape a tensor to a matrix: all dimensions but the last are merged."""
    shape = tensor.array.shape
    return tensor if len(shape) == 2 else tensor.reshape((math.prod(shape[:-1]), shape[-1]))


# BLAS sums columns faster than a reduction.
@primitive(self=lambda grad, self_shape: grad.expand(self_shape))
def _sum_of_rows(self: Array) -> Array:
    return np.dot(np.ones(len(self), self.dtype), self)


# Fast path for training: without recording, these gradients call BLAS directly.


def _input_rule(grad: Tensor, self_shape: Any, weight: Tensor) -> Any:
    rows = _rows(grad)
    if not state.enabled and not state.levels:
        return wrap(np.dot(rows.array, weight.array).reshape(self_shape))
    return rows.matmul(weight).reshape(self_shape)


def _weight_rule(grad: Tensor, self: Tensor) -> Any:
    rows, inputs = _rows(grad), _rows(self)
    if not state.enabled and not state.levels:
        return wrap(np.dot(rows.array.T, inputs.array))
    return rows.transpose(0, 1).matmul(inputs)


@primitive(self=_input_rule, weight=_weight_rule, bias=lambda grad: _sum_of_rows(_rows(grad)))
def _linear(self: Array, weight: Array, bias: Array | None) -> Any:
    batch = self.shape[:-1]
    # A single matrix product; otherwise NumPy would multiply row by row.
    out = np.dot(self.reshape(math.prod(batch), self.shape[-1]), weight.T)
    if bias is not None:
        out += bias
    return out if len(batch) == 1 else out.reshape(*batch, weight.shape[0])


# PyTorch's name of the node, which printed tensors show.
_linear.node.__name__ = "AddmmBackward0"


@op("nn.functional")
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Compute ``input @ weight.T + bias``.

    Shapes:
        input: (*batch, in_features); weight: (out_features, in_features) or (in_features,);
        bias: (out_features,) or () -> (*batch, out_features) or (*batch,)
    """
    x, w = input.array, weight.array
    is_row = bias is None or bias.array.ndim < 2
    if w.ndim == 1 or (w.ndim and not (is_row and w.dtype.char in "efd")):
        product = input.matmul(weight if w.ndim == 1 else weight.transpose(0, 1))
        return product if bias is None else product + bias
    if not x.ndim or w.ndim != 2 or x.shape[-1] != w.shape[-1]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({_size(x)} and {_size(w.T)})"
        )
    if x.dtype != w.dtype:
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {input.dtype.c_name} != "
            f"{weight.dtype.c_name}"
            if bias is None
            else f"mat1 and mat2 must have the same dtype, but got {input.dtype.title} and "
            f"{weight.dtype.title}"
        )
    if bias is not None and bias.array.dtype != x.dtype:
        raise RuntimeError(
            f"self and mat2 must have the same dtype, but got {bias.dtype.title} and "
            f"{input.dtype.title}"
        )
    if bias is not None and bias.array.shape not in ((w.shape[0],), (1,), ()):
        raise RuntimeError(
            f"The size of the bias {list(bias.shape)} must match the number of outputs {w.shape[0]}"
        )
    return _linear(input, weight, bias)


def _size(array: Array) -> str:
    rows = math.prod(array.shape[:-1])
    return f"{rows}x{array.shape[-1] if array.ndim else 1}"


@op("torch", "nn.functional")
@rounded_once
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Compute ``input1 @ weight[o] @ input2 + bias[o]`` for each output ``o``.

    Shapes:
        input1: (*batch, in1); input2: (*batch, in2); weight: (out, in1, in2) -> (*batch, out)
    """
    given = {"input1": input1, "input2": input2, "weight": weight, "bias": bias}
    types = {name: each.dtype for name, each in given.items() if each is not None}
    if len(set(types.values())) > 1:
        found = ", ".join(f"{name}: {dtype.c_name}" for name, dtype in types.items())
        raise RuntimeError(f"All tensors must have the same dtype, got {found}")
    batch = input1.array.shape[:-1]
    out_features, in1, in2 = weight.array.shape
    if input1.array.ndim != input2.array.ndim or batch != input2.array.shape[:-1]:
        raise RuntimeError(
            "bilinear(): input dimensions do not match: got "
            f"{list(input1.shape)} and {list(input2.shape)}"
        )
    if (input1.array.shape[-1], input2.array.shape[-1]) != (in1, in2):
        raise RuntimeError(
            f"bilinear(): input sizes {input1.array.shape[-1]} and {input2.array.shape[-1]} do not "
            f"match weight of shape {list(weight.shape)}"
        )
    if bias is not None and bias.array.shape != (out_features,):
        raise RuntimeError(
            f"bilinear(): bias size {list(bias.shape)} does not match weight size {out_features}"
        )
    # (rows, in1) @ (in1, out * in2), then a sum over in2.
    columns = weight.permute(1, 0, 2).reshape((in1, out_features * in2))
    halfway = _rows(input1).matmul(columns).reshape((-1, out_features, in2))
    result = (halfway * _rows(input2).unsqueeze(1)).sum(2).reshape((*batch, out_features))
    return result if bias is None else result + bias


@op("nn.functional")
def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Tensor:
    """Compute the cross entropy of the logits of a linear layer.

    Shapes:
        input: (batch, in_features) or (in_features,)
        linear_weight: (num_classes, *any, in_features); linear_bias: (num_classes, *any)
    """
    shape = linear_weight.array.shape
    if input.array.ndim not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.array.ndim}")
    if len(shape) < 2:
        raise RuntimeError(
            f"expected linear_weight with dimensionality at least 2, got {len(shape)}"
        )
    if input.array.shape[-1] != shape[-1]:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), got "
            f"{input.array.shape[-1]} and {shape[-1]}, respectively"
        )
    if linear_bias is not None and linear_bias.array.shape != shape[:-1]:
        raise RuntimeError(
            f"expected linear_bias shape {shape[:-1]}, got {tuple(linear_bias.shape)}"
        )
    batch = input.array.shape[:-1]
    if len(shape) > 2 and not batch:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {shape} requires batched input, "
            f"(N, {shape[-1]}), got unbatched input with shape {tuple(input.shape)}"
        )
    if target.array.shape == (*batch, *shape[:-1]) and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    bias = None if linear_bias is None else linear_bias.reshape(-1)
    scores = linear(input, _rows(linear_weight), bias).reshape((*batch, *shape[:-1]))
    return cross_entropy(
        scores, target, weight,
        ignore_index=-100 if ignore_index is None else ignore_index,
        reduction=reduction, label_smoothing=label_smoothing,
    )  # fmt: skip
