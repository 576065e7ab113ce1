"""X-ray: what PyTorch does inside a program, as data: dispatch, graph, storage, compile, memory.

The names are loaded when they are first used: what draws a scene needs no torch.
"""

from importlib import import_module
from typing import Any

# Name -> the module that has it.
_HOMES = {
    "compile": "torchstone.xray.here",
    "dispatch": "torchstone.xray.here",
    "graph": "torchstone.xray.here",
    "memory": "torchstone.xray.here",
    "storage": "torchstone.xray.here",
    "supported": "torchstone.xray.self_test",
    "selftest": "torchstone.xray.self_test",
    "load_ipython_extension": "torchstone.xray.notebook",
}
__all__ = [
    "compile",
    "dispatch",
    "graph",
    "load_ipython_extension",
    "memory",
    "selftest",
    "storage",
    "supported",
]


def __getattr__(name: str) -> Any:
    """Return a public name.

    Raises:
        AttributeError: There is no such name.
    """
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"torchstone.xray has no {name!r}; it has {', '.join(__all__)}.")
    return getattr(import_module(home), name)
