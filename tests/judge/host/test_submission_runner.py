"""What a host that stops leaves in the store: interrupted jobs, and nothing that was judged."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.reports import stored_report
from torchstone.core.errors import StoreError
from torchstone.core.verdict import State, Verdict
from torchstone.judge.events import Event, Stage, StageReached, now_ms
from torchstone.judge.host.submission_runner import SubmissionRunner, interrupted_row
from torchstone.judge.order import Order
from torchstone.store import Store, open_store

pytestmark = pytest.mark.pure


class Stuck:
    """Stand for a pool whose jobs begin and never end."""

    async def judge(self, order: Order, *, alone: bool) -> AsyncIterator[Event]:
        yield StageReached(stage=Stage.PREPARING, at_ms=now_ms())
        await asyncio.Event().wait()


def no_order() -> Any:
    """Return what a pool that judges nothing needs."""


async def start(store: Store, host_id: str, submission: str) -> SubmissionRunner:
    """Begin to judge a submission; return when the store has it running."""

    async def pool() -> Any:
        return Stuck()

    recorder = SubmissionRunner(store, host_id, pool)
    recorder.begin(submission, no_order)
    while store.get_submission(submission).state is not State.RUNNING:
        await asyncio.sleep(0.01)
    return recorder


def test_a_host_that_stops_leaves_its_jobs_interrupted(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        submission = store.add_submission("01", "pass", client_key="k")
        await (await start(store, "first", submission)).stop()
        assert store.get_submission(submission).state is State.INTERRUPTED
        assert store.recover("second", interrupted_row).queued == (submission,)
        await (await start(store, "second", submission)).stop()
        given_up = store.get_submission(submission)
        assert given_up.state is State.DONE
        assert given_up.report is not None
        assert given_up.report["verdict"] == Verdict.IE

    with open_store(tmp_path / "torchstone.db") as store:
        asyncio.run(asyncio.wait_for(work(store), 20))


def test_what_was_judged_or_cancelled_meanwhile_stays_so(tmp_path: Path) -> None:
    async def work(store: Store) -> None:
        judged = store.add_submission("01", "pass", client_key="k")
        recorder = await start(store, "first", judged)
        assert store.record_verdict(judged, stored_report(), {})
        await recorder.stop()
        assert store.get_submission(judged).state is State.DONE
        cancelled = store.add_submission("01", "pass", client_key="l")
        recorder = await start(store, "first", cancelled)
        assert store.cancel(cancelled)
        await recorder.stop()
        assert store.get_submission(cancelled).state is State.CANCELLED

    with open_store(tmp_path / "torchstone.db") as store:
        asyncio.run(asyncio.wait_for(work(store), 20))


def test_a_store_that_fails_does_not_keep_a_host_from_stopping(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreError("store.busy", path="torchstone.db", reason="locked")

    async def work(store: Store) -> None:
        submission = store.add_submission("01", "pass", client_key="k")
        recorder = await start(store, "first", submission)
        with monkeypatch.context() as patched:
            patched.setattr(store, "interrupt_host", fail)
            await recorder.stop()
        assert store.get_submission(submission).state is State.RUNNING
        assert store.recover("second", interrupted_row).queued == (submission,)

    with open_store(tmp_path / "torchstone.db") as store:
        asyncio.run(asyncio.wait_for(work(store), 20))
