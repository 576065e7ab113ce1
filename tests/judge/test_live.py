"""Whoever follows a job sees every event once, in order, however late they come."""

import asyncio

import pytest

from torchstone.judge.live import LiveJob
from torchstone.judge.order import Event

pytestmark = pytest.mark.pure

EVENTS: list[Event] = [{"type": "queued"}, {"type": "case"}, {"type": "done", "report": None}]


async def follow(job: LiveJob, begin: int = 0) -> list[str]:
    return [event["type"] async for events in job.follow(begin) for event in events]


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


@pytest.mark.parametrize("last", ["done", "cancelled", "error"])
def test_the_last_event_ends_the_job_and_each_names_it(last: str) -> None:
    job = LiveJob("id", "host")
    job.publish({"type": "started"})
    assert not job.is_over
    job.publish({"type": last})
    assert job.is_over
    assert [event["job"] for event in job.events] == ["id", "id"]
