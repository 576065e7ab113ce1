"""Backend flags, under the names of ``torch.backends``; only ``numba`` has an effect.

A flag keeps its value. The defaults are those of PyTorch on a machine without a GPU.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from torchstone.microtorch.backends import cudnn as cudnn
from torchstone.microtorch.kernels import numba as numba


class Backend(SimpleNamespace):
    """Flags of an unavailable backend."""

    def is_available(self) -> bool:
        """Return False: it is not available."""
        return False

    is_built = is_available


class Attention(Backend):
    """The CUDA backend, with its switches for attention kernels."""

    def __getattr__(self, name: str) -> Any:
        """Return the setter or getter of a switch, such as ``enable_flash_sdp``."""
        kernel = name.removeprefix("enable_").removesuffix("_enabled")
        if kernel not in ("flash_sdp", "mem_efficient_sdp", "math_sdp", "cudnn_sdp"):
            raise AttributeError(f"torch.backends.cuda has no attribute {name!r}")
        if name.startswith("enable_"):
            return lambda enabled: setattr(self, f"_{kernel}", enabled)
        return lambda: vars(self).get(f"_{kernel}", True)


cuda = Attention(
    matmul=Backend(
        allow_tf32=False,
        allow_fp16_reduced_precision_reduction=True,
        allow_bf16_reduced_precision_reduction=True,
    )
)
mps = Backend()
mkldnn = Backend(enabled=True, deterministic=False, allow_tf32=True)
mkl = Backend()
openmp = Backend()
