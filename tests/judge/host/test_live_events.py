"""Whoever follows a job sees every event once, in order, however late they come."""

import asyncio

import pytest

from tests.reports import make_case, make_report, tag
from torchstone.core.errors import BadInput
from torchstone.judge.events import CancelledEvent, Case, Done, Queued
from torchstone.judge.host.live_events import LiveJob
from torchstone.judge.host.protocol import Message, StreamPosition, refusal_of
from torchstone.judge.messages import plain

pytestmark = pytest.mark.pure

EVENTS: list[Message] = [
    Queued(ahead=0),
    Case(**plain(make_case())),
    Done(report=make_report()),
]


async def follow(job: LiveJob, begin: int = 0) -> list[str]:
    return [tag(line.message) async for lines in job.follow(begin) for line in lines]


def test_early_and_late_followers_see_the_same() -> None:
    async def scene() -> None:
        job = LiveJob("id", "host")
        early = asyncio.create_task(follow(job))
        for event in EVENTS:
            await asyncio.sleep(0)
            job.publish(event)
        assert await early == await follow(job) == ["queued", "case", "done"]
        assert await follow(job, begin=2) == ["done"]
        assert await follow(job, begin=99) == []

    asyncio.run(scene())


def test_events_published_together_are_not_lost() -> None:
    async def scene() -> None:
        job = LiveJob("id", "host")
        followers = [asyncio.create_task(follow(job)) for _ in range(3)]
        await asyncio.sleep(0)
        for event in EVENTS:
            job.publish(event)
        for each in followers:
            assert await each == ["queued", "case", "done"]

    asyncio.run(scene())


@pytest.mark.parametrize(
    "last",
    [Done(report=None), CancelledEvent(), refusal_of(BadInput("judge.bad_request"))],
    ids=tag,
)
def test_the_last_event_ends_the_job_and_each_has_its_place(last: Message) -> None:
    job = LiveJob("id", "host")
    job.publish(Queued(ahead=0))
    assert not job.is_over
    job.publish(last)
    assert job.is_over
    assert [line.place for line in job.lines] == [
        StreamPosition(host="host", number=n) for n in (0, 1)
    ]
