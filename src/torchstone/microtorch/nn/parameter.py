"""Parameters: the tensors that a module learns."""

from __future__ import annotations

from typing import Any

from torchstone.microtorch.tensor import Tensor


class Parameter(Tensor):
    """A tensor that a module lists among its parameters when it is set as an attribute."""

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        """Make one of the memory of a tensor."""
        made = super().__new__(cls, data) if data is not None else super().__new__(cls, 0)
        made.requires_grad = requires_grad
        return made

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        super().__init__()

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"


class Buffer(Tensor):
    """A tensor that a module lists among its buffers when it is set as an attribute."""

    persistent: bool

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Buffer:
        """Make one of the memory of a tensor."""
        made = super().__new__(cls, data) if data is not None else super().__new__(cls, 0)
        made.persistent = persistent
        return made

    def __init__(self, data: Any = None, *, persistent: bool = True) -> None:
        super().__init__()
