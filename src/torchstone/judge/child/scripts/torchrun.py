"""The real torchrun, in a process that the leader forks; it runs no code of the submission.

It is ``torch.distributed.run`` with its own options: the elastic agent joins a rendezvous, sets the
environment variables, starts the worker processes, monitors them and returns their exit code. The
workers are started with ``--run-path --start-method fork``: each worker is a fork of the agent, in
which torch is already imported, and no program is executed.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..confinement.confine import SHARED, bind_lifetime
from ..processes import rank
from . import launched

FAILED_STATUS = 1


@dataclass(slots=True)
class _Plan:
    """State that the workers inherit from the process that forks them."""

    order: launched.RankOrder
    socks: Sequence[socket.socket]
    enter: rank.Enter


_plan: _Plan


def run(order: launched.RankOrder, socks: Sequence[socket.socket], enter: rank.Enter) -> None:
    """Start the ranks with torchrun, and end the process with its exit code.

    Args:
        order: Parameters of rank 0; those of the others differ in the rank.
        socks: For each rank, the socket for its reports.
        enter: Confines a newly forked process.
    """
    global _plan
    status = FAILED_STATUS
    try:
        bind_lifetime()
        _plan = _Plan(order, socks, enter)
        # torchrun's log folder must not be one that the submission has left.
        os.environ["TMPDIR"] = SHARED
        from torch.distributed import run as distributed_run

        entry = os.path.join(os.path.dirname(__file__), "started.py")
        options = ["--standalone", f"--nproc-per-node={order.num_ranks}"]
        started_by_fork = ["--run-path", "--start-method=fork"]
        distributed_run.main([*options, *started_by_fork, entry, *order.argv])
        status = 0
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else FAILED_STATUS
    except BaseException as error:  # noqa: BLE001  this process never returns into the leader
        sys.stderr.write(f"torchrun: {type(error).__name__}\n")
    finally:
        os._exit(status)


def work() -> None:
    """Run the submission as the worker that torchrun has just started."""
    number = int(os.environ["LOCAL_RANK"])
    for other, sock in enumerate(_plan.socks):
        if other != number:
            sock.close()
    order = replace(_plan.order, rank=number)
    status = launched.work(_plan.socks[number], order, _plan.enter)
    if status:
        sys.exit(status)
