"""Parameters as one vector: parameters_to_vector and vector_to_parameters."""

from __future__ import annotations

from collections.abc import Iterable

from torchstone.microtorch.ops.joining import cat
from torchstone.microtorch.tensor import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Concatenate all parameters into one vector."""
    return cat([each.reshape(-1) for each in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Make the parameters views of slices of a vector."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    start = 0
    for each in parameters:
        end = start + each.numel()
        each.data = vec[start:end].view_as(each).data
        start = end
