"""``torch.jit`` without compilation: script returns the function unchanged."""

from __future__ import annotations

from typing import Any


def script(obj: Any, *args: Any, **options: Any) -> Any:
    """Return the function unchanged; Python executes it."""
    return obj


ignore = unused = export = script_method = trace = script


def is_scripting() -> bool:
    """Return False: Python executes the function."""
    return False


is_tracing = is_scripting
