"""Serve one data folder: own its queue, its workers and every write of a verdict.

The first call that needs the host starts it; it leaves when nobody has asked for anything for a
while. Clients speak JSON lines over a Unix socket: one request, then events until the host closes
the line. No torch is imported here.
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
from typing import Any

import torchstone
from torchstone.bank.loader import CONTENT
from torchstone.core import paths
from torchstone.core.errors import BadInput, JudgeUnavailable, TorchstoneError
from torchstone.core.isolation import Isolation
from torchstone.core.verdict import State
from torchstone.judge.catalogue import Catalogue
from torchstone.judge.executor import Executor, LocalPool
from torchstone.judge.live import LiveJob
from torchstone.judge.lock import hold_lock, write_address
from torchstone.judge.native.build import NativeBuildError
from torchstone.judge.order import Event, Order
from torchstone.judge.protocol import (
    PROTOCOL,
    REQUEST_CAP,
    SOURCE_CAP,
    error_event,
    is_ours,
    text_of,
)
from torchstone.judge.receipt import write_receipt
from torchstone.judge.workshop import Workshop
from torchstone.store import Store, SubmissionKind, open_store

QUEUE_CAP = 512
IDLE_SECONDS = 900.0


class Host:
    """Answer clients and judge what they submit."""

    def __init__(self, store: Store, workshop: Workshop, *, idle_s: float) -> None:
        self.host_id = secrets.token_hex(6)
        self._store = store
        self._workshop = workshop
        self._catalogue = Catalogue(workshop.bank_root)
        self._idle_s = idle_s
        self._pool: Executor | None = None
        self._ready = asyncio.Event()
        self._failure: TorchstoneError | NativeBuildError | None = None
        self._live: dict[str, LiveJob] = {}
        self._last_request = time.monotonic()
        self._num_clients = 0
        self.stopping = asyncio.Event()
        self._operations: dict[str, Callable[[dict[str, Any]], AsyncIterator[list[Event]]]] = {
            "submit": self._submit,
            "judge": self._judge_only,
            "scratch": self._scratch,
            "attach": self._attach,
            "cancel": self._cancel,
            "status": self._status,
            "stop": self._stop,
        }

    async def prepare(self) -> None:
        """Start the zygotes, then take over what a dead host has left."""
        try:
            await self._prepare()
        except (TorchstoneError, NativeBuildError) as error:
            self._failure = error
        except Exception as error:
            self._failure = JudgeUnavailable("judge.host_failed", reason=repr(error))
            raise
        finally:
            # Whoever waits is told, whatever happened.
            self._ready.set()

    async def _prepare(self) -> None:
        await asyncio.to_thread(self._workshop.start)
        self._pool = LocalPool(self._workshop)
        recovery = await asyncio.to_thread(self._store.recover, self.host_id)
        for submission_id in recovery.queued:
            submission = self._store.get_submission(submission_id)
            order = functools.partial(
                self._recorded, submission.problem_id, submission.source, submission.kind
            )
            self._begin(submission_id, order)

    async def serve_client(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Answer one request with events, one JSON object a line."""
        self._num_clients += 1
        try:
            if not is_ours(writer):
                return
            try:
                line = await reader.readline()
            except ValueError:
                line = b""  # longer than any request
            async for events in self._answer(line):
                lines = [json.dumps(event) + "\n" for event in events]
                writer.write("".join(lines).encode())
                await writer.drain()
        except (ConnectionResetError, BrokenPipeError):
            pass  # the client left
        finally:
            self._num_clients -= 1
            self._last_request = time.monotonic()
            writer.close()

    async def leave_when_idle(self) -> None:
        """Wait until nobody has needed the host for a while."""
        while not self.stopping.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.stopping.wait(), timeout=min(5.0, self._idle_s))
            busy = self._num_clients or any(not job.is_over for job in self._live.values())
            if busy:
                self._last_request = time.monotonic()
            # A host that could not start is of no use: the next one may find what was missing.
            idle_s = self._idle_s if self._failure is None else 0.0
            if time.monotonic() - self._last_request > idle_s:
                return

    async def close(self) -> None:
        """Cancel what runs (it will be judged by the next host) and end every process."""
        for job in self._live.values():
            if job.task is not None:
                job.task.cancel()
        await asyncio.gather(
            *(j.task for j in self._live.values() if j.task), return_exceptions=True
        )
        if self._pool is not None:
            await asyncio.to_thread(self._pool.close)
        await asyncio.to_thread(self._workshop.stop)

    async def _answer(self, line: bytes) -> AsyncIterator[list[Event]]:
        try:
            request = json.loads(line)
            operation = self._operations[request["op"]]
        except (ValueError, KeyError, TypeError, RecursionError):
            yield [error_event(BadInput("judge.bad_request"))]
            return
        try:
            async for events in operation(request):
                yield events
        except TorchstoneError as error:
            yield [error_event(error)]
        except NativeBuildError as error:
            yield [error_event(JudgeUnavailable("judge.native_failed", reason=str(error)))]

    async def _submit(self, request: dict[str, Any]) -> AsyncIterator[list[Event]]:
        problem, source = text_of(request, "problem"), text_of(request, "source")
        kind: SubmissionKind = "run" if request.get("kind") == "run" else "submit"
        order = self._recorded(problem, source, kind)
        if sum(not job.is_over for job in self._live.values()) >= QUEUE_CAP:
            raise JudgeUnavailable("judge.queue_full", cap=QUEUE_CAP)
        problem_id = order.assignment.problem_id
        client_key = text_of(request, "client_key")
        try:
            submission = await asyncio.to_thread(
                self._store.add_submission, problem_id, source, kind=kind, client_key=client_key
            )
        except ValueError:  # text that no store takes: half of a surrogate pair, an endless key
            raise BadInput("judge.bad_request") from None
        yield [{"type": "accepted", "job": submission}]
        await self._wait_ready()
        live = self._live.get(submission)
        if live is None and (known := self._store.get_submission(submission)).report:
            # Sent again after a lost answer: it is judged once.
            yield [{"type": "done", "job": submission, "report": known.report}]
            return
        live = live or self._begin(submission, lambda: order)
        async for events in live.follow():
            yield events

    async def _judge_only(self, request: dict[str, Any]) -> AsyncIterator[list[Event]]:
        """Judge without recording anything: files from elsewhere, proofs, replays."""
        order = self._order(text_of(request, "problem"), text_of(request, "source"), request)
        minimum = request.get("at_least", Isolation.NONE)
        if minimum not in set(Isolation):
            raise BadInput("judge.bad_request")
        minimum = Isolation(minimum)
        pool = await self._wait_ready()
        if not self._workshop.isolation.is_at_least(minimum):
            raise JudgeUnavailable(
                "judge.isolation_too_low", level=self._workshop.isolation, wanted=minimum
            )
        async with contextlib.aclosing(pool.judge(order)) as events:
            async for event in events:
                if event["type"] == "done" and event["report"]:
                    event["receipt"] = write_receipt(order, event["report"])
                    event["report"]["receipt"] = event["receipt"]["id"]
                yield [event]

    async def _scratch(self, request: dict[str, Any]) -> AsyncIterator[list[Event]]:
        order = self._order(text_of(request, "problem"), text_of(request, "source"), request)
        pool = await self._wait_ready()
        yield [await pool.scratch(order, text_of(request, "expression"))]

    async def _attach(self, request: dict[str, Any]) -> AsyncIterator[list[Event]]:
        submission_id = self._store.find_submission(text_of(request, "job")).id
        # A host that has just started takes over what the last one left before it is ready.
        await self._wait_ready()
        live = self._live.get(submission_id)
        if live is not None:
            begin = request.get("begin", 0)
            # The numbers of another host are of a run that died with it.
            is_known = type(begin) is int and request.get("host", self.host_id) == self.host_id
            async for events in live.follow(max(0, begin) if is_known else 0):
                yield events
            return
        known = self._store.get_submission(submission_id)
        ending = "cancelled" if known.state is State.CANCELLED else "done"
        yield [{"type": ending, "job": known.id, "report": known.report}]

    async def _cancel(self, request: dict[str, Any]) -> AsyncIterator[list[Event]]:
        submission = self._store.find_submission(text_of(request, "job"))
        cancelled = await asyncio.to_thread(self._store.cancel, submission.id)
        live = self._live.get(submission.id)
        if live is not None and live.task is not None and cancelled:
            live.task.cancel()
            live.publish({"type": "cancelled"})
        yield [{"type": "cancelled" if cancelled else "over", "job": submission.id}]

    async def _status(self, request: dict[str, Any]) -> AsyncIterator[list[Event]]:
        if request.get("wait"):
            await self._wait_ready()
        status = {
            "type": "status",
            "pid": os.getpid(),
            "version": torchstone.__version__,
            "protocol": PROTOCOL,
            "bank": str(self._workshop.bank_root),
            "ready": self._pool is not None,
            "isolation": self._workshop.isolation,
            "capacity": self._workshop.capacity,
            "waiting": self._pool.num_waiting if self._pool else 0,
            "pids": self._workshop.pids,
        }
        yield [status]

    async def _stop(self, request: dict[str, Any]) -> AsyncIterator[list[Event]]:
        self.stopping.set()
        yield [{"type": "stopping"}]

    async def _wait_ready(self) -> Executor:
        await self._ready.wait()
        if self._failure is not None:
            raise self._failure
        assert self._pool is not None, "ready means that there is a pool or a failure"
        return self._pool

    def _order(self, problem: str, source: str, request: dict[str, Any]) -> Order:
        if len(source) > SOURCE_CAP:
            raise BadInput("judge.source_too_long", kib=SOURCE_CAP >> 10)
        seed = request.get("seed")
        groups = request.get("groups") or []
        if not isinstance(groups, list):
            raise BadInput("judge.bad_request")
        entry = self._catalogue.find(problem)
        strays = [name for name in groups if name not in entry.groups]
        if strays:
            raise BadInput("judge.unknown_group", group=strays[0], known=", ".join(entry.groups))
        return Order(
            assignment=entry.assignment,
            source=source,
            seed=seed if type(seed) is int else secrets.randbits(62),
            groups=tuple(groups) if groups else None,
            explain=request.get("explain") is not False,
        )

    def _recorded(self, problem: str, source: str, kind: str) -> Order:
        """Order what is recorded: under a seed that nobody chose, a run with the samples alone."""
        return self._order(problem, source, {"groups": ["sample"]} if kind == "run" else {})

    def _begin(self, submission: str, order: Callable[[], Order]) -> LiveJob:
        job = LiveJob(submission, self.host_id)
        self._live[submission] = job
        job.task = asyncio.get_running_loop().create_task(self._run(job, order))
        return job

    async def _run(self, job: LiveJob, order: Callable[[], Order]) -> None:
        try:
            # A submission that a dead host left may be of a problem that this bank has not.
            await self._judge_live(job, order())
        except TorchstoneError as error:
            # A verdict that cannot be stored is none: the next host will judge again.
            job.publish(error_event(error))
        except Exception as error:
            job.publish(error_event(JudgeUnavailable("judge.host_failed", reason=str(error))))
            raise
        self._forget()

    async def _judge_live(self, job: LiveJob, order: Order) -> None:
        pool = await self._wait_ready()
        is_claimed = False
        async with contextlib.aclosing(pool.judge(order)) as events:
            async for event in events:
                ends = event["type"] == "done" and event["report"]
                # A judge that failed before it could begin has a verdict to record, too.
                if (event["type"] == "started" or ends) and not is_claimed:
                    await asyncio.to_thread(self._store.claim, job.submission, self.host_id)
                    is_claimed = True
                if ends:
                    await self._record(job, order, event["report"])
                job.publish(event)

    async def _record(self, job: LiveJob, order: Order, report: dict[str, Any]) -> None:
        receipt = write_receipt(order, report)
        report["receipt"] = receipt["id"]
        await asyncio.to_thread(self._store.record_verdict, job.submission, report, receipt)

    def _forget(self) -> None:
        """Keep the events of the last hundred jobs only; older ones are in the store."""
        over = [name for name, job in self._live.items() if job.is_over]
        for name in over[:-100]:
            del self._live[name]


