"""Distributed training with collectives, bit-equal to training in one process.

Names are imported on first use, so that a command that computes nothing starts without torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torchstone.distributed import checkpoint, timeline
    from torchstone.distributed.comm.ledger import Entry, Ledger, wire_bytes
    from torchstone.distributed.comm.protocol import Comm, Deadlock, Mismatch, RankLost, Work
    from torchstone.distributed.comm.threads import Link
    from torchstone.distributed.data_parallel import DataParallel
    from torchstone.distributed.mesh import Mesh
    from torchstone.distributed.order import MicroBatches
    from torchstone.distributed.refusal import Refusal
    from torchstone.distributed.state import ShardedState
    from torchstone.distributed.world import World, init, run_threads
    from torchstone.distributed.zero import Zero

__all__ = [
    "Comm",
    "DataParallel",
    "Deadlock",
    "Entry",
    "Ledger",
    "Link",
    "Mesh",
    "MicroBatches",
    "Mismatch",
    "RankLost",
    "Refusal",
    "ShardedState",
    "Work",
    "World",
    "Zero",
    "checkpoint",
    "init",
    "run_threads",
    "timeline",
    "wire_bytes",
]

_MODULES = {
    "checkpoint": ("checkpoint",),
    "comm.ledger": ("Entry", "Ledger", "wire_bytes"),
    "comm.protocol": ("Comm", "Deadlock", "Mismatch", "RankLost", "Work"),
    "comm.threads": ("Link",),
    "data_parallel": ("DataParallel",),
    "mesh": ("Mesh",),
    "order": ("MicroBatches",),
    "refusal": ("Refusal",),
    "state": ("ShardedState",),
    "timeline": ("timeline",),
    "world": ("World", "init", "run_threads"),
    "zero": ("Zero",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    path = _MODULE_OF[name]
    module = importlib.import_module(f"{__name__}.{path}")
    return module if name == path.rpartition(".")[2] else getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
