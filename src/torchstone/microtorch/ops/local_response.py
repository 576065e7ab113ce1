"""Local response normalization across channels: local_response_norm."""

from __future__ import annotations

from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.padding import constant_pad_nd
from torchstone.microtorch.tensor import Tensor


@op("nn.functional")
def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """Divide by a power of the mean square over neighbouring channels.

    Source:
        Krizhevsky et al. (2012), section 3.3.
    """
    ndim, channels = input.array.ndim, input.array.shape[1] if input.array.ndim > 1 else 0
    if ndim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {ndim} dimensions)")
    if not input.array.size:
        return input
    pads = [0, 0] * (ndim - 2) + [size // 2, (size - 1) // 2]
    squares = constant_pad_nd(input * input, pads)
    total = squares.narrow(1, 0, channels)
    for start in range(1, size):
        total = total + squares.narrow(1, start, channels)
    return input / (total * (alpha / size) + k) ** beta
