"""SubmissionRunner: claim a submission, follow its job, and record its verdict once."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

import msgspec

from torchstone.core.errors import BadInput, JudgeUnavailable, TorchstoneError
from torchstone.judge.events import Done, Started
from torchstone.judge.host.live_events import LiveJob
from torchstone.judge.host.protocol import refusal_of
from torchstone.judge.messages import Report, plain, read_report
from torchstone.judge.order import Order
from torchstone.judge.pool.executor import Executor
from torchstone.judge.receipt import write_receipt
from torchstone.judge.report import interrupted_report
from torchstone.store import Store, Submission
from torchstone.store.records import JsonObject

# How many finished jobs keep their events here; the store has the reports of all jobs.
NUM_KEPT = 100


class SubmissionRunner:
    """Judge the submissions of one store.

    Attributes:
        live: The jobs that run and the last finished ones, by submission.
    """

    def __init__(
        self, store: Store, host_id: str, wait_ready: Callable[[], Awaitable[Executor]]
    ) -> None:
        self.live: dict[str, LiveJob] = {}
        self._store = store
        self._host_id = host_id
        self._wait_ready = wait_ready

    def begin(self, submission: str, order: Callable[[], Order]) -> LiveJob:
        """Start to judge a submission and return its job, which publishes the events."""
        job = LiveJob(submission, self._host_id)
        self.live[submission] = job
        job.task = asyncio.get_running_loop().create_task(self._run(job, order))
        return job

    async def stop(self) -> None:
        """Cancel the jobs that run and record an interruption of each.

        The next host judges them again; see ``Store.recover``.
        """
        tasks = [job.task for job in self.live.values() if job.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for job in self.live.values():
            if not job.is_over:
                # If the store fails, the next host finds the submission in the state "running".
                with contextlib.suppress(TorchstoneError):
                    await asyncio.to_thread(
                        self._store.mark_interrupted, job.submission, interrupted_row
                    )

    async def _run(self, job: LiveJob, order: Callable[[], Order]) -> None:
        try:
            # `order` raises if the submission of an earlier host has a problem that is not here.
            await self._judge_live(job, order())
        except TorchstoneError as error:
            # A verdict that is not stored does not count: the next host judges again.
            job.publish(refusal_of(error))
        except Exception as error:
            job.publish(refusal_of(JudgeUnavailable("judge.host_failed", reason=str(error))))
            raise
        self._forget()

    async def _judge_live(self, job: LiveJob, order: Order) -> None:
        pool = await self._wait_ready()
        is_claimed = False
        async with contextlib.aclosing(pool.judge(order)) as events:
            async for event in events:
                report = event.report if isinstance(event, Done) else None
                # A judge that failed before `Started` also has a verdict to record.
                if (isinstance(event, Started) or report is not None) and not is_claimed:
                    await asyncio.to_thread(self._store.claim, job.submission, self._host_id)
                    is_claimed = True
                if report is None:
                    job.publish(event)
                else:
                    job.publish(Done(report=await self._record(job, order, report)))

    async def _record(self, job: LiveJob, order: Order, report: Report) -> Report:
        receipt = write_receipt(order, report)
        report = msgspec.structs.replace(report, receipt=receipt.id)
        await asyncio.to_thread(
            self._store.record_verdict, job.submission, plain(report), plain(receipt)
        )
        return report

    def _forget(self) -> None:
        """Drop the events of all finished jobs except the last ones."""
        over = [name for name, job in self.live.items() if job.is_over]
        for name in over[:-NUM_KEPT]:
            del self.live[name]


def interrupted_row(problem_id: str, interruptions: int) -> JsonObject:
    """Return the report to store when a submission was interrupted too often."""
    return plain(interrupted_report(problem_id, interruptions))


def report_of(known: Submission) -> Report | None:
    """Return the stored report of a submission.

    Raises:
        BadInput: The stored report is not valid; an import can contain any text.
    """
    try:
        return None if known.report is None else read_report(known.report)
    except ValueError as error:
        raise BadInput("judge.report_unreadable", id=known.id) from error
