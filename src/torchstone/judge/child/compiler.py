"""Stand in for torch's compiler, which has no place in the sandbox.

``torch.optim``, ``torch.utils.checkpoint`` and others import ``torch._dynamo`` when they are first used, only to mark functions
that it must leave alone. The import takes a second and 70 MiB, and what is imported late could not be read behind Landlock.
Nothing is ever compiled in a job (``torch.compile`` is closed), so marking is all that is left to do.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

Function = Callable[..., Any]


def install() -> None:
    """Put the stand-in where ``import torch._dynamo`` finds it; torch itself is imported already."""
    module = ModuleType("torch._dynamo", __doc__)
    module.disable = disable  # type: ignore[attr-defined]
    module.graph_break = lambda *args, **kwargs: None  # type: ignore[attr-defined]
    module.is_compiling = lambda: False  # type: ignore[attr-defined]
    sys.modules["torch._dynamo"] = module


def disable(fn: Function | None = None, recursive: bool = True, **options: Any) -> Any:
    """Return the function as it is, like the real one where nothing is compiled."""
    return (lambda given: given) if fn is None else fn
