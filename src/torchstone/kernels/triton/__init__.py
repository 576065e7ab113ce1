"""The operators in Triton: for GPUs, and in Triton's interpreter for tests without one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchstone.kernels.triton import adamw, attention, losses, norms, pointwise, rotary


def operators() -> dict[str, Callable[..., Any]]:
    """Return the functions by operator name."""
    return {
        function.__name__: function
        for function in (
            norms.layer_norm,
            norms.add_layer_norm,
            norms.rms_norm,
            norms.add_rms_norm,
            norms.layer_norm_backward,
            norms.rms_norm_backward,
            losses.cross_entropy,
            losses.cross_entropy_backward,
            pointwise.softmax,
            pointwise.softmax_backward,
            pointwise.bias_gelu,
            pointwise.bias_gelu_backward,
            pointwise.swiglu,
            pointwise.swiglu_backward,
            rotary.rotary,
            adamw.adamw_,
            attention.flash_attention,
            attention.flash_attention_backward,
        )
    }
