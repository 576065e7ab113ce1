"""Gradient modes: no_grad, enable_grad, set_grad_enabled, inference_mode."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ContextDecorator
from functools import wraps
from inspect import isgeneratorfunction
from typing import Any


class Level:
    """A hook between the operations and their execution; this one changes nothing.

    ``func/levels.py`` has the one of ``vmap``, and describes what each method is for.
    """

    def apply(self, primitive: Any, args: Any) -> Any:
        """Run a primitive in another way; None leaves it as it is."""

    def write(self, target: Any, result: Any, mark: int | None) -> bool:
        """Write a result into a tensor in another way; False leaves it as it is."""
        return False

    def maps(self, tree: Any) -> bool:
        """Return whether an argument contains a batched tensor."""
        return False

    def loop(self, function: Any, args: Any, kwargs: Any = None, *, writes: bool = False) -> Any:
        """Call a function that reads values."""
        return function(*args, **kwargs or {})

    def draw(self, function: Any, args: Any, kwargs: Any) -> Any:
        """Call a function that draws random numbers."""
        return function(*args, **kwargs)

    # One that does so under circumstances; and one that makes a tensor like another.
    may_draw = like = draw

    def refuse_to_draw(self) -> None:
        """Raise an error where random numbers are not allowed."""


class State:
    """The mode of this process.

    Attributes:
        enabled: Operations on tensors that require gradients are recorded.
        inference: New tensors can never take part in a graph.
        levels: The ``vmap``s that run just now, the innermost last.
    """

    __slots__ = ("enabled", "inference", "levels")

    def __init__(self) -> None:
        self.enabled = True
        self.inference = False
        self.levels: list[Level] = []


state = State()


class _Mode(ContextDecorator):
    """Sets the mode for a block or for every call of a function, and sets it back."""

    wanted = True
    inference: bool | None = None

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Make one; ``@no_grad`` without parentheses decorates at once."""
        if len(args) == 1 and callable(args[0]):
            return cls()(args[0])
        return super().__new__(cls)

    def __init__(self) -> None:
        self._before: list[tuple[bool, bool]] = []

    def __call__(self, func: Callable[..., Any]) -> Any:
        """Decorate; a generator is in this mode while it runs, and its caller never."""
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
    """Record nothing."""

    wanted = False


class enable_grad(_Mode):
    """Record again inside of ``no_grad``."""


class set_grad_enabled(_Mode):
    """Record or not, from here on; as a context manager until the block ends."""

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self.wanted = mode
        self._at_first = state.enabled
        state.enabled = mode

    def __call__(self, func: Callable[..., Any]) -> Any:
        """Decorate: then it holds in the function alone."""
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
    """Disable recording of gradients; autograd can never use tensors that are made inside."""

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
