"""Switch off the profiler that a program uses itself, for two cannot record at the same time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class Silent:
    """Stand in for a profiler: takes every call, and records nothing."""

    def __init__(self, *args: Any, **named: Any) -> None:
        pass

    def __enter__(self) -> Silent:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def __call__(self, function: Any) -> Any:
        """Decorate a function: leave it as it is."""
        return function

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Nothing()


class _Nothing:
    """An empty table of results, which can be called, printed and gone through."""

    def __call__(self, *args: Any, **named: Any) -> _Nothing:
        return self

    def __getattr__(self, name: str) -> _Nothing:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __str__(self) -> str:
        return ""

    def __float__(self) -> float:
        return 0.0


class _Kept:
    """A module as it was before one of its names was replaced."""

    def __init__(self, module: Any, **names: Any) -> None:
        self.__dict__.update(names)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def silence() -> None:
    """Replace the profilers of torch."""
    # The recorder takes the real one before it is replaced, and that one uses autograd's.
    from torch import autograd, profiler

    # Its own modules do not export what is replaced here.
    modules: list[Any] = [profiler, profiler.profiler, autograd.profiler]

    import torchstone.doctor.capture.recorder  # noqa: F401

    modules[1].prof = _Kept(autograd.profiler, profile=autograd.profiler.profile)
    for module in modules:
        module.profile = Silent
