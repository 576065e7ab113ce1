"""The operators in CUDA C++: compiled by nvcc, and run on cudasim by the tests.

The launch functions are plain C functions of pointers, so that the same source serves both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchstone.kernels.cuda import attention, norms, pointwise
from torchstone.kernels.cuda.build import library


def operators() -> dict[str, Callable[..., Any]]:
    """Return the functions by operator name, compiling them if needed."""
    library()
    return {
        function.__name__: function
        for function in (
            norms.layer_norm,
            norms.layer_norm_backward,
            pointwise.softmax,
            pointwise.softmax_backward,
            pointwise.bias_gelu,
            pointwise.bias_gelu_backward,
            attention.flash_attention,
            attention.flash_attention_backward,
        )
    }
