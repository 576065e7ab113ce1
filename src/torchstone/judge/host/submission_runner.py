"""SubmissionRunner: claim a submission, follow its job, and record its verdict once."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Awaitable, Callable

import msgspec

from torchstone.core.errors import BadInput, JudgeUnavailable, StoreError, TorchstoneError
from torchstone.core.verdict import State
from torchstone.judge.events import CancelledEvent, Done, Interrupted, StageReached
from torchstone.judge.host.live_events import LiveJob
from torchstone.judge.host.protocol import refusal_of
from torchstone.judge.messages import Report, plain, read_report
from torchstone.judge.order import Order
from torchstone.judge.pool.executor import Executor
from torchstone.judge.receipt import write_receipt
from torchstone.judge.report import damaged_report, interrupted_report
from torchstone.store import Store, Submission
from torchstone.store.records import JsonObject

# Number of finished jobs whose events are kept; the store has the reports of all jobs.
NUM_KEPT = 100


class SubmissionRunner:
    """Runner of the submissions of one store.

    Attributes:
        live: The running jobs and the last finished ones, by submission.
    """

    def __init__(
        self, store: Store, host_id: str, wait_ready: Callable[[], Awaitable[Executor]]
    ) -> None:
        self.live: dict[str, LiveJob] = {}
        self._store = store
        self._host_id = host_id
        self._numbers = itertools.count()
        # Orders of submissions to judge again when the store works again.
        self._unsaved: dict[str, Callable[[], Order]] = {}
        self._wait_ready = wait_ready

    def begin(self, submission: str, order: Callable[[], Order], *, alone: bool = False) -> LiveJob:
        """Start judging a submission unless it is being judged already; return its job.

        Args:
            submission: The submission.
            order: Returns its order.
            alone: Whether to run no other job at the same time, because an earlier run was
                interrupted.
        """
        known = self.live.get(submission)
        if known is not None and not known.is_over:
            return known
        # A later run of the same submission restarts its event numbers, so its id differs.
        job = LiveJob(submission, f"{self._host_id}-{next(self._numbers)}")
        self.live[submission] = job
        self._unsaved.pop(submission, None)
        job.task = asyncio.get_running_loop().create_task(self._run(job, order, alone=alone))
        return job

    async def retry_unsaved(self) -> None:
        """Judge again the submissions whose verdict the store could not record."""
        for submission, order in list(self._unsaved.items()):
            try:
                await asyncio.to_thread(self._store.release, submission, self._host_id)
            except StoreError:
                return  # the store still fails; the next call tries again
            self.begin(submission, order)

    async def stop(self) -> None:
        """Cancel the running jobs and mark their submissions as interrupted.

        The next host judges them again; see ``Store.recover``.
        """
        tasks = [job.task for job in self.live.values() if job.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        # If the store fails, the next host finds the submissions in the state "running".
        with contextlib.suppress(TorchstoneError):
            for submission in self._unsaved:
                await asyncio.to_thread(self._store.release, submission, self._host_id)
            await asyncio.to_thread(self._store.interrupt_host, self._host_id, interrupted_row)

    async def _run(self, job: LiveJob, order: Callable[[], Order], *, alone: bool) -> None:
        try:
            while not await self._is_judged(job, order, alone=alone):
                alone = True
        except StoreError as error:
            if error.code == "store.row_damaged":
                await self._end_damaged(job)
            else:
                self._unsaved[job.submission] = order
            # A verdict that is not stored does not count: `retry_unsaved` judges again.
            job.publish(refusal_of(error))
        except TorchstoneError as error:
            job.publish(refusal_of(error))
        except Exception as error:
            job.publish(refusal_of(JudgeUnavailable("judge.host_failed", reason=str(error))))
            raise
        self._forget()

    async def _is_judged(self, job: LiveJob, order: Callable[[], Order], *, alone: bool) -> bool:
        """Judge once; return False if a fault of this host interrupted the job."""
        try:
            # `order` raises if the problem of an earlier host's submission is not in this bank.
            await self._judge_live(job, order(), alone=alone)
        except TorchstoneError:
            raise
        except Exception as error:
            state = await asyncio.to_thread(
                self._store.mark_interrupted, job.submission, interrupted_row
            )
            if state is State.INTERRUPTED:
                job.publish(Interrupted(reason=f"{type(error).__name__}: {error}"))
                return False
            if not self._is_over(job):
                raise
        return True

    async def _judge_live(self, job: LiveJob, order: Order, *, alone: bool) -> None:
        pool = await self._wait_ready()
        is_claimed = False
        async with contextlib.aclosing(pool.judge(order, alone=alone)) as events:
            async for event in events:
                report = event.report if isinstance(event, Done) else None
                # A judge that failed before its first stage also has a verdict to record.
                if (isinstance(event, StageReached) or report is not None) and not is_claimed:
                    is_claimed = await asyncio.to_thread(
                        self._store.claim, job.submission, self._host_id
                    )
                    if not is_claimed:
                        break
                if report is not None:
                    await self._record(job, order, report)
                elif not isinstance(event, Done):
                    job.publish(event)
        if not self._is_over(job):
            assert not is_claimed, f"the pool gave no verdict of {job.submission}"
            raise JudgeUnavailable("judge.submission_lost", id=job.submission)

    def _is_over(self, job: LiveJob) -> bool:
        """Publish the stored end of a job, if any; return False if it has not ended."""
        if job.is_over:
            return True
        ending = ending_of(self._store.get_submission(job.submission))
        if ending is not None:
            job.publish(ending)
        return ending is not None

    async def _end_damaged(self, job: LiveJob) -> None:
        """Record IE for a submission whose stored text is damaged, without judging it."""
        problem_id = self._store.get_summary(job.submission).problem_id
        report = damaged_report(problem_id, job.submission)
        with contextlib.suppress(TorchstoneError):
            await asyncio.to_thread(self._store.claim, job.submission, self._host_id)
            await asyncio.to_thread(self._store.record_verdict, job.submission, plain(report), {})

    async def _record(self, job: LiveJob, order: Order, report: Report) -> None:
        """Store a verdict and publish it, unless the submission has already ended."""
        receipt = write_receipt(order, report)
        report = msgspec.structs.replace(report, receipt=receipt.id)
        is_stored = await asyncio.to_thread(
            self._store.record_verdict, job.submission, plain(report), plain(receipt)
        )
        if is_stored:
            job.publish(Done(report=report))

    def _forget(self) -> None:
        """Drop the events of all finished jobs except the last ones."""
        over = [name for name, job in self.live.items() if job.is_over]
        for name in over[:-NUM_KEPT]:
            del self.live[name]


def interrupted_row(problem_id: str, interruptions: int) -> JsonObject:
    """Return the report to store when a submission was interrupted too often."""
    return plain(interrupted_report(problem_id, interruptions))


def ending_of(known: Submission) -> Done | CancelledEvent | None:
    """Return the last event of a stored submission; None if it has not ended.

    Raises:
        BadInput: The stored report is not valid; an import can contain any text.
    """
    if known.state is State.CANCELLED:
        return CancelledEvent()
    if known.state is not State.DONE:
        return None
    try:
        return Done(report=read_report(known.report))
    except ValueError as error:
        raise BadInput("judge.report_unreadable", id=known.id) from error
