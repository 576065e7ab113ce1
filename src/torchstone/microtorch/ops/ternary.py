"""Ternary functions: lerp, addcmul, addcdiv."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.ops.broadcasting import expect_tensors, meet
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.reductions import expect
from torchstone.microtorch.ops.rounded import rounded_once
from torchstone.microtorch.tensor import Array, Tensor


@primitive(
    self=lambda grad, weight: grad * _conjugated(1 - weight),
    end=lambda grad, weight: grad * _conjugated(weight),
    weight=lambda grad, self, end: grad * (end - self).conj(),
)
def _lerp(self: Array, end: Array, weight: Any) -> Any:
    way = end - self
    if not isinstance(weight, np.ndarray):
        return self + weight * way if abs(weight) < 0.5 else end - way * (1 - weight)
    # Computed from the nearer end, so that both ends are exact.
    return np.where(np.abs(weight) < 0.5, self + weight * way, end - way * (1 - weight))


def _conjugated(weight: Any) -> Any:
    return weight.conj() if isinstance(weight, Tensor) else weight.conjugate()


@op(inplace=True)
def lerp(input: Tensor, end: Tensor, weight: Any, *, out: Tensor | None = None) -> Tensor:
    """Interpolate linearly between two tensors: ``input + weight * (end - input)``.

    Raises:
        RuntimeError: The tensors have different dtypes.
    """
    expect_tensors("lerp", input=input, end=end)
    expect("lerp_kernel", input, "fc")
    if isinstance(weight, Tensor) and not weight.array.ndim:
        weight = weight.to(input.dtype)
    for name, each in (("end", end), ("weight", weight)):
        if isinstance(each, Tensor) and each.array.dtype is not input.array.dtype:
            raise RuntimeError(
                f"expected dtype {input.dtype.c_name} for `{name}` but got dtype "
                f"{each.dtype.c_name}"
            )
    meet(*(each.array.shape for each in (input, end, weight) if isinstance(each, Tensor)))
    return into(out, _lerp(input, end, weight))


@op(inplace=True)
@rounded_once
def addcmul(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1, out: Tensor | None = None
) -> Tensor:
    """Compute ``input + value * tensor1 * tensor2``."""
    expect_tensors("addcmul", input=input, tensor1=tensor1, tensor2=tensor2)
    if dtypes.result_type(input, tensor1, tensor2).kind == dtypes.INTEGER:
        value = int(value)
    product = tensor1 * tensor2 if value == 1 else value * tensor1 * tensor2
    return into(out, input + product)


@op(inplace=True)
@rounded_once
def addcdiv(
    input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1, out: Tensor | None = None
) -> Tensor:
    """Compute ``input + value * tensor1 / tensor2``."""
    expect_tensors("addcdiv", input=input, tensor1=tensor1, tensor2=tensor2)
    if dtypes.result_type(tensor1, tensor2).kind < dtypes.FLOAT:
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future release "
            "addcdiv will perform a true division of tensor1 and tensor2."
        )
    quotient = tensor1 / tensor2 if value == 1 else value * tensor1 / tensor2
    return into(out, input + quotient)
