"""Gradient modes: no_grad, enable_grad, set_grad_enabled, inference_mode."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ContextDecorator
from functools import wraps
from inspect import isgeneratorfunction
from typing import Any


class Level:
    """Interpreter level between operations and their execution; this base class changes nothing.

    ``func/levels.py`` has the one of ``vmap`` and describes the methods.
    """

    def apply(self, primitive: Any, args: Any) -> Any:
        """Run a primitive in another way; return None to run it as usual."""

    def write(self, target: Any, result: Any, mark: int | None) -> bool:
        """Write a result into a tensor in another way; return False to write it as usual."""
        return False

    def maps(self, tree: Any) -> bool:
        """Return whether an argument contains a batched tensor."""
        return False

    def loop(self, function: Any, args: Any, kwargs: Any = None, *, writes: bool = False) -> Any:
        """Call a function that reads tensor values."""
        return function(*args, **kwargs or {})

    def draw(self, function: Any, args: Any, kwargs: Any) -> Any:
        """Call a function that draws random numbers."""
        return function(*args, **kwargs)

    # ``may_draw`` is for functions that draw only sometimes; ``like``, for the ``*_like``
    # functions.
    may_draw = like = draw

    def refuse_to_draw(self) -> None:
        """Raise an error if random numbers are not allowed."""


class State:
    """Gradient mode of the process.

    Attributes:
        enabled: Operations on tensors that require gradients are recorded.
        inference: New tensors are inference tensors, which can never be part of a graph.
        levels: Active ``vmap`` levels, innermost last.
    """

    __slots__ = ("enabled", "inference", "levels")

    def __init__(self) -> None:
        self.enabled = True
        self.inference = False
        self.levels: list[Level] = []


state = State()


class _Mode(ContextDecorator):
    """Context manager and decorator that sets the mode and restores it."""

    wanted = True
    inference: bool | None = None

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Create a context manager; ``@no_grad`` without parentheses decorates directly."""
        if len(args) == 1 and callable(args[0]):
            return cls()(args[0])
        return super().__new__(cls)

    def __init__(self) -> None:
        self._before: list[tuple[bool, bool]] = []

    def __call__(self, func: Callable[..., Any]) -> Any:
        """Decorate a function; a generator function is in this mode only while its body runs."""
        if not isgeneratorfunction(func):
            return super().__call__(func)

        @wraps(func)
        def generator(*args: Any, **kwargs: Any) -> Any:
            made = func(*args, **kwargs)
            step, value = made.send, None
            while True:
                try:
                    with self._recreate_cm():
                        given = step(value)
                except StopIteration as stop:
                    return stop.value
                try:
                    step, value = made.send, (yield given)
                except GeneratorExit:
                    with self._recreate_cm():
                        made.close()
                    raise
                except BaseException as error:  # noqa: BLE001 - the generator's to handle.
                    step, value = made.throw, error

        return generator

    def _recreate_cm(self) -> Any:
        return self

    def __enter__(self) -> None:
        self._before.append((state.enabled, state.inference))
        state.enabled = self.wanted
        if self.inference is not None:
            state.inference = self.inference

    def __exit__(self, *exc: object) -> None:
        state.enabled, state.inference = self._before.pop()


class no_grad(_Mode):
    """Context manager and decorator that disables recording of gradients."""

    wanted = False


class enable_grad(_Mode):
    """Context manager and decorator that enables recording inside ``no_grad``."""


class set_grad_enabled(_Mode):
    """Gradient mode set by a flag: from the call on, or for a block or function."""

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self.wanted = mode
        self._at_first = state.enabled
        state.enabled = mode

    def __call__(self, func: Callable[..., Any]) -> Any:
        """Decorate a function: the mode applies only within it."""
        state.enabled = self._at_first
        return super().__call__(func)

    def _recreate_cm(self) -> set_grad_enabled:
        return set_grad_enabled(self.wanted)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.wanted})"

    def __enter__(self) -> None:
        self._before.append((self._at_first, state.inference))
        state.enabled = self.wanted


class inference_mode(_Mode):
    """Context manager that disables recording; tensors created inside can never be in a graph."""

    def __init__(self, mode: bool = True) -> None:
        super().__init__()
        self.wanted = not mode
        self.inference = mode


def is_grad_enabled() -> bool:
    """Return whether operations are recorded."""
    return state.enabled


def is_inference_mode_enabled() -> bool:
    """Return whether new tensors are inference tensors."""
    return state.inference
