"""Executors of jobs: the interface, and the process pool of this machine."""

from __future__ import annotations

import asyncio
import functools
from collections import deque
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from torchstone.core.errors import JudgeUnavailable
from torchstone.judge.events import Case, Done, Event, Interrupted, Queued, VerdictReached
from torchstone.judge.host.protocol import Evaluated
from torchstone.judge.messages import Report
from torchstone.judge.order import Cancelled, JudgeFault, Order
from torchstone.judge.pool.scratch import evaluate
from torchstone.judge.pool.submission_process import printable
from torchstone.judge.pool.submission_supervisor import Supervisor
from torchstone.judge.pool.worker_pool import WorkerPool
from torchstone.judge.pool.zygotes import ZygoteDied
from torchstone.judge.report import internal_error

MAX_INTERRUPTIONS = 2
# Cases are published together. To wake the event loop and every client for each of a hundred cases
# costs more time than to judge a small case.
BEAT_SECONDS = 0.015


class Executor(Protocol):
    """Define what judges jobs."""

    @property
    def capacity(self) -> int:
        """Return how many jobs run at once."""

    @property
    def num_waiting(self) -> int:
        """Return how many jobs wait for a slot."""

    def judge(self, order: Order) -> AsyncGenerator[Event, None]:
        """Judge one order; ``Done`` is the last event. Closing the generator cancels the job."""

    async def scratch(self, order: Order, expression: str) -> Evaluated:
        """Evaluate an expression with the names that a submission defines."""

    def close(self) -> None:
        """Wait for the jobs that still run, and free the threads."""


class LocalPool(Executor):
    """Judge on this machine, with as many threads as the worker pool has slots.

    If the zygote of a job ends, the job runs again from the beginning. After two interruptions the
    verdict is IE.
    """

    def __init__(self, worker_pool: WorkerPool) -> None:
        self._worker_pool = worker_pool
        self._threads = ThreadPoolExecutor(worker_pool.capacity, "supervisor")
        self._slots: asyncio.Queue[int] = asyncio.Queue()
        for slot in range(worker_pool.capacity):
            self._slots.put_nowait(slot)
        self._waiting = 0

    @property
    def capacity(self) -> int:
        """Return how many jobs run at once."""
        return self._worker_pool.capacity

    @property
    def num_waiting(self) -> int:
        """Return how many jobs wait for a slot."""
        return self._waiting

    async def judge(self, order: Order) -> AsyncGenerator[Event, None]:
        """Judge one order; ``Done`` is the last event. Closing the generator cancels the job."""
        yield Queued(ahead=self._waiting)
        self._waiting += 1
        try:
            slot = await self._slots.get()
        finally:
            self._waiting -= 1
        run = _Run(self._worker_pool, order, slot)
        future = self._start(run.work, slot)
        try:
            while True:
                event = await run.events.get()
                yield event
                if isinstance(event, Done):
                    break
        finally:
            run.cancel()
            await asyncio.wait([future])

    async def scratch(self, order: Order, expression: str) -> Evaluated:
        """Evaluate an expression with the names that a submission defines; this occupies a slot."""
        slot = await self._slots.get()
        work = functools.partial(self._evaluate, order, slot, expression)
        return await asyncio.shield(self._start(work, slot))

    def _evaluate(self, order: Order, slot: int, expression: str) -> Evaluated:
        reason = ""
        for _ in range(MAX_INTERRUPTIONS):
            try:
                return evaluate(order, self._worker_pool.workers(slot), expression)
            except (ZygoteDied, JudgeFault) as fault:
                reason = printable(str(fault))
                self._worker_pool.revive()
        raise JudgeUnavailable("judge.zygote_failed", reason=reason)

    def _start(self, work: Callable[[], Any], slot: int) -> asyncio.Future[Any]:
        """Run a function in a thread and free the slot when the thread has finished.

        A caller may stop waiting earlier, but the processes of the job still occupy the slot.
        """
        future = asyncio.get_running_loop().run_in_executor(self._threads, work)
        future.add_done_callback(lambda _: self._slots.put_nowait(slot))
        return future

    def close(self) -> None:
        """Wait for the jobs that still run, and free the threads."""
        self._threads.shutdown()


class _Run:
    """Run one job in a thread and pass its events to the event loop."""

    def __init__(self, worker_pool: WorkerPool, order: Order, slot: int) -> None:
        self.events: asyncio.Queue[Event] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._worker_pool = worker_pool
        self._order = order
        self._slot = slot
        self._supervisor: Supervisor | None = None
        self._cancelled = False
        self._made: deque[Event] = deque()
        self._is_due = False

    def cancel(self) -> None:
        """Cancel the job if it still runs."""
        self._cancelled = True
        if self._supervisor is not None:
            self._supervisor.cancel()

    def work(self) -> None:
        """Judge, and judge again if a zygote ended; the last event is always ``Done``."""
        try:
            self._judge()
        except BaseException as error:
            # The caller waits for `Done`; the future raises the error itself.
            self._finish(f"{type(error).__name__}: {error}")
            raise

    def _judge(self) -> None:
        reason = ""
        for _ in range(MAX_INTERRUPTIONS):
            try:
                report = self._attempt()
            except Cancelled:
                self._emit(Done(report=None))
                return
            except (ZygoteDied, JudgeFault) as fault:
                reason = printable(str(fault))
                self._emit(Interrupted(reason=reason))
                self._worker_pool.revive()
                continue
            self._emit(Done(report=report))
            return
        self._finish(reason)

    def _attempt(self) -> Report:
        self._supervisor = self._worker_pool.supervisor(self._order, self._emit, slot=self._slot)
        if self._cancelled:
            raise Cancelled
        return self._supervisor.run()

    def _finish(self, reason: str) -> None:
        report = internal_error(self._order, reason, self._worker_pool.isolation)
        self._emit(VerdictReached(report=report))
        self._emit(Done(report=report))

    def _emit(self, event: Event) -> None:
        """Pass an event to the loop; cases within `BEAT_SECONDS` are passed together."""
        self._made.append(event)
        if not isinstance(event, Case):
            self._loop.call_soon_threadsafe(self._deliver)
        elif not self._is_due:
            self._is_due = True
            self._loop.call_soon_threadsafe(self._loop.call_later, BEAT_SECONDS, self._deliver)

    def _deliver(self) -> None:
        self._is_due = False
        while self._made:
            self.events.put_nowait(self._made.popleft())
