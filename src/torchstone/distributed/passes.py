"""``Syncing`` and ``Passes``: which backward passes exchange, and when they end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Variable
from torch.utils._pytree import tree_leaves
from torch.utils.hooks import unserializable_hook

# What torch calls the backward pass where none runs.
_NO_PASS = -1


class Syncing:
    """What has gradients that are exchanged, unless it is inside of ``no_sync``."""

    _is_syncing = True

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Let the gradients add up on each rank, without an exchange."""
        before, self._is_syncing = self._is_syncing, False
        try:
            yield
        finally:
            self._is_syncing = before


class Passes:
    """The backward passes that run: a checkpoint may run one within another, which ends last.

    Args:
        at_end: Called when the outermost pass ends, if an exchange is open.

    Attributes:
        is_open: Whether an exchange has begun that has not ended.
        will_exchange: Whether the next backward pass exchanges whatever it goes through: the output
            of a module may be of a class in which no tensor is found.
    """

    def __init__(self, at_end: Callable[[], None]) -> None:
        self._at_end = at_end
        self.is_open = False
        self.will_exchange = False
        # The last pass that went through a marked output, and all that run now.
        self._marked = _NO_PASS
        self._running: set[int] = set()
        # What is saved of an output, is saved without it.
        self._hook = unserializable_hook(partial(self._mark))

    def begin_forward(self) -> None:
        """Forget a backward pass that has raised, which has left its exchange open."""
        if torch._C._current_graph_task_id() == _NO_PASS:
            self.is_open = False
            self._running.clear()

    def mark(self, result: Any) -> None:
        """Let the passes exchange that go through what a forward pass returned."""
        for each in tree_leaves(result):
            if isinstance(each, Tensor) and each.grad_fn is not None:
                each.register_hook(self._hook)

    @property
    def is_due(self) -> bool:
        """Whether the pass that runs exchanges."""
        return self.will_exchange or self._marked in self._running

    def join(self) -> int:
        """Return the backward pass that runs, and notice when it ends."""
        this = torch._C._current_graph_task_id()
        if this not in self._running:
            self._running.add(this)
            Variable._execution_engine.queue_callback(partial(self._end, this))
        return this

    def _mark(self, grad: Tensor) -> None:
        if not self.is_open:
            # A backward pass that has raised is still among them.
            self._running.clear()
        self._marked = self.join()

    def _end(self, this: int) -> None:
        self._running.discard(this)
        if not self._running and self.is_open:
            self._at_end()
