"""The operators in Triton: for GPUs, and in Triton's interpreter for tests without one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchstone.kernels.triton.layer_norm import layer_norm, layer_norm_backward


def operators() -> dict[str, Callable[..., Any]]:
    """Give the functions by the names of their operators."""
    return {"layer_norm": layer_norm, "layer_norm_backward": layer_norm_backward}
