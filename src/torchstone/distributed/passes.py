"""``Syncing`` and ``Passes``: which backward passes exchange gradients, and when they end."""

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

# torch's id of the current backward pass outside of any.
_NO_PASS = -1


class Syncing:
    """Base class for ``no_sync``."""

    _is_syncing = True

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Accumulate gradients locally within the context, without exchanging them."""
        before, self._is_syncing = self._is_syncing, False
        try:
            yield
        finally:
            self._is_syncing = before


class Passes:
    """Running backward passes: a checkpoint may run one within another, which ends last.

    Args:
        at_end: Called when the outermost pass ends, if an exchange is open.

    Attributes:
        is_open: Whether an exchange has begun and not ended.
        will_exchange: Whether the next backward pass exchanges in any case, because the output of a
            module may be of a class whose tensors cannot be found.
    """

    def __init__(self, at_end: Callable[[], None]) -> None:
        self._at_end = at_end
        self.is_open = False
        self.will_exchange = False
        # The last pass that went through a marked output, and all running passes.
        self._marked = _NO_PASS
        self._running: set[int] = set()
        # The hook is left out when an output is serialized.
        self._hook = unserializable_hook(partial(self._mark))

    def begin_forward(self) -> None:
        """Discard a backward pass that has raised, and so left its exchange open."""
        if torch._C._current_graph_task_id() == _NO_PASS:
            self.is_open = False
            self._running.clear()

    def mark(self, result: Any) -> None:
        """Mark the outputs of a forward pass, so that backward passes through them exchange."""
        for each in tree_leaves(result):
            if isinstance(each, Tensor) and each.grad_fn is not None:
                each.register_hook(self._hook)

    @property
    def is_due(self) -> bool:
        """Return whether the running pass exchanges."""
        return self.will_exchange or self._marked in self._running

    def join(self) -> int:
        """Return the id of the running backward pass, and register its end."""
        this = torch._C._current_graph_task_id()
        if this not in self._running:
            self._running.add(this)
            Variable._execution_engine.queue_callback(partial(self._end, this))
        return this

    def _mark(self, grad: Tensor) -> None:
        if not self.is_open:
            # Discard a backward pass that has raised.
            self._running.clear()
        self._marked = self.join()

    def _end(self, this: int) -> None:
        self._running.discard(this)
        if not self._running and self.is_open:
            self._at_end()
