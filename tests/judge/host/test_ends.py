"""Every acknowledged submission reaches an end, whether or not its client stays."""

import asyncio
import contextlib
import json
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.judge.host.stand_ins import StandInPool
from tests.reports import stored_report, tag
from torchstone.core import paths
from torchstone.core.errors import NotFound, StoreError, TorchstoneError
from torchstone.core.verdict import State, Verdict
from torchstone.judge.events import Accepted
from torchstone.judge.host.client import Client
from torchstone.judge.host.protocol import Submit, read_request, write_request
from torchstone.judge.host.server import Host
from torchstone.judge.order import Order
from torchstone.store import Store, open_store

pytestmark = pytest.mark.plain

NUM_CLIENTS = 200


def with_host(
    data: Path, work: Callable[[Host, Store], Awaitable[Any]], pool: StandInPool | None = None
) -> Any:
    async def run() -> Any:
        with open_store(data / "torchstone.db") as store:
            host = Host(store, pool or StandInPool(), idle_s=900.0)  # type: ignore[arg-type]
            try:
                return await asyncio.wait_for(work(host, store), 60)
            finally:
                await host.close()

    return asyncio.run(run())


async def answers(asked_host: Host, /, **request: Any) -> list[Any]:
    asked = read_request(json.dumps(request).encode())
    return [line.message async for lines in asked_host._obey(asked) for line in lines]


async def submit(host: Host, key: str, source: str = "pass") -> list[Any]:
    return await answers(host, op="submit", problem="01", source=source, client_key=key)


async def wait_until(is_true: Callable[[], bool]) -> None:
    while not is_true():
        await asyncio.sleep(0.01)


def states(store: Store) -> set[State]:
    return {one.state for one in store.submissions_of("01", limit=1000)}


