"""Type declarations of the operators of a tensor, for type checkers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torchstone.microtorch.tensor import Tensor


class Operated:
    """Tensor mixin that declares the operators."""

    __slots__ = ()

    if TYPE_CHECKING:

        def _binary(self, other: Any) -> Tensor: ...
        def _unary(self) -> Tensor: ...

        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _binary
        __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _binary
        __pow__ = __rpow__ = __matmul__ = __rmatmul__ = __lshift__ = __rshift__ = _binary
        __and__ = __or__ = __xor__ = __lt__ = __le__ = __gt__ = __ge__ = _binary
        __neg__ = __pos__ = __abs__ = __invert__ = _unary

        def __getitem__(self, index: Any) -> Tensor: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...
