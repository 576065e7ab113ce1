"""Load the judge's native library; this alone bans nothing."""

from __future__ import annotations

import importlib.util
from typing import Any


def load(path: str) -> Any:
    """Return the extension module that ``native.build`` compiled."""
    spec = importlib.util.spec_from_file_location("torchstone_bans", path)
    assert spec is not None, path
    assert spec.loader is not None, path
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
