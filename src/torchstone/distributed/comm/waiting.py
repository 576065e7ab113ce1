"""``is_joined``: whether to wait for a collective is safe."""

from __future__ import annotations

from torchstone.distributed.comm.protocol import Work
from torchstone.distributed.comm.queued import QueuedWork
from torchstone.distributed.comm.threads import ThreadWork


def is_joined(work: Work, *, timeout_s: float = 0.0) -> bool:
    """Return whether all ranks have launched a collective, as far as this one knows.

    To wait for it is then no deadlock: it ends whatever this rank does next. Of a work that is of
    no backend this is not known.

    Args:
        work: The collective.
        timeout_s: Seconds in which the others may launch it meanwhile.
    """
    if isinstance(work, QueuedWork):
        return work.joined.wait(timeout_s)
    if not isinstance(work, ThreadWork):
        return False
    if timeout_s:
        # It is complete when the last rank has launched it.
        work.wait_at_most(timeout_s)
    return work.is_complete
