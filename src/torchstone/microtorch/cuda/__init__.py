"""What a script asks about GPUs: there are none."""

from __future__ import annotations

from typing import Any

from torchstone.microtorch.cuda import amp as amp


def is_available() -> bool:
    """Say that there is none."""
    return False


def device_count() -> int:
    """Count them."""
    return 0


def manual_seed(seed: int) -> None:
    """Seed nothing."""


manual_seed_all = manual_seed


def empty_cache() -> None:
    """Free nothing."""


def synchronize(device: Any = None) -> None:
    """Wait for nothing."""


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Say that there is no GPU that could."""
    return False


is_initialized = is_bf16_supported


def memory_allocated(device: Any = None) -> int:
    """Count the bytes in use on it."""
    return 0


memory_reserved = max_memory_allocated = max_memory_reserved = memory_allocated
reset_peak_memory_stats = ipc_collect = synchronize
