"""Base class of modules that call one function of ``nn.functional`` with fixed arguments.

The class statement names the function and its arguments with their defaults::

    class ELU(Functional, call="elu", alpha=1.0, inplace=False): ...

The constructor and its signature, the attributes, ``forward`` and ``extra_repr`` follow from this.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from torchstone.microtorch.nn import functional as F
from torchstone.microtorch.nn.modules.module import Module

# Marks an argument without a default.
REQUIRED = inspect.Parameter.empty


def ntuple(value: Any, num: int) -> tuple[Any, ...]:
    """Expand one value to all dimensions; return a sequence unchanged."""
    return tuple(value) if isinstance(value, Iterable) else (value,) * num


class Functional(Module):
    """Module that calls one function of ``nn.functional``.

    Attributes:
        _call: The name of the function.
        _passed: The attributes that are passed to it.
        _shown: The arguments that ``repr`` shows.
    """

    _call: ClassVar[str]
    _passed: ClassVar[tuple[str, ...]]
    _shown: ClassVar[tuple[str, ...]]
    # Arguments that are registered as buffers.
    _tensors: ClassVar[tuple[str, ...]] = ()
    # Arguments that are not passed to the function.
    _own: ClassVar[tuple[str, ...]] = ()
    __signature__: ClassVar[inspect.Signature]

    def __init_subclass__(
        cls, *, call: str | None = None, shown: Sequence[str] | None = None, **options: Any
    ) -> None:
        super().__init_subclass__()
        if call is None:
            return
        cls._call = call
        cls._passed = tuple(name for name in options if name not in cls._own)
        cls._shown = cls._passed if shown is None else tuple(shown)
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        cls.__signature__ = inspect.Signature(
            [inspect.Parameter(name, kind, default=value) for name, value in options.items()]
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        try:
            bound = type(self).__signature__.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{type(self).__name__}.__init__() {error}") from None
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            if name in self._tensors:
                self.register_buffer(name, value)
            else:
                setattr(self, name, value)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        options = {name: getattr(self, name) for name in self._passed}
        return getattr(F, self._call)(*args, **kwargs, **options)

    def extra_repr(self) -> str:
        """Return the arguments; ``inplace`` only if it is true."""
        return ", ".join(
            f"{name}={getattr(self, name)!r}"
            for name in self._shown
            if name != "inplace" or self.inplace
        )
