"""What a script asks about GPUs: there are none."""

from __future__ import annotations

from typing import Any


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
