"""An event loop hears of the host what a thread hears: events, refusals, and that it has left."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest

from torchstone.core import paths
from torchstone.core.errors import JudgeUnavailable
from torchstone.judge.client import Client, HostLeft, HostRefused
from torchstone.judge.line import ask
from torchstone.judge.lock import hold_lock, write_address
from torchstone.judge.order import Event

pytestmark = pytest.mark.pure

REQUEST = {"op": "attach", "job": "a\nb 试金石"}
SHAPE = {"code": "judge.x", "hint": "h", "status": 404}
REFUSAL = {
    "type": "error",
    "exit_code": 2,
    "error": {"en": SHAPE | {"message": "no"}, "zh": SHAPE | {"message": "不行"}},
}


class Host:
    """Hears one request, says what it was given to say, and leaves; or stays to be left."""

    def __init__(self, answer: bytes, *, stays: bool = False) -> None:
        self.answer = answer
        self.stays = stays
        self.heard: list[bytes] = []
        self.was_left = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        self.heard.append(await reader.readline())
        writer.write(self.answer)
        if self.stays:
            await reader.read()
            self.was_left.set()
        writer.close()


@asynccontextmanager
async def listening(data: Path, host: Host) -> AsyncIterator[Client]:
    """Let a host listen where that of a data folder does."""
    async with await asyncio.start_unix_server(host.serve, paths.socket_path(data)):
        yield Client(data=data)


def hear(data: Path, answer: bytes) -> list[Event]:
    """Ask a host that gives this answer, and read it to its end."""

    async def act() -> list[Event]:
        host = Host(answer)
        async with listening(data, host) as client:
            events = [event async for event in ask(client, REQUEST)]
        assert [json.loads(line) for line in host.heard] == [REQUEST]
        return events

    return asyncio.run(act())


def lines(*events: object) -> bytes:
    return b"".join(json.dumps(event).encode() + b"\n" for event in events)


def test_events_come_in_order_until_the_last(tmp_path: Path) -> None:
    events = [{"type": "queued"}, {"type": "case", "index": 0}, {"type": "done", "report": None}]
    assert hear(tmp_path, lines(*events)) == events


def test_a_report_of_megabytes_is_one_event(tmp_path: Path) -> None:
    event = {"type": "done", "report": "x" * (3 << 20)}
    assert hear(tmp_path, lines(event)) == [event]


def test_a_refusal_arrives_in_both_languages_after_what_came_before(tmp_path: Path) -> None:
    heard = []

    async def act() -> None:
        async with listening(tmp_path, Host(lines({"type": "queued"}, REFUSAL))) as client:
            async for event in ask(client, REQUEST):
                heard.append(event["type"])

    with pytest.raises(HostRefused) as caught:
        asyncio.run(act())
    assert heard == ["queued"]
    assert (caught.value.message("en"), caught.value.message("zh")) == ("no", "不行")
    assert (int(caught.value.exit_code), caught.value.status) == (2, 404)


@pytest.mark.parametrize(
    "answer", [b"", lines({"type": "queued"}), lines({"type": "done"})[:-1]], ids=repr
)
def test_a_host_that_leaves_in_the_middle_is_no_answer(tmp_path: Path, answer: bytes) -> None:
    with pytest.raises(HostLeft):
        hear(tmp_path, answer)


def test_whoever_stops_listening_hangs_up(tmp_path: Path) -> None:
    async def act() -> None:
        host = Host(lines({"type": "queued"}), stays=True)
        async with listening(tmp_path, host) as client:
            async with aclosing(ask(client, REQUEST)) as events:
                assert await anext(events) == {"type": "queued"}
                assert not host.was_left.is_set()
            await host.was_left.wait()

    asyncio.run(act())


def test_the_loop_goes_on_while_the_host_says_nothing(tmp_path: Path) -> None:
    async def act() -> None:
        host = Host(b"", stays=True)
        async with listening(tmp_path, host) as client:
            asked = asyncio.create_task(anext(ask(client, REQUEST)))
            while not host.heard:
                await asyncio.sleep(0)
            assert not asked.done()
            asked.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asked
            await host.was_left.wait()

    asyncio.run(act())


def test_a_host_that_cannot_be_reached_is_named(tmp_path: Path) -> None:
    async def act() -> None:
        await anext(ask(Client(data=tmp_path), REQUEST))

    with hold_lock(tmp_path) as lock:
        assert lock is not None
        write_address(lock, tmp_path / "in_a_container.sock")
        with pytest.raises(JudgeUnavailable) as caught:
            asyncio.run(act())
    assert caught.value.code == "judge.host_elsewhere"
