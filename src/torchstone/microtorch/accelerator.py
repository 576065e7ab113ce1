"""Accelerator queries, under the names of ``torch.accelerator``: no accelerator is available."""

from __future__ import annotations

from typing import Any


def is_available() -> bool:
    """Return False: there is no accelerator."""
    return False


def device_count() -> int:
    """Return 0, the number of accelerators."""
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """Return None: there is no accelerator."""


def synchronize(device: Any = None, /) -> None:
    """Raise an error, as PyTorch does without an accelerator."""
    raise RuntimeError("Cannot access accelerator device when none is available.")


current_device_index = set_device_index = current_stream = empty_cache = synchronize
