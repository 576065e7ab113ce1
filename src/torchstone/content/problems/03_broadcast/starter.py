from collections.abc import Sequence

import torch


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """Work out the common shape; arithmetic on integers, no tensor operator.

    Raises:
        ValueError: The shapes are incompatible, or a size is negative.
    """
    raise NotImplementedError


def broadcast_to(x: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
    """View a tensor in a larger shape without copying; -1 keeps a size.

    Raises:
        ValueError: The tensor does not broadcast to the shape.
    """
    raise NotImplementedError


def broadcast_tensors(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """View all tensors in their common shape.

    Raises:
        ValueError: The shapes are incompatible.
    """
    raise NotImplementedError


def unbroadcast(grad: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
    """Sum a gradient over every dimension that broadcasting from ``shape`` has added or stretched.

    Raises:
        ValueError: The shape does not broadcast to the gradient's.
    """
    raise NotImplementedError
