"""``is_joined``: whether waiting for a collective is free of deadlocks."""

from __future__ import annotations

from torchstone.distributed.comm.protocol import Work
from torchstone.distributed.comm.queued import QueuedWork
from torchstone.distributed.comm.threads import ThreadWork


def is_joined(work: Work, *, timeout_s: float = 0.0) -> bool:
    """Return whether all ranks are known to have launched a collective.

    Waiting for it is then safe: it completes whatever this rank does next. For works of other
    classes this is unknown, and the result is False.

    Args:
        work: The collective.
        timeout_s: Seconds to wait for the other ranks to launch it.
    """
    if isinstance(work, QueuedWork):
        return work.joined.wait(timeout_s)
    if not isinstance(work, ThreadWork):
        return False
    if timeout_s:
        # It is complete once the last rank has launched it.
        work.wait_at_most(timeout_s)
    return work.is_complete
