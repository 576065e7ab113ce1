"""Python calls of a native kernel with pointers and sizes, as an extension makes them.

The functions of the module ``kernel`` take the memory of tensors and ignore their shape, stride and
dtype. A tensor with another layout than the kernel expects causes wrong numbers, as on a GPU; only
an access outside its storage is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import torch

from ..protocol.records import LaunchData
from .native import Module

_SEED = 1


class KernelError(RuntimeError):
    """Raised when a kernel received too little memory, or failed."""


class Launcher:
    """Launcher of a kernel on the simulator.

    Attributes:
        num_launches: Number of launches so far.
    """

    def __init__(self, module: Module) -> None:
        self._module = module
        self.num_launches = 0

    def launch(
        self,
        operation: str,
        inputs: Mapping[str, torch.Tensor | int | float | None],
        outputs: Mapping[str, torch.Tensor | None],
        sizes: Mapping[str, int],
    ) -> int:
        """Call an entry point; return its status, if it has one.

        Args:
            operation: Name of the entry point in the problem's launcher.
            inputs: Numbers, and tensors whose memory is read; None for a null pointer.
            outputs: Tensors whose memory is written, float32.
            sizes: Number of float32 elements of each tensor.

        Raises:
            KernelError: A tensor has less memory than its size, or the launch fails.
        """
        values: dict[str, torch.Tensor | int | float] = {}
        for name, item in inputs.items():
            if isinstance(item, torch.Tensor):
                values[name] = _memory(name, item, sizes[name]).clone()
            elif item is not None:
                values[name] = item
        written = {
            name: _memory(name, item, sizes[name])
            for name, item in outputs.items()
            if item is not None
        }
        data: LaunchData = {
            "operation": operation,
            "values": values,
            "outputs": {name: (torch.float32, [sizes[name]]) for name in written},
            "offsets": {},
            "results": ["status"],
            "seed": _SEED,
            "orders": ["ascending"],
            "counts": False,
        }
        answer = self._module.answer(data)
        self.num_launches += 1
        if "ascending:error" in answer:
            raise KernelError(f"the launch fails with {answer['ascending:error']}")
        for name, memory in written.items():
            memory.copy_(answer[f"ascending:{name}"])
        return int(answer["ascending:status"])


def offer(functions: Mapping[str, Callable[..., Any]]) -> None:
    """Create the module ``kernel`` with these functions."""
    module = ModuleType("kernel")
    vars(module).update(functions)
    sys.modules["kernel"] = module


def _memory(name: str, tensor: torch.Tensor, count: int) -> torch.Tensor:
    """View ``count`` float32 elements of memory at a tensor's address."""
    if tensor.device.type != "cpu":
        raise KernelError(f"`{name}` has no memory: its device is {tensor.device.type}")
    storage = tensor.untyped_storage()
    begin = tensor.storage_offset() * tensor.element_size()
    if begin % 4:
        raise KernelError(f"`{name}`: its address is no multiple of 4")
    if begin + 4 * count > storage.nbytes():
        have = (storage.nbytes() - begin) // 4
        raise KernelError(f"`{name}`: {count} floats are needed, its memory ends after {have}")
    return torch.empty(0, dtype=torch.float32).set_(storage, begin // 4, (count,), (1,))
