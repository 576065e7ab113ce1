"""Disable the profiler that a program uses itself, because only one profiler can record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class Silent:
    """Stub of a profiler: accepts every call, and records nothing."""

    def __init__(self, *args: Any, **named: Any) -> None:
        pass

    def __enter__(self) -> Silent:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def __call__(self, function: Any) -> Any:
        """Return a decorated function unchanged."""
        return function

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Nothing()


class _Nothing:
    """Empty table of results, which can be called, printed and iterated."""

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
    """Module with the original value of one replaced name."""

    def __init__(self, module: Any, **names: Any) -> None:
        self.__dict__.update(names)
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


def silence() -> None:
    """Replace the profilers of torch by stubs."""
    # The recorder keeps the real profiler, which uses autograd's.
    from torch import autograd, profiler

    # These modules do not export the replaced names.
    modules: list[Any] = [profiler, profiler.profiler, autograd.profiler]

    import torchstone.doctor.capture.recorder  # noqa: F401

    modules[1].prof = _Kept(autograd.profiler, profile=autograd.profiler.profile)
    for module in modules:
        module.profile = Silent
