"""Executors of jobs: the interface, and the process pool of this machine."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections import deque
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

from torchstone.core.errors import JudgeUnavailable
from torchstone.judge.events import (
    Case,
    Done,
    Evaluated,
    Event,
    Interrupted,
    Queued,
    VerdictReached,
    now_ms,
)
from torchstone.judge.messages import Report
from torchstone.judge.order import Cancelled, JudgeFault, Order
from torchstone.judge.outcomes import printable
from torchstone.judge.pool.scratch import evaluate
from torchstone.judge.pool.submission_supervisor import Supervisor
from torchstone.judge.pool.worker_pool import WorkerPool
from torchstone.judge.pool.zygotes import ZygoteDied
from torchstone.judge.report import internal_error

MAX_INTERRUPTIONS = 2
# Cases are published in batches: waking the event loop and every client for each of a hundred cases
# takes longer than judging a small case.
BEAT_SECONDS = 0.015


class Executor(Protocol):
    """Interface of the services that judge jobs."""

    @property
    def capacity(self) -> int:
        """Return the maximum number of jobs that run at once."""

    @property
    def num_waiting(self) -> int:
        """Return the number of jobs that wait for a slot."""

    def judge(self, order: Order, *, alone: bool = False) -> AsyncGenerator[Event, None]:
        """Judge one order; ``Done`` is the last event. Closing the generator cancels the job.

        Args:
            order: The order to judge.
            alone: Whether to run no other job at the same time, because an earlier run was
                interrupted.
        """

    async def scratch(self, order: Order, expression: str) -> Evaluated:
        """Evaluate an expression with the names that a submission defines."""

    def close(self) -> None:
        """Wait for the running jobs, and release the threads."""


class LocalPool(Executor):
    """Executor on this machine, with as many threads as the worker pool has slots.

    If the zygote of a job ends, the job runs again from the beginning while no other job runs. An
    interruption counts against a job only if no other job ran. After two of these the verdict is
    IE.
    """

    def __init__(self, worker_pool: WorkerPool) -> None:
        self._worker_pool = worker_pool
        self._threads = ThreadPoolExecutor(worker_pool.capacity, "supervisor")
        self._slots: asyncio.Queue[int] = asyncio.Queue()
        for slot in range(worker_pool.capacity):
            self._slots.put_nowait(slot)
        # Held while taking all slots, so that two such jobs do not wait for each other.
        self._taking_all = asyncio.Lock()
        self._tenants: set[_Tenant] = set()
        self._waiting = 0

    @property
    def capacity(self) -> int:
        """Return the maximum number of jobs that run at once."""
        return self._worker_pool.capacity

    @property
    def num_waiting(self) -> int:
        """Return the number of jobs that wait for a slot."""
        return self._waiting

    async def judge(self, order: Order, *, alone: bool = False) -> AsyncGenerator[Event, None]:
        """Judge one order; ``Done`` is the last event. Closing the generator cancels the job."""
        yield Queued(ahead=self._waiting, at_ms=now_ms())
        num_interruptions = 0
        while num_interruptions < MAX_INTERRUPTIONS:
            tenant = await self._move_in(alone=alone)
            run = _Run(self._worker_pool, order, tenant.slots[0])
            future = self._start(run.work, tenant)
            try:
                while (event := await run.events.get()) is not None:
                    yield event
                    if isinstance(event, Done):
                        return
            finally:
                run.cancel()
                await asyncio.wait([future])
            # Another job may have ended the zygotes, so this one runs again, alone.
            num_interruptions += not tenant.had_company
            alone = True
        report = internal_error(order, run.reason, self._worker_pool.isolation)
        yield VerdictReached(report=report)
        yield Done(report=report)

    async def scratch(self, order: Order, expression: str) -> Evaluated:
        """Evaluate an expression with the names that a submission defines; this occupies a slot."""
        tenant = await self._move_in(alone=False)
        work = functools.partial(self._evaluate, order, tenant.slots[0], expression)
        return await asyncio.shield(self._start(work, tenant))

    async def _move_in(self, *, alone: bool) -> _Tenant:
        """Wait for one slot, or for all of them."""
        slots: list[int] = []
        self._waiting += 1
        try:
            async with self._taking_all if alone else contextlib.nullcontext():
                for _ in range(self.capacity if alone else 1):
                    slots.append(await self._slots.get())
        except BaseException:
            self._free(slots)
            raise
        finally:
            self._waiting -= 1
        tenant = _Tenant(slots)
        self._tenants.add(tenant)
        if len(self._tenants) > 1:
            for each in self._tenants:
                each.had_company = True
        return tenant

    def _move_out(self, tenant: _Tenant) -> None:
        self._tenants.discard(tenant)
        self._free(tenant.slots)

    def _free(self, slots: list[int]) -> None:
        for slot in slots:
            self._slots.put_nowait(slot)

    def _evaluate(self, order: Order, slot: int, expression: str) -> Evaluated:
        reason = ""
        for _ in range(MAX_INTERRUPTIONS):
            try:
                return evaluate(order, self._worker_pool.workers(slot), expression)
            except (ZygoteDied, JudgeFault) as fault:
                reason = printable(str(fault))
                self._worker_pool.revive()
        raise JudgeUnavailable("judge.zygote_failed", reason=reason)

    def _start(self, work: Callable[[], Any], tenant: _Tenant) -> asyncio.Future[Any]:
        """Run a function in a thread and free the slots when the thread has finished.

        A caller may stop waiting earlier, but the processes of the job still occupy the slot.
        """
        future = asyncio.get_running_loop().run_in_executor(self._threads, work)
        future.add_done_callback(lambda _: self._move_out(tenant))
        return future

    def close(self) -> None:
        """Wait for the running jobs, and release the threads."""
        self._threads.shutdown()


@dataclass(slots=True, eq=False)
class _Tenant:
    """The slots of a job, and whether another job ran while it occupied them."""

    slots: list[int]
    had_company: bool = False


class _Run:
    """A job in a thread, whose events go to the event loop; None ends an interrupted run.

    Attributes:
        reason: The reason for the interruption.
    """

    def __init__(self, worker_pool: WorkerPool, order: Order, slot: int) -> None:
        self.events: asyncio.Queue[Event | None] = asyncio.Queue()
        self.reason = ""
        self._loop = asyncio.get_running_loop()
        self._worker_pool = worker_pool
        self._order = order
        self._slot = slot
        self._supervisor: Supervisor | None = None
        self._cancelled = False
        self._made: deque[Event | None] = deque()
        self._is_due = False

    def cancel(self) -> None:
        """Cancel the job if it still runs."""
        self._cancelled = True
        if self._supervisor is not None:
            self._supervisor.cancel()

    def work(self) -> None:
        """Judge; the last event is ``Done``, or None if a zygote ended and was restarted."""
        try:
            self._judge()
        except BaseException as error:
            # The caller waits for `Done`; the future raises the error itself.
            self._finish(f"{type(error).__name__}: {error}")
            raise

    def _judge(self) -> None:
        try:
            self._emit(Done(report=self._attempt()))
        except Cancelled:
            self._emit(Done(report=None))
        except (ZygoteDied, JudgeFault) as fault:
            self.reason = printable(str(fault))
            self._emit(Interrupted(reason=self.reason))
            self._worker_pool.revive()
            self._emit(None)

    def _attempt(self) -> Report:
        self._supervisor = self._worker_pool.supervisor(self._order, self._emit, slot=self._slot)
        if self._cancelled:
            raise Cancelled
        return self._supervisor.run()

    def _finish(self, reason: str) -> None:
        report = internal_error(self._order, reason, self._worker_pool.isolation)
        self._emit(VerdictReached(report=report))
        self._emit(Done(report=report))

    def _emit(self, event: Event | None) -> None:
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
