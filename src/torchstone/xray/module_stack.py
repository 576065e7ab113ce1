"""Modules of a program: which one is running, and what the program calls it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn.modules import module as hooks

Before = Callable[[torch.nn.Module], None]
After = Callable[[torch.nn.Module, Any, Any], None]


@contextmanager
def module_calls(*, before: Before | None = None, after: After | None = None) -> Iterator[None]:
    """Call functions around the forward of each module."""

    def entered(module: torch.nn.Module, _: Any) -> None:
        if before is not None:
            before(module)

    def left(module: torch.nn.Module, inputs: Any, outputs: Any) -> None:
        if after is not None:
            after(module, inputs, outputs)

    handles = [
        hooks.register_module_forward_pre_hook(entered),
        hooks.register_module_forward_hook(left, always_call=True),
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


class ModuleNames:
    """The names of modules and tensors in the namespace of a program."""

    def __init__(self, space: dict[str, Any]) -> None:
        self._modules: dict[int, str] = {}
        self._tensors: dict[int, str] = {}
        for name, value in space.items():
            if isinstance(value, torch.nn.Module):
                for inner, module in value.named_modules():
                    self._modules.setdefault(id(module), _join(name, inner))
                for inner, tensor in value.named_parameters():
                    self._tensors.setdefault(id(tensor), _join(name, inner))
            elif isinstance(value, torch.Tensor):
                self._tensors.setdefault(id(value), name)

    def of_module(self, module: torch.nn.Module) -> str:
        """Return the name of a module; of one without a name, its class."""
        return self._modules.get(id(module), type(module).__name__)

    def of_tensor(self, tensor: torch.Tensor) -> str | None:
        """Return the name of a tensor."""
        return self._tensors.get(id(tensor))


def _join(name: str, inner: str) -> str:
    return f"{name}.{inner}" if inner else name
