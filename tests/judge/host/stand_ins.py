"""A worker pool that judges without a sandbox, for the tests of the host."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.reports import make_report
from torchstone.bank.loader import CONTENT
from torchstone.core import paths
from torchstone.core.isolation import Isolation
from torchstone.judge.events import Emit, Stage, StageReached, Started, now_ms
from torchstone.judge.host.server import Host
from torchstone.judge.messages import Report
from torchstone.judge.order import Cancelled, Order
from torchstone.store import open_store

Work = Callable[[Order, threading.Event], None]


def accept_at_once(_order: Order, _cancelled: threading.Event) -> None:
    """Let the job end."""


@dataclass
class StandInSupervisor:
    """Judge one order: call the given work, then accept."""

    order: Order
    emit: Emit
    pool: "StandInPool"
    cancelled: threading.Event = field(default_factory=threading.Event)

    def cancel(self) -> None:
        self.cancelled.set()

    def run(self) -> Report:
        self.emit(StageReached(stage=Stage.PREPARING, at_ms=now_ms()))
        self.emit(Started(isolation=Isolation.NONE, plan=()))
        with self.pool.lock:
            self.pool.judged.append(self.order.source)
        self.pool.work(self.order, self.cancelled)
        if self.cancelled.is_set():
            raise Cancelled
        return make_report(self.order.assignment.problem_id)


@dataclass
class StandInPool:
    """Stand for a worker pool: every program is accepted when ``work`` returns.

    Attributes:
        judged: The programs in the order in which they began.
    """

    work: Work = accept_at_once
    capacity: int = 2
    isolation: Isolation = Isolation.NONE
    bank_root: Path = CONTENT
    pids: Sequence[int] = ()
    judged: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> None:
        """Start nothing."""

    def stop(self) -> None:
        """Stop nothing."""

    def revive(self) -> None:
        """Nothing has ended."""

    def require_level(self, order: Order) -> None:
        """Every problem can be judged."""

    def supervisor(self, order: Order, emit: Emit, *, slot: int = 0) -> StandInSupervisor:
        return StandInSupervisor(order, emit, self)


@asynccontextmanager
async def serving(data: Path, pool: StandInPool) -> AsyncIterator[Host]:
    """Serve a data folder on its socket in this event loop; the host is stopped at the end."""
    with open_store(data / "torchstone.db") as store:
        host = Host(store, pool, idle_s=900.0)  # type: ignore[arg-type]
        path = paths.socket_path(data)
        path.unlink(missing_ok=True)
        try:
            async with await asyncio.start_unix_server(host.serve_client, path):
                await host.prepare()
                yield host
        finally:
            path.unlink(missing_ok=True)
            await host.close()
