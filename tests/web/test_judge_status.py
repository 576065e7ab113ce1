"""The judge is started for whoever looks, once at a time, and its failure is not kept quiet."""

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from torchstone.app.home import Home
from torchstone.app.judging.machine import HostStatus
from torchstone.core.errors import JudgeUnavailable
from torchstone.web import judge_status as judge_status
from torchstone.web.judge_status import JudgeStatus

pytestmark = pytest.mark.pure

FAILURE = JudgeUnavailable("judge.host_silent", log="host.log")


class FakeHost:
    """A host that starts when it may, or fails to.

    Attributes:
        num_starts: How often it was started.
        may_start: Set when the start is to go on.
        failure: What the start fails with, if it does.
    """

    def __init__(self) -> None:
        self.num_starts = 0
        self.may_start = threading.Event()
        self.may_start.set()
        self.failure: Exception | None = None
        self.found = HostStatus(runs=False)

    def status(self, *, start: bool, wait: bool) -> dict[str, Any]:
        assert start
        assert wait
        self.num_starts += 1
        assert self.may_start.wait(10), "the test never let it go on"
        if self.failure is not None:
            raise self.failure
        self.found = HostStatus(runs=True, ready=True)
        return {}


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch) -> FakeHost:
    fake = FakeHost()
    monkeypatch.setattr(Home, "client", lambda _: fake)
    monkeypatch.setattr(judge_status, "require_host", lambda _home, _client: False)
    monkeypatch.setattr(judge_status, "read_host", lambda _home: fake.found)
    return fake


def run(act: Callable[[JudgeStatus], Coroutine[Any, Any, None]]) -> None:
    async def inside() -> None:
        await act(JudgeStatus(Home()))

    asyncio.run(inside())


async def settled(kept: JudgeStatus) -> None:
    """Wait until the start that is under way has ended."""
    assert kept._task is not None
    await asyncio.wait([kept._task])
    # What is noted at its end is noted in the next turn.
    await asyncio.sleep(0)


def test_looking_starts_a_host_that_is_gone(host: FakeHost) -> None:
    async def act(kept: JudgeStatus) -> None:
        before = await kept.look()
        assert (before.host.ready, before.failure) == (False, None)
        await settled(kept)
        after = await kept.look()
        assert (after.host.ready, after.failure) == (True, None)

    run(act)
    assert host.num_starts == 1


def test_a_host_that_is_ready_is_left_alone(host: FakeHost) -> None:
    host.found = HostStatus(runs=True, ready=True)

    async def act(kept: JudgeStatus) -> None:
        assert (await kept.look()).host.ready
        assert kept._task is None

    run(act)
    assert host.num_starts == 0


def test_however_many_look_it_is_started_once(host: FakeHost) -> None:
    host.may_start.clear()

    async def act(kept: JudgeStatus) -> None:
        kept.begin()
        looks = await asyncio.gather(*(kept.look() for _ in range(10)))
        assert not any(look.host.ready for look in looks)
        host.may_start.set()
        await settled(kept)

    run(act)
    assert host.num_starts == 1


def test_a_server_that_ends_does_not_wait_for_a_start(host: FakeHost) -> None:
    host.may_start.clear()

    async def act(kept: JudgeStatus) -> None:
        kept.begin()
        await asyncio.sleep(0)
        assert not (await kept.look()).host.ready

    run(act)
    assert (host.num_starts, host.may_start.is_set()) == (1, False)
    host.may_start.set()


def test_why_it_does_not_start_is_told_until_it_does(
    host: FakeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judge_status, "RETRY_SECONDS", 0.0)
    host.failure = FAILURE

    async def act(kept: JudgeStatus) -> None:
        kept.begin()
        await settled(kept)
        assert (await kept.look()).failure is FAILURE
        await settled(kept)
        host.failure = None
        # Told until the host is there, not until it is asked for once more.
        assert (await kept.look()).failure is FAILURE
        await settled(kept)
        assert (await kept.look()).failure is None
        # When it goes, the failure of long ago is not why.
        host.found = HostStatus(runs=False)
        assert (await kept.look()).failure is None
        await settled(kept)

    run(act)
    assert host.num_starts == 4


def test_what_has_just_failed_is_not_tried_again_at_every_look(host: FakeHost) -> None:
    host.failure = FAILURE

    async def act(kept: JudgeStatus) -> None:
        kept.begin()
        await settled(kept)
        for _ in range(10):
            assert (await kept.look()).failure is FAILURE

    run(act)
    assert host.num_starts == 1


def test_a_host_of_another_version_is_told_and_not_started(
    host: FakeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = JudgeUnavailable("app.other_host", version="0", bank="/elsewhere")

    def refuse(_home: Home, _client: object) -> bool:
        raise other

    monkeypatch.setattr(judge_status, "require_host", refuse)

    async def act(kept: JudgeStatus) -> None:
        kept.begin()
        await settled(kept)
        assert (await kept.look()).failure is other

    run(act)
    assert host.num_starts == 0


def test_a_fault_of_ours_is_told_as_well_and_stands_in_the_terminal(
    host: FakeHost, logged: list[logging.LogRecord]
) -> None:
    host.failure = KeyError("a secret")

    async def act(kept: JudgeStatus) -> None:
        kept.begin()
        await settled(kept)
        failure = (await kept.look()).failure
        assert failure is not None
        assert failure.code == "web.fault"
        assert "KeyError" in failure.message("zh")
        assert "secret" not in failure.message("en")
        # It is tried again, but not at every look.
        await kept.look()

    run(act)
    assert host.num_starts == 1
    told = "\n".join(logging.Formatter().format(record) for record in logged)
    assert "KeyError: 'a secret'" in told