async def run_host(
    data: Path, bank_root: Path, *, workers: int, at_most: Isolation, idle_s: float
) -> int:
    """Serve until idle or told to stop; 0 also when another host has the folder already."""
    with hold_lock(data) as lock:
        if lock is None:
            return 0
        with open_store(data / "torchstone.db") as store:
            workshop = Workshop(
                bank_root=bank_root, cache=paths.cache_dir(), capacity=workers, at_most=at_most
            )
            await _serve(Host(store, workshop, idle_s=idle_s), paths.socket_path(data), lock)
    return 0


async def _serve(host: Host, path: Path, lock: int) -> None:
    path.unlink(missing_ok=True)  # we hold the lock, so whoever made it is dead
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
        await asyncio.gather(preparing, return_exceptions=True)
        await host.close()


def main(argv: list[str] | None = None) -> int:
    """Run a host in the foreground."""
    parser = argparse.ArgumentParser(prog="python -m torchstone.judge.host", description=__doc__)
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
        sys.stderr.write(f"{both_lines(error)}\n")
        return int(error.exit_code)


def both_lines(error: TorchstoneError) -> str:
    """Format an error in both languages for the log."""
    return json.dumps({lang: error.shape(lang) for lang in ("en", "zh")}, ensure_ascii=False)


if __name__ == "__main__":
    raise SystemExit(main())
