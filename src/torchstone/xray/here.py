"""Scenes of a function in this process, for notebooks and tests: the user's own Python runs it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from contextlib import ExitStack
from types import FrameType, TracebackType
from typing import Any

import torch

from torchstone.xray import self_test
from torchstone.xray.autograd_graph import GraphWatch
from torchstone.xray.lines import LineFinder
from torchstone.xray.program import Ran
from torchstone.xray.scene import EXTRACTORS, SCHEMA
from torchstone.xray.storage_views import StorageWatch

Scene = dict[str, Any]


class Watch:
    """Watch the block of a ``with`` statement; ``scene`` has what was seen when it has ended."""

    def __init__(self, kind: str, file: str | None, space: dict[str, Any] | None = None) -> None:
        """Set what is watched.

        Args:
            kind: The scene.
            file: The file whose lines are named.
            space: The namespace in which tensors and modules have their names; None for that of
                the block, as it is at its end.
        """
        self.scene: Scene = {}
        self._space = space
        self._kind, self._file = kind, file
        self._extractor = EXTRACTORS[kind](LineFinder(file))
        self._entered = ExitStack()

    def __enter__(self) -> Watch:
        self._entered.enter_context(self._extractor.on())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._entered.__exit__(kind, error, trace)
        space = _names(sys._getframe(1)) if self._space is None else self._space
        found = self._extractor.data(Ran(space=space))
        self.scene = _scene(self._kind, self._file, found)
        if error is not None:
            self.scene["raised"] = {
                "type": type(error).__name__, "message": str(error), "line": None,
            }  # fmt: skip


def _scene(kind: str, file: str | None, found: Scene) -> Scene:
    """Return what an extractor has seen as a scene of the schema."""
    supported = self_test.supported()
    return {
        "schema": SCHEMA,
        "torch": torch.__version__,
        "scene": kind,
        "source": {"file": file, "sha256": None, "lines": None},
        "state": supported[kind],
        "why": supported["why"].get(kind),
        # Run once: there is no plain run to compare with.
        "fidelity": {"compared": 0, "equal": 0},
        "deterministic": True,
        "raised": None,
        "stdout": {"text": "", "bytes": 0},
        "not_followed": [],
        "truncated": {},
        **found,
    }


def _names(frame: FrameType) -> dict[str, Any]:
    """Return what the names of a frame mean now."""
    return {**frame.f_globals, **frame.f_locals}


def dispatch(function: Callable[..., Any] | None = None, /, *args: Any, **kwargs: Any) -> Any:
    """Return the dispatch tree of a call, or watch a block.

    Args:
        function: What is called; None for a context manager, whose ``scene`` is read afterwards.
        args: Its arguments.
        kwargs: Its named arguments.

    >>> import torch
    >>> [call["op"] for call in dispatch(torch.relu, torch.ones(2))["calls"]]
    ['aten::relu']
    """
    return _watch("dispatch", function, args, kwargs)


def graph(*losses: torch.Tensor) -> Any:
    """Return the autograd graph that leads to some tensors, or watch the backward of a block."""
    frame = sys._getframe(1)
    file = frame.f_code.co_filename
    if not losses:
        return Watch("graph", file)
    watch = GraphWatch(LineFinder(file))
    watch.look_at(losses)
    return _scene("graph", file, watch.data(Ran(space=_names(frame))))


def storage(**tensors: torch.Tensor) -> Any:
    """Return which cells of which storage each tensor visits, or watch the writes of a block."""
    file = sys._getframe(1).f_code.co_filename
    if not tensors:
        return Watch("storage", file)
    return _scene("storage", file, StorageWatch(LineFinder(file)).data(Ran(space=tensors)))


def compile(function: Callable[..., Any] | None = None, /, *calls: tuple[Any, ...]) -> Any:
    """Return all stages of compiling a function, or watch what a block compiles.

    Args:
        function: What is compiled; None for a context manager.
        calls: The arguments of each call: ``(x,)``, then ``(y,)``.
    """
    if function is None:
        return Watch("compile", sys._getframe(1).f_code.co_filename)
    with Watch("compile", function.__code__.co_filename) as watch:
        compiled = torch.compile(function)
        for call in calls:
            compiled(*call)
    return watch.scene


def memory(step: Callable[..., Any] | None = None, /, *args: Any, **kwargs: Any) -> Any:
    """Return what lives when during a step, or watch a block.

    Args:
        step: What is called; None for a context manager.
        args: Its arguments. A model that the step does not take only names its modules.
        kwargs: Its named arguments.
    """
    return _watch("memory", step, args, kwargs)


def _watch(kind: str, function: Any, args: Any, kwargs: Any) -> Any:
    frame = sys._getframe(2)
    file = frame.f_code.co_filename
    if function is None:
        return Watch(kind, file)
    own = getattr(getattr(function, "__code__", None), "co_filename", file)
    space = _names(frame)
    taken = _bound(function, args, kwargs)
    if taken is None and _bound(function, (), kwargs) is not None:
        taken, args = {"model": next(iter(args), None)}, ()
    with Watch(kind, own, space | (taken or {})) as watch:
        function(*args, **kwargs)
    return watch.scene


def _bound(function: Any, args: Any, kwargs: Any) -> dict[str, Any] | None:
    """Return arguments by the names that a function gives them; None if they do not fit."""
    try:
        return dict(inspect.signature(function).bind(*args, **kwargs).arguments)
    except TypeError:
        return None
    except ValueError:
        # Written in C++, which does not tell what it takes.
        return {}
