"""The same client key gives the stored end through the terminal and the page, host after host."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable

import pytest

from tests.judge.host.stand_ins import StandInPool, serving
from tests.reports import tag
from torchstone.app.home import Home
from torchstone.app.judging.history import read_submission
from torchstone.app.judging.streaming import accept, cancel, follow
from torchstone.app.judging.submission import submit
from torchstone.core import paths
from torchstone.core.errors import BadInput
from torchstone.core.verdict import State

pytestmark = pytest.mark.pure

KEY = "a" * 24
Send = Callable[[Home], Awaitable[str]]


async def send_from_page(home: Home) -> str:
    """Submit and follow; return the type of the last event."""
    job = await accept(home, "01", "pass\n", kind="submit", client_key=KEY)
    return [tag(each.event) async for each in follow(home, job)][-1]


async def send_from_terminal(home: Home) -> str:
    """Submit and wait; return what the learner is told."""
    try:
        judged = await asyncio.to_thread(
            submit, home, "01", "pass\n", lambda event: None, kind="submit"
        )
    except BadInput as told:
        return told.code
    return judged.verdict


@pytest.mark.parametrize(
    ("send", "cancelled"),
    [(send_from_page, "cancelled"), (send_from_terminal, "app.cancelled")],
)
def test_a_key_that_is_sent_again_gives_the_end_that_is_stored(
    home: Home, monkeypatch: pytest.MonkeyPatch, send: Send, cancelled: str
) -> None:
    monkeypatch.setattr(secrets, "token_hex", lambda size: KEY[: 2 * size])
    pool = StandInPool(work=lambda _order, stopped: stopped.wait(20) and None)

    async def scene() -> None:
        async with serving(paths.data_dir(), pool):
            job = await accept(home, "01", "pass\n", kind="submit", client_key=KEY)
            assert await cancel(home, job)
            assert await send(home) == cancelled
        async with serving(paths.data_dir(), pool):
            assert await send(home) == cancelled
        stored = read_submission(home, job)
        assert (stored.state, stored.verdict, stored.judged) == (State.CANCELLED, None, None)

    asyncio.run(scene())


@pytest.mark.parametrize(("send", "judged"), [(send_from_page, "done"), (send_from_terminal, "AC")])
def test_a_key_of_a_judged_program_is_judged_once(
    home: Home, monkeypatch: pytest.MonkeyPatch, send: Send, judged: str
) -> None:
    monkeypatch.setattr(secrets, "token_hex", lambda size: KEY[: 2 * size])
    pool = StandInPool()

    async def scene() -> None:
        for _ in range(2):
            async with serving(paths.data_dir(), pool):
                assert await send(home) == judged

    asyncio.run(scene())
    assert pool.judged == ["pass\n"]
