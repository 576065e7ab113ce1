"""CUDA queries, under the names of ``torch.cuda``: no GPU is available."""

from __future__ import annotations

from typing import Any

from torchstone.microtorch.accelerator import device_count as device_count
from torchstone.microtorch.accelerator import is_available as is_available
from torchstone.microtorch.cuda import amp as amp


def manual_seed(seed: int) -> None:
    """Do nothing: there is no GPU."""


manual_seed_all = manual_seed


def synchronize(device: Any = None) -> None:
    """Do nothing: there is no GPU."""


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Return False: there is no GPU."""
    return False


is_initialized = is_bf16_supported


def memory_allocated(device: Any = None) -> int:
    """Return 0: there is no GPU."""
    return 0


memory_reserved = max_memory_allocated = max_memory_reserved = memory_allocated
empty_cache = reset_peak_memory_stats = ipc_collect = synchronize
