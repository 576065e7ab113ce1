"""A host whose worker pool fails, or whose predecessor left nonsense, still answers everybody."""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.reports import stored_report, tag
from torchstone.bank.loader import CONTENT
from torchstone.core.errors import JudgeUnavailable, TorchstoneError
from torchstone.core.isolation import Isolation
from torchstone.judge.host.protocol import read_request
from torchstone.judge.host.server import Host
from torchstone.judge.order import Order
from torchstone.store import Store, open_store


class Idle:
    """Stand for a worker pool that starts, or not, and judges nothing."""

    capacity = 1
    isolation = Isolation.NONE
    bank_root = CONTENT
    pids = ()

    def __init__(self, failure: Exception | None = None) -> None:
        self.failure = failure

    def start(self) -> None:
        if self.failure is not None:
            raise self.failure

    def stop(self) -> None:
        """Nothing runs."""

    def require_level(self, order: Order) -> None:
        """Every problem can be judged."""


def with_host(
    data: Path, work: Callable[[Host, Store], Awaitable[Any]], failure: Exception | None = None
) -> Any:
    async def run() -> Any:
        with open_store(data / "torchstone.db") as store:
            host = Host(store, Idle(failure), idle_s=900.0)  # type: ignore[arg-type]
            try:
                return await asyncio.wait_for(work(host, store), 20)
            finally:
                await host.close()

    return asyncio.run(run())


async def answers(host: Host, **request: Any) -> list[Any]:
    asked = read_request(json.dumps(request).encode())
    return [line.message async for lines in host._obey(asked) for line in lines]


def test_whoever_waits_is_told_that_the_host_cannot_start(tmp_path: Path) -> None:
    async def work(host: Host, store: Store) -> str:
        waiting = asyncio.create_task(answers(host, op="status", wait=True))
        with pytest.raises(OSError, match="no space"):
            await host.prepare()
        # It is of no use to anybody, so it leaves at once.
        await host.leave_when_idle()
        with pytest.raises(TorchstoneError, match="no space") as told:
            await waiting
        return told.value.code

    assert with_host(tmp_path, work, OSError("no space")) == "judge.host_failed"


def test_a_host_that_is_told_to_end_ends_its_start(tmp_path: Path) -> None:
    is_abandoned = threading.Event()

    class Starting(Idle):
        def start(self) -> None:
            assert is_abandoned.wait(60), "nobody ended the start"
            raise JudgeUnavailable("judge.zygote_failed", reason="")

        def abandon(self) -> None:
            is_abandoned.set()

    async def run() -> None:
        with open_store(tmp_path / "torchstone.db") as store:
            host = Host(store, Starting(), idle_s=900.0)  # type: ignore[arg-type]
            preparing = asyncio.create_task(host.prepare())
            await asyncio.sleep(0)
            host.abandon_start()
            await preparing
            await host.close()

    asyncio.run(run())


def test_a_left_submission_of_an_unknown_problem_stops_nobody(tmp_path: Path) -> None:
    async def work(host: Host, store: Store) -> list[dict[str, Any]]:
        job = store.add_submission("99", "pass", client_key="k")
        await host.prepare()
        assert (await answers(host, op="status", wait=True))[0].ready
        return await answers(host, op="attach", job=job)

    assert tag(with_host(tmp_path, work)[-1]) == "error"


def test_a_submission_that_was_judged_is_not_judged_again(tmp_path: Path) -> None:
    async def work(host: Host, store: Store) -> list[dict[str, Any]]:
        job = store.add_submission("01", "pass", client_key="k")
        assert store.claim(job, "dead host")
        assert store.record_verdict(job, stored_report(), {})
        await host.prepare()
        return await answers(host, op="submit", problem="01", source="pass", client_key="k")

    events = with_host(tmp_path, work)
    assert [tag(event) for event in events] == ["accepted", "done"]
    assert events[-1].report.verdict == "AC"


def test_half_a_surrogate_pair_is_a_bad_request(tmp_path: Path) -> None:
    async def work(host: Host, store: Store) -> None:
        await host.prepare()
        with pytest.raises(TorchstoneError) as told:
            await answers(host, op="submit", problem="01", source="\ud800", client_key="k")
        assert told.value.code == "judge.bad_request"

    with_host(tmp_path, work)
