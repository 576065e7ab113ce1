"""Find the steps of a program that does not mark them.

A step ends where an optimiser has updated its parameters. A program without one has steps from one
batch of a ``DataLoader`` to the next, or from one call of its outermost module to the next.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

OPTIMIZER, LOADER, FORWARD = "optimizer", "loader", "forward"
# The best first.
KINDS = (OPTIMIZER, LOADER, FORWARD)
# Something else leads if it came so often since the leader did.
_PATIENCE = 4


@dataclass(kw_only=True)
class Leader:
    """Choose, of several optimisers, loaders or modules, the one whose turns are the steps.

    It is the first one that comes. Where it is gone, or no longer comes, another one takes over.
    """

    _leader: Callable[[], Any] | None = None
    _others: dict[int, int] = field(default_factory=dict)

    def is_step(self, source: object) -> bool:
        """Return whether a step begins with this turn of something."""
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
        # A list as a data set.
        return lambda: source


class Steps:
    """Call a function at each boundary between steps, of each kind apart.

    Args:
        on_step: Gets the kind; it may raise what ends the program.
        kinds: Which kinds are looked for.
    """

    def __init__(self, on_step: Callable[[str], None], kinds: tuple[str, ...] = KINDS) -> None:
        self._on_step = on_step
        self._leaders = {kind: Leader() for kind in kinds}
        self._depth = 0
        self._handles: list[Any] = []
        self._undo: list[Callable[[], None]] = []

    def install(self) -> None:
        """Hook into torch, which is imported."""
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
        """Look for steps of a kind no longer."""
        self._leaders.pop(kind, None)
        if kind == FORWARD:
            # Each hook costs every module a microsecond.
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
            # Iterators come and go with the epochs; what they read stays.
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
