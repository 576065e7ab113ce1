"""Scenes of a function in this process, for notebooks and tests: the user's own Python runs it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Any

import torch

from torchstone.xray import self_test
from torchstone.xray.lines import LineFinder
from torchstone.xray.program import Ran
from torchstone.xray.scene import EXTRACTORS, SCHEMA

Scene = dict[str, Any]


class Watch:
    """Watch the block of a ``with`` statement; ``scene`` has what was seen when it has ended."""

    def __init__(self, kind: str, file: str | None, space: dict[str, Any] | None = None) -> None:
        """Set what is watched.

        Args:
            kind: The scene.
            file: The file whose lines are named.
            space: The namespace in which tensors and modules have their names.
        """
        self.scene: Scene = {}
        self._ran = Ran(space={} if space is None else space)
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
        supported = self_test.supported()
        raised = error and {"type": type(error).__name__, "message": str(error), "line": None}
        self.scene = {
            "schema": SCHEMA,
            "torch": torch.__version__,
            "scene": self._kind,
            "source": {"file": self._file, "sha256": None, "lines": None},
            "state": supported[self._kind],
            "why": supported["why"].get(self._kind),
            # Run once: there is no plain run to compare with.
            "fidelity": {"compared": 0, "equal": 0},
            "deterministic": True,
            "raised": raised,
            "stdout": {"text": "", "bytes": 0},
            "not_followed": [],
            "truncated": {},
            **self._extractor.data(self._ran),
        }


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
    if not losses:
        return Watch("graph", sys._getframe(1).f_code.co_filename)
    from torchstone.xray.autograd_graph import graph_of

    return graph_of(losses)


def storage(**tensors: torch.Tensor) -> Any:
    """Return which cells of which storage each tensor visits, or watch the writes of a block."""
    if not tensors:
        return Watch("storage", sys._getframe(1).f_code.co_filename)
    from torchstone.xray.storage_views import StorageWatch

    return StorageWatch(LineFinder(None)).data(space=tensors)


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
    """Return what lives when during a step, or watch a block."""
    return _watch("memory", step, args, kwargs)


def _watch(kind: str, function: Any, args: Any, kwargs: Any) -> Any:
    file = sys._getframe(2).f_code.co_filename
    if function is None:
        return Watch(kind, file)
    own = getattr(getattr(function, "__code__", None), "co_filename", file)
    with Watch(kind, own) as watch:
        function(*args, **kwargs)
    return watch.scene
