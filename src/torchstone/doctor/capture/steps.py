"""Detection of steps in a program that does not mark them.

A step ends when an optimizer has updated its parameters. In a program without an optimizer, steps
are delimited by batches of a ``DataLoader``, or else by calls of the outermost module.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

OPTIMIZER, LOADER, FORWARD = "optimizer", "loader", "forward"
# In order of preference.
KINDS = (OPTIMIZER, LOADER, FORWARD)
# A candidate takes the lead after this many turns without one of the leader.
_PATIENCE = 4


@dataclass(kw_only=True)
class Leader:
    """Selection of the optimizer, loader or module whose turns delimit the steps.

    The first candidate leads. If it is deleted or stops, another one takes over.
    """

    _leader: Callable[[], Any] | None = None
    _others: dict[int, int] = field(default_factory=dict)

    def is_step(self, source: object) -> bool:
        """Return whether this turn of a candidate starts a step."""
        leader = None if self._leader is None else self._leader()
        if leader is not source and leader is not None:
            turns = self._others.get(id(source), 0) + 1
            self._others[id(source)] = turns
            if turns < _PATIENCE:
                return False
        if leader is not source:
            self._leader = _weakly(source)
        self._others.clear()
        return True


def _weakly(source: object) -> Callable[[], Any]:
    try:
        return weakref.ref(source)
    except TypeError:
        # For example a list as data set.
        return lambda: source


class Steps:
    """Call a function at each step boundary, separately for each kind of steps.

    Args:
        on_step: Called with the kind; it may raise an exception to stop the program.
        kinds: The kinds to detect.
    """

    def __init__(self, on_step: Callable[[str], None], kinds: tuple[str, ...] = KINDS) -> None:
        self._on_step = on_step
        self._leaders = {kind: Leader() for kind in kinds}
        self._depth = 0
        self._handles: list[Any] = []
        self._undo: list[Callable[[], None]] = []

    def install(self) -> None:
        """Install the hooks in torch, which is already imported."""
        from torch.nn.modules import module
        from torch.optim import optimizer

        if OPTIMIZER in self._leaders:
            optimizer.register_optimizer_step_post_hook(self._optimizer_stepped)
        if LOADER in self._leaders:
            self._hook_loader()
        if FORWARD in self._leaders:
            self._handles = [
                module.register_module_forward_pre_hook(self._forward_begins),
                module.register_module_forward_hook(self._forward_ends, always_call=True),
            ]

    def drop(self, kind: str) -> None:
        """Stop detecting steps of a kind."""
        self._leaders.pop(kind, None)
        if kind == FORWARD:
            # Each hook costs a microsecond per module call.
            for handle in self._handles:
                handle.remove()
            self._handles = []
        if kind == LOADER:
            for undo in self._undo:
                undo()
            self._undo = []

    def _turn(self, kind: str, source: object) -> None:
        leader = self._leaders.get(kind)
        if leader is not None and leader.is_step(source):
            self._on_step(kind)

    def _optimizer_stepped(self, source: Any, args: Any, named: Any) -> None:
        self._turn(OPTIMIZER, source)

    def _hook_loader(self) -> None:
        from torch.utils.data import dataloader

        batches_class: Any = dataloader._BaseDataLoaderIter
        original = batches_class.__next__

        def counted(batches: Any) -> Any:
            # Iterators are created per epoch; their loader persists.
            self._turn(LOADER, batches._dataset)
            return original(batches)

        def undo() -> None:
            batches_class.__next__ = original

        batches_class.__next__ = counted
        self._undo.append(undo)

    def _forward_begins(self, source: Any, inputs: Any) -> None:
        self._depth += 1
        if self._depth == 1:
            self._turn(FORWARD, source)

    def _forward_ends(self, source: Any, inputs: Any, output: Any) -> None:
        self._depth = max(0, self._depth - 1)
