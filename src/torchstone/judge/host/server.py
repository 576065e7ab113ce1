"""Judge host of one data folder: it owns the queue, the workers and every stored verdict.

The first call that needs the host starts it. The host ends after a time without requests. A client
sends one request over a Unix socket; the host answers with events, one JSON object a line, and
closes the connection. This module does not import torch.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import functools
import json
import os
import secrets
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TypeAlias

import msgspec

import torchstone
from torchstone.bank.loader import CONTENT
from torchstone.core import paths
from torchstone.core.errors import BadInput, JudgeUnavailable, TorchstoneError
from torchstone.core.isolation import Isolation
from torchstone.core.verdict import State
from torchstone.judge.events import Accepted, CancelledEvent, Done, Stage, StageReached, now_ms
from torchstone.judge.host.lock import hold_lock, write_address
from torchstone.judge.host.problem_cache import ProblemCache
from torchstone.judge.host.protocol import (
    PROTOCOL,
    REQUEST_CAP,
    SOURCE_CAP,
    AskStatus,
    Attach,
    Cancel,
    Evaluate,
    Judge,
    Line,
    Over,
    Request,
    Status,
    Stop,
    Stopping,
    Submit,
    alone,
    is_ours,
    read_request,
    refusal_of,
    write_line,
)
from torchstone.judge.host.submission_runner import SubmissionRunner, ending_of, interrupted_row
from torchstone.judge.native.build import NativeBuildError
from torchstone.judge.order import Order
from torchstone.judge.pool.executor import Executor, LocalPool
from torchstone.judge.pool.worker_pool import WorkerPool
from torchstone.judge.receipt import write_receipt
from torchstone.store import Store, SubmissionSummary, open_store

QUEUE_CAP = 512
IDLE_SECONDS = 900.0

# Messages to a client; messages that are ready at the same time come in one list.
Lines: TypeAlias = AsyncIterator[list[Line]]


class Host:
    """Server of one data folder: answers clients' requests and judges their submissions."""

    def __init__(self, store: Store, worker_pool: WorkerPool, *, idle_s: float) -> None:
        self.host_id = secrets.token_hex(6)
        self._store = store
        self._worker_pool = worker_pool
        self._problems = ProblemCache(worker_pool.bank_root)
        self._idle_s = idle_s
        self._pool: Executor | None = None
        self._ready = asyncio.Event()
        self._failure: TorchstoneError | NativeBuildError | None = None
        self._runner = SubmissionRunner(store, self.host_id, self._wait_ready)
        self._last_request = time.monotonic()
        self._conversations: set[asyncio.Task[None]] = set()
        self.stopping = asyncio.Event()

    async def prepare(self) -> None:
        """Start the zygotes, then continue the submissions that an earlier host did not finish."""
        try:
            await self._prepare()
        except (TorchstoneError, NativeBuildError) as error:
            self._failure = error
        except Exception as error:
            self._failure = JudgeUnavailable("judge.host_failed", reason=repr(error))
            raise
        finally:
            # Waiting clients must continue in every case: with a pool, or with the failure.
            self._ready.set()

    async def _prepare(self) -> None:
        await asyncio.to_thread(self._worker_pool.start)
        self._pool = LocalPool(self._worker_pool)
        recovery = await asyncio.to_thread(self._store.recover, self.host_id, interrupted_row)
        for submission_id in recovery.queued:
            self._continue(self._store.get_summary(submission_id))

    async def serve_client(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Answer one request with messages, one JSON object per line."""
        this = asyncio.current_task()
        assert this is not None, "each connection has a task"
        self._conversations.add(this)
        try:
            if not is_ours(writer):
                return
            try:
                line = await reader.readline()
            except ValueError:
                line = b""  # longer than any request
            async for lines in self._answer(line):
                writer.write(b"".join(map(write_line, lines)))
                await writer.drain()
        except (ConnectionResetError, BrokenPipeError):
            pass  # the client disconnected
        finally:
            self._conversations.discard(this)
            self._last_request = time.monotonic()
            writer.close()

    async def leave_when_idle(self) -> None:
        """Wait until the host was idle for its idle time, or must stop."""
        while not self.stopping.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.stopping.wait(), timeout=min(5.0, self._idle_s))
            await self._runner.retry_unsaved()
            if self._conversations or any(not job.is_over for job in self._runner.live.values()):
                self._last_request = time.monotonic()
            # A host that failed to start exits at once: a new one may succeed after the cause is
            # removed.
            idle_s = self._idle_s if self._failure is None else 0.0
            if time.monotonic() - self._last_request > idle_s:
                return

    def abandon_start(self) -> None:
        """Abort a start in progress, which takes seconds; waiting clients ask the next host."""
        if self._ready.is_set():
            return
        for conversation in self._conversations:
            conversation.cancel()
        self._worker_pool.abandon()

    async def close(self) -> None:
        """Cancel the running jobs and end every process; the next host judges them again."""
        await self._runner.stop()
        # A job without a record ends with the connection that requested it.
        for conversation in self._conversations:
            conversation.cancel()
        await asyncio.gather(*self._conversations, return_exceptions=True)
        if self._pool is not None:
            await asyncio.to_thread(self._pool.close)
        await asyncio.to_thread(self._worker_pool.stop)

    async def _answer(self, line: bytes) -> Lines:
        try:
            async for lines in self._obey(read_request(line)):
                yield lines
        except TorchstoneError as error:
            yield alone(refusal_of(error))
        except NativeBuildError as error:
            refusal = refusal_of(JudgeUnavailable("judge.native_failed", reason=str(error)))
            yield alone(refusal)

    def _obey(self, request: Request) -> Lines:
        match request:
            case Submit():
                return self._submit(request)
            case Judge():
                return self._judge_only(request)
            case Evaluate():
                return self._evaluate(request)
            case Attach():
                return self._attach(request)
            case Cancel():
                return self._cancel(request)
            case AskStatus():
                return self._status(request)
            case Stop():
                return self._stop()

    async def _submit(self, request: Submit) -> Lines:
        source, kind = request.source, request.kind
        order = self._recorded(request.problem, source, kind)
        if sum(not job.is_over for job in self._runner.live.values()) >= QUEUE_CAP:
            raise JudgeUnavailable("judge.queue_full", cap=QUEUE_CAP)
        problem_id = order.assignment.problem_id
        try:
            submission = await asyncio.to_thread(
                self._store.add_submission,
                problem_id,
                source,
                kind=kind,
                client_key=request.client_key,
            )
        except ValueError:  # the store refuses the text: half of a surrogate pair, a long key
            raise BadInput("judge.bad_request") from None
        # The submission is judged whether or not the client stays connected.
        self._continue(self._store.get_summary(submission), lambda: order)
        yield alone(Accepted(job=submission))
        async for lines in self._follow(submission):
            yield lines

    def _continue(self, known: SubmissionSummary, order: Callable[[], Order] | None = None) -> None:
        """Judge a queued submission; ignore one that has ended or that another host is judging."""
        if known.state in (State.QUEUED, State.INTERRUPTED):
            alone = known.state is State.INTERRUPTED
            self._runner.begin(
                known.id, order or functools.partial(self._stored_order, known.id), alone=alone
            )

    async def _follow(self, submission_id: str, begin: int = 0, host: str | None = None) -> Lines:
        """Yield the events of a submission; for one that has ended only its last event."""
        # Until it is ready, a host continues the submissions that the last host left unfinished.
        if not self._ready.is_set():
            yield alone(StageReached(stage=Stage.STARTING, at_ms=now_ms()))
        await self._wait_ready()
        live = self._runner.live.get(submission_id)
        if live is None or live.is_refused:
            known = self._store.get_summary(submission_id)
            if known.state in (State.DONE, State.CANCELLED):
                ending = ending_of(self._store.get_submission(submission_id))
                assert ending is not None, "a submission that is over stays over"
                yield alone(ending)
                return
            await self._runner.retry_unsaved()
            self._continue(known)
            live = self._runner.live.get(submission_id)
        if live is None:
            raise JudgeUnavailable("judge.submission_lost", id=submission_id)
        # Event numbers of another run belong to a run that ended with its host.
        position = max(0, begin) if host in (None, live.host_id) else 0
        if live.is_over:
            position = min(position, len(live.lines) - 1)
        async for lines in live.follow(position):
            yield lines

    async def _judge_only(self, request: Judge) -> Lines:
        """Judge without a record: for other files, proofs and replays."""
        order = self._order(request)
        if not self._ready.is_set():
            yield alone(StageReached(stage=Stage.STARTING, at_ms=now_ms()))
        pool = await self._wait_ready()
        if not self._worker_pool.isolation.is_at_least(request.at_least):
            raise JudgeUnavailable(
                "judge.isolation_too_low",
                level=self._worker_pool.isolation,
                needed=request.at_least,
            )
        async with contextlib.aclosing(pool.judge(order)) as events:
            async for event in events:
                if isinstance(event, Done) and event.report is not None:
                    receipt = write_receipt(order, event.report)
                    report = msgspec.structs.replace(event.report, receipt=receipt.id)
                    event = Done(report=report, receipt=receipt)
                yield alone(event)

    async def _evaluate(self, request: Evaluate) -> Lines:
        order = self._order(Judge(problem=request.problem, source=request.source))
        pool = await self._wait_ready()
        yield alone(await pool.scratch(order, request.expression))

    async def _attach(self, request: Attach) -> Lines:
        submission_id = self._store.find_submission(request.job).id
        async for lines in self._follow(submission_id, request.begin, request.host):
            yield lines

    async def _cancel(self, request: Cancel) -> Lines:
        submission = self._store.find_submission(request.job)
        cancelled = await asyncio.to_thread(self._store.cancel, submission.id)
        live = self._runner.live.get(submission.id)
        if live is not None and live.task is not None and cancelled and not live.is_over:
            live.task.cancel()
            live.publish(CancelledEvent())
        yield alone(CancelledEvent() if cancelled else Over())

    async def _status(self, request: AskStatus) -> Lines:
        if request.wait:
            await self._wait_ready()
        status = Status(
            pid=os.getpid(),
            version=torchstone.__version__,
            protocol=PROTOCOL,
            bank=str(self._worker_pool.bank_root),
            ready=self._pool is not None,
            isolation=self._worker_pool.isolation,
            capacity=self._worker_pool.capacity,
            waiting=self._pool.num_waiting if self._pool else 0,
            pids=tuple(self._worker_pool.pids),
        )
        yield alone(status)

    async def _stop(self) -> Lines:
        self.stopping.set()
        yield alone(Stopping())

    async def _wait_ready(self) -> Executor:
        await self._ready.wait()
        if self._failure is not None:
            raise self._failure
        assert self._pool is not None, "a host that is ready has a pool or a failure"
        return self._pool

    def _order(self, request: Judge) -> Order:
        if len(request.source) > SOURCE_CAP:
            raise BadInput("judge.source_too_long", kib=SOURCE_CAP >> 10)
        entry = self._problems.find(request.problem)
        strays = [name for name in request.groups or () if name not in entry.groups]
        if strays:
            raise BadInput("judge.unknown_group", group=strays[0], known=", ".join(entry.groups))
        order = Order(
            assignment=entry.assignment,
            source=request.source,
            seed=secrets.randbits(62) if request.seed is None else request.seed,
            groups=request.groups or None,
            explain=request.explain,
        )
        self._worker_pool.require_level(order)
        return order

    def _recorded(self, problem: str, source: str, kind: str) -> Order:
        """Return a recorded submission's order with a random seed; a run has only the samples."""
        groups = ("sample",) if kind == "run" else None
        return self._order(Judge(problem=problem, source=source, groups=groups))

    def _stored_order(self, submission_id: str) -> Order:
        known = self._store.get_submission(submission_id)
        return self._recorded(known.problem_id, known.source, known.kind)


async def run_host(
    data: Path, bank_root: Path, *, workers: int, at_most: Isolation, idle_s: float
) -> int:
    """Serve until idle or stopped; return 0, even if another host has the data folder."""
    with hold_lock(data) as lock:
        if lock is None:
            return 0
        with open_store(data / "torchstone.db") as store:
            worker_pool = WorkerPool(
                bank_root=bank_root, cache=paths.cache_dir(), capacity=workers, at_most=at_most
            )
            await _serve(Host(store, worker_pool, idle_s=idle_s), paths.socket_path(data), lock)
    return 0


async def _serve(host: Host, path: Path, lock: int) -> None:
    path.unlink(missing_ok=True)  # this host holds the lock, so the socket's host has ended
    old_mask = os.umask(0o177)
    server = await asyncio.start_unix_server(host.serve_client, path, limit=REQUEST_CAP)
    os.umask(old_mask)
    write_address(lock, path)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, host.stopping.set)
    preparing = loop.create_task(host.prepare())
    try:
        async with server:
            await host.leave_when_idle()
            write_address(lock, None)
            path.unlink(missing_ok=True)
    finally:
        host.abandon_start()
        await asyncio.gather(preparing, return_exceptions=True)
        await host.close()


def main(argv: list[str] | None = None) -> int:
    """Run a host in the foreground."""
    parser = argparse.ArgumentParser(
        prog="python -m torchstone.judge.host.server", description=__doc__
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--bank", type=Path, default=CONTENT)
    parser.add_argument("--workers", type=int, default=max(1, min(4, os.cpu_count() or 1)))
    parser.add_argument("--at-most", type=Isolation, default=Isolation.FULL)
    parser.add_argument("--idle", type=float, default=IDLE_SECONDS)
    options = parser.parse_args(argv)
    try:
        data = paths.private_dir(options.data) if options.data else paths.data_dir()
        return asyncio.run(
            run_host(
                data,
                options.bank.resolve(),
                workers=options.workers,
                at_most=options.at_most,
                idle_s=options.idle,
            )
        )
    except TorchstoneError as error:
        # Written to the log, in both languages.
        shapes = {lang: error.shape(lang) for lang in ("en", "zh")}
        sys.stderr.write(f"{json.dumps(shapes, ensure_ascii=False)}\n")
        return int(error.exit_code)


if __name__ == "__main__":
    raise SystemExit(main())
