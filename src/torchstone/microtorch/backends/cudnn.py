"""cuDNN flags, under the names of ``torch.backends.cudnn``; cuDNN is not available."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torchstone.microtorch.accelerator import is_available as is_available

enabled = allow_tf32 = True
benchmark = deterministic = False
benchmark_limit = 10


def version() -> None:
    """Return None: there is no cuDNN."""


@contextmanager
def flags(**flags: Any) -> Iterator[None]:
    """Set flags for a block. A context manager."""
    before = {name: globals()[name] for name in flags}
    globals().update(flags)
    try:
        yield
    finally:
        globals().update(before)
