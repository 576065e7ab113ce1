"""Both transports hear the same of a host: messages, refusals, and that it has left."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

import pytest

from tests.reports import make_case, make_report, tag
from torchstone.core import paths
from torchstone.core.errors import JudgeUnavailable
from torchstone.judge.events import Case, Done, Queued
from torchstone.judge.host.client import Client
from torchstone.judge.host.lock import hold_lock, write_address
from torchstone.judge.host.protocol import Attach, Line, StreamPosition, read_request, write_line
from torchstone.judge.host.transport import HostLeft, HostRefused
from torchstone.judge.messages import plain

pytestmark = pytest.mark.pure

REQUEST = Attach(job="a\nb 试金石", host="h", begin=3)
SHAPE = {"ok": False, "code": "judge.x", "hint": "h", "status": 404}
REFUSAL = {
    "type": "error",
    "exit_code": 2,
    "error": {"en": SHAPE | {"message": "no"}, "zh": SHAPE | {"message": "不行"}},
}
QUEUED = Line(message=Queued(ahead=2), place=StreamPosition(host="h", number=0))
CASE = Line(message=Case(**plain(make_case())), place=StreamPosition(host="h", number=1))
DONE = Line(message=Done(report=make_report()))

Hear = Callable[[Client, list[Line]], Awaitable[None]]


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


async def by_thread(client: Client, heard: list[Line]) -> None:
    """Ask in a thread that waits."""
    await asyncio.to_thread(lambda: heard.extend(client.ask(REQUEST)))


async def by_loop(client: Client, heard: list[Line]) -> None:
    """Ask on the event loop."""
    async for line in client.ask_async(REQUEST):
        heard.append(line)


@pytest.fixture(params=[by_thread, by_loop])
def transport(request: pytest.FixtureRequest) -> Hear:
    found: Hear = request.param
    return found


def hear(transport: Hear, data: Path, answer: bytes) -> list[Line]:
    """Ask a host that gives this answer, and read it to its end."""

    async def act() -> list[Line]:
        host, heard = Host(answer), []
        async with listening(data, host) as client:
            await transport(client, heard)
        assert [read_request(line) for line in host.heard] == [REQUEST]
        return heard

    return asyncio.run(act())


def written(*lines: Line) -> bytes:
    return b"".join(map(write_line, lines))


def test_events_come_in_order_and_with_their_places(transport: Hear, tmp_path: Path) -> None:
    lines = [QUEUED, CASE, DONE]
    assert hear(transport, tmp_path, written(*lines)) == lines


def test_a_report_of_megabytes_is_one_event(transport: Hear, tmp_path: Path) -> None:
    large = Line(message=Done(report=make_report(stdout="x" * (3 << 20))))
    assert hear(transport, tmp_path, written(large)) == [large]


def test_a_refusal_arrives_in_both_languages_after_what_came_before(
    transport: Hear, tmp_path: Path
) -> None:
    heard: list[Line] = []

    async def act() -> None:
        answer = written(QUEUED) + json.dumps(REFUSAL).encode() + b"\n"
        async with listening(tmp_path, Host(answer)) as client:
            await transport(client, heard)

    with pytest.raises(HostRefused) as caught:
        asyncio.run(act())
    if transport is by_loop:
        assert [tag(line.message) for line in heard] == ["queued"]
    assert (caught.value.message("en"), caught.value.message("zh")) == ("no", "不行")
    assert caught.value.hint("zh") == "h"
    assert (caught.value.code, int(caught.value.exit_code), caught.value.status) == (
        "judge.x",
        2,
        404,
    )


@pytest.mark.parametrize("answer", [b"", written(QUEUED), written(DONE)[:-1]], ids=len)
def test_a_host_that_leaves_in_the_middle_is_no_answer(
    transport: Hear, tmp_path: Path, answer: bytes
) -> None:
    with pytest.raises(HostLeft):
        hear(transport, tmp_path, answer)


@pytest.mark.parametrize(
    "text",
    [
        b'{"type": "case", "index": 0}\n',
        b'{"type": "queued", "ahead": 0, "more": 1}\n',
        b'{"type": "unknown"}\n',
        b"[]\n",
    ],
)
def test_what_is_no_message_of_this_version_is_refused(
    transport: Hear, tmp_path: Path, text: bytes
) -> None:
    with pytest.raises((ValueError, TypeError)):
        hear(transport, tmp_path, text)


def test_whoever_stops_listening_hangs_up(tmp_path: Path) -> None:
    async def act() -> None:
        host = Host(written(QUEUED), stays=True)
        async with listening(tmp_path, host) as client:
            async with aclosing(client.ask_async(REQUEST)) as lines:
                assert await anext(lines) == QUEUED
                assert not host.was_left.is_set()
            await host.was_left.wait()

    asyncio.run(act())


def test_a_thread_that_stops_listening_hangs_up(tmp_path: Path) -> None:
    def listen(client: Client) -> None:
        with contextlib.closing(client.ask(REQUEST)) as lines:
            assert next(lines) == QUEUED

    async def act() -> None:
        host = Host(written(QUEUED), stays=True)
        async with listening(tmp_path, host) as client:
            await asyncio.to_thread(listen, client)
            await host.was_left.wait()

    asyncio.run(act())


def test_the_loop_goes_on_while_the_host_says_nothing(tmp_path: Path) -> None:
    async def act() -> None:
        host = Host(b"", stays=True)
        async with listening(tmp_path, host) as client:
            asked = asyncio.create_task(anext(client.ask_async(REQUEST)))
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
        await anext(Client(data=tmp_path).ask_async(REQUEST))

    with hold_lock(tmp_path) as lock:
        assert lock is not None
        write_address(lock, tmp_path / "in_a_container.sock")
        with pytest.raises(JudgeUnavailable) as caught:
            asyncio.run(act())
    assert caught.value.code == "judge.host_elsewhere"