@pytest.mark.full
@pytest.mark.parametrize("reads_the_answer", [False, True])
def test_clients_that_hang_up_after_submitting_are_judged(
    tmp_path: Path, reads_the_answer: bool
) -> None:
    def hang_up(number: int) -> None:
        if reads_the_answer:
            with contextlib.closing(Client(data=tmp_path).submit("01", "pass")) as events:
                assert isinstance(next(events), Accepted)
            return
        request = Submit(problem="01", source="pass", client_key=f"key {number}")
        with Client(data=tmp_path).connect() as sock:
            sock.sendall(write_request(request))

    async def work(host: Host, store: Store) -> None:
        await host.prepare()
        async with await asyncio.start_unix_server(host.serve_client, paths.socket_path(tmp_path)):
            with ThreadPoolExecutor(40) as threads:
                leaving = [
                    asyncio.wrap_future(threads.submit(hang_up, number))
                    for number in range(NUM_CLIENTS)
                ]
                await asyncio.gather(*leaving)
            await wait_until(lambda: store.count_submissions(["01"]) == NUM_CLIENTS)
            await wait_until(lambda: states(store) == {State.DONE})
            for line in store.submissions_of("01", limit=NUM_CLIENTS)[:: NUM_CLIENTS // 10]:
                attached = await answers(host, op="attach", job=line.id)
                assert attached[-1].report.verdict == "AC"

    with_host(tmp_path, work)


def test_a_client_that_left_before_the_host_was_ready_is_judged_once(tmp_path: Path) -> None:
    async def work(host: Host, store: Store) -> None:
        asked = read_request(
            b'{"op": "submit", "problem": "01", "source": "pass", "client_key": "k"}'
        )
        lines = host._obey(asked)
        assert tag((await anext(lines))[0].message) == "accepted"  # type: ignore[arg-type]
        await lines.aclose()  # type: ignore[attr-defined]
        await host.prepare()
        await wait_until(lambda: states(store) == {State.DONE})

    pool = StandInPool()
    with_host(tmp_path, work, pool)
    assert pool.judged == ["pass"]


def test_whoever_attaches_to_a_queued_submission_waits_for_its_report(tmp_path: Path) -> None:
    may_end = threading.Event()

    async def work(host: Host, store: Store) -> None:
        await host.prepare()
        # Another process stored it, and no client asked this host to judge it.
        job = store.add_submission("01", "pass", client_key="k")
        attached = asyncio.create_task(answers(host, op="attach", job=job))
        await wait_until(lambda: store.get_submission(job).state is State.RUNNING)
        assert not attached.done()
        may_end.set()
        assert (await attached)[-1].report.verdict == "AC"
        # A reader that has the last event already gets the end again, and no silence.
        place = host._runner.live[job].lines[-1].place
        assert place is not None
        again = await answers(host, op="attach", job=job, host=place.host, begin=place.number + 1)
        assert [tag(event) for event in again] == ["done"]

    with_host(tmp_path, work, StandInPool(work=lambda *_: may_end.wait(20) and None))


def test_a_submission_that_ended_or_is_unknown_says_so(tmp_path: Path) -> None:
    async def work(host: Host, store: Store) -> None:
        await host.prepare()
        job = store.add_submission("01", "pass", client_key="judged")
        store.claim(job, "dead host")
        store.record_verdict(job, stored_report(verdict="WA"), {})
        (done,) = await answers(host, op="attach", job=job)
        assert done.report.verdict == "WA"
        cancelled = store.add_submission("01", "pass", client_key="cancelled")
        store.cancel(cancelled)
        (ending,) = await answers(host, op="attach", job=cancelled)
        assert tag(ending) == "cancelled"
        with pytest.raises(NotFound):
            await answers(host, op="attach", job="0" * 12)

    with_host(tmp_path, work)


def test_a_submission_that_another_process_holds_is_lost_and_says_so(tmp_path: Path) -> None:
    async def work(host: Host, store: Store) -> str:
        await host.prepare()
        job = store.add_submission("01", "pass", client_key="k")
        store.claim(job, "another host")
        with pytest.raises(TorchstoneError) as told:
            await answers(host, op="attach", job=job)
        return told.value.code

    assert with_host(tmp_path, work) == "judge.submission_lost"


@pytest.mark.parametrize("state", [State.CANCELLED, State.DONE])
def test_the_same_key_gives_the_stored_end_after_a_restart(tmp_path: Path, state: State) -> None:
    async def work(host: Host, store: Store) -> list[str]:
        await host.prepare()
        return [tag(event) for event in await submit(host, "k")]

    with open_store(tmp_path / "torchstone.db") as store:
        job = store.add_submission("01", "pass", client_key="k")
        if state is State.CANCELLED:
            assert store.cancel(job)
        else:
            assert store.claim(job, "dead")
            assert store.record_verdict(job, stored_report(), {})
    pool = StandInPool()
    wanted = "cancelled" if state is State.CANCELLED else "done"
    assert with_host(tmp_path, work, pool) == ["accepted", wanted]
    assert pool.judged == []
    with open_store(tmp_path / "torchstone.db") as store:
        assert store.get_submission(job).state is state


def test_a_submission_cancelled_while_it_is_judged_gets_no_verdict(tmp_path: Path) -> None:
    async def work(host: Host, store: Store) -> None:
        await host.prepare()

        def cancel(order: Order, _cancelled: threading.Event) -> None:
            (line,) = store.submissions_of("01")
            assert store.cancel(line.id)  # by another process: this host does not know

        pool.work = cancel
        events = await submit(host, "k")
        assert tag(events[-1]) == "cancelled"
        (line,) = store.submissions_of("01")
        assert line.state is State.CANCELLED
        assert line.verdict is None

    pool = StandInPool()
    with_host(tmp_path, work, pool)


def test_a_verdict_that_could_not_be_stored_is_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreError("store.disk_full", path="torchstone.db", reason="full")

    async def work(host: Host, store: Store) -> None:
        await host.prepare()
        with monkeypatch.context() as patched:
            patched.setattr(store, "record_verdict", fail)
            events = await submit(host, "k")
            assert events[-1].error.en["code"] == "store.disk_full"
            patched.setattr(store, "release", fail)
            await host._runner.retry_unsaved()
            assert states(store) == {State.RUNNING}
        await host._runner.retry_unsaved()
        await wait_until(lambda: states(store) == {State.DONE})
        (line,) = store.submissions_of("01")
        assert (line.verdict, line.interruptions) == (Verdict.AC, 0)

    with_host(tmp_path, work)


def test_a_fault_of_the_host_ends_in_ie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ValueError("a report that cannot be written")

    async def work(host: Host, store: Store) -> None:
        await host.prepare()
        monkeypatch.setattr(store, "record_verdict", fail)
        events = await submit(host, "k")
        assert [tag(event) for event in events].count("interrupted") == 1
        assert events[-1].report.verdict == "IE"
        assert states(store) == {State.DONE}

    with_host(tmp_path, work)
