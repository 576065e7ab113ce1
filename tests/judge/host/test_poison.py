"""A program that ends the host, or a zygote, is judged alone; only this one becomes IE."""

import asyncio
import threading
from pathlib import Path

import pytest

from tests.judge.host.stand_ins import StandInPool
from torchstone.core.verdict import State, Verdict
from torchstone.judge.host.server import Host
from torchstone.judge.order import Order
from torchstone.judge.pool.zygotes import ZygoteDied
from torchstone.store import Store, open_store

pytestmark = pytest.mark.plain

POISON = "poison"
NUM_HONEST = 9
MOST_DEATHS = 20


def submit_ten(store: Store, place: int) -> None:
    """Store nine honest programs and the poison, as number ``place``."""
    for number in range(NUM_HONEST + 1):
        source = POISON if number == place else f"honest {number}"
        store.add_submission("01", source, client_key=f"key {number}")


class MortalPool(StandInPool):
    """A pool whose host dies when the poison runs beside as many others as there are slots."""

    def __init__(self, capacity: int) -> None:
        super().__init__(work=self.die_of_poison, capacity=capacity)
        self.died = threading.Event()
        self.num_running = 0

    def die_of_poison(self, order: Order, cancelled: threading.Event) -> None:
        if order.source == POISON:
            # The neighbours have begun by now, or nobody else runs.
            cancelled.wait(0.2)
            self.died.set()
        # A program takes a while, so the poison meets it.
        while not cancelled.wait(0.3):
            if not self.died.is_set():
                return


def die(host: Host) -> None:
    """End the jobs of a host as SIGKILL does: the store learns nothing."""
    for job in list(host._runner.live.values()):
        assert job.task is not None
        job.task.cancel()


async def live_once(store: Store, capacity: int) -> bool:
    """Run a host until it dies or has judged everything; return whether it died."""
    pool = MortalPool(capacity)
    host = Host(store, pool, idle_s=900.0)  # type: ignore[arg-type]
    await host.prepare()
    while not pool.died.is_set():
        if {line.state for line in store.submissions_of("01")} == {State.DONE}:
            return False
        await asyncio.sleep(0.02)
    die(host)
    await asyncio.gather(
        *(job.task for job in host._runner.live.values() if job.task), return_exceptions=True
    )
    return True


@pytest.mark.gate("1-0")
@pytest.mark.parametrize("place", [0, 4, 9])
@pytest.mark.parametrize("capacity", [1, 4])
def test_only_the_program_that_ends_the_host_is_ie(
    tmp_path: Path, capacity: int, place: int
) -> None:
    async def scene() -> int:
        for num_deaths in range(MOST_DEATHS):
            if not await live_once(store, capacity):
                return num_deaths
        raise AssertionError("the host dies for ever")

    with open_store(tmp_path / "torchstone.db") as store:
        submit_ten(store, place)
        num_deaths = asyncio.run(asyncio.wait_for(scene(), 100))
        for line in store.submissions_of("01"):
            source = store.get_submission(line.id).source
            assert line.verdict is (Verdict.IE if source == POISON else Verdict.AC), source
            assert line.interruptions == (2 if source == POISON else 0), source
    # Twice alone, and at most once beside others.
    assert 2 <= num_deaths <= 3


class ZygotePool(StandInPool):
    """A pool whose zygotes end with the poison, and every job with them."""

    def __init__(self, capacity: int) -> None:
        super().__init__(work=self.judge, capacity=capacity)
        self.deaths = 0
        self.beside: list[int] = []
        self.running: set[str] = set()

    def judge(self, order: Order, cancelled: threading.Event) -> None:
        before = self.deaths
        with self.lock:
            self.running.add(order.source)
        try:
            cancelled.wait(0.1)
            if order.source == POISON:
                self.beside.append(len(self.running) - 1)
                self.deaths += 1
            elif self.deaths == before:
                cancelled.wait(0.1)
            if self.deaths != before:
                raise ZygoteDied("the zygote ended")
        finally:
            with self.lock:
                self.running.discard(order.source)


@pytest.mark.gate("1")
@pytest.mark.parametrize("capacity", [1, 4])
def test_only_the_program_that_ends_the_zygotes_is_ie(tmp_path: Path, capacity: int) -> None:
    pool = ZygotePool(capacity)

    async def scene() -> None:
        host = Host(store, pool, idle_s=900.0)  # type: ignore[arg-type]
        await host.prepare()
        while {line.state for line in store.submissions_of("01")} != {State.DONE}:
            await asyncio.sleep(0.02)
        await host.close()

    with open_store(tmp_path / "torchstone.db") as store:
        submit_ten(store, 0)
        asyncio.run(asyncio.wait_for(scene(), 60))
        for line in store.submissions_of("01"):
            source = store.get_submission(line.id).source
            assert line.verdict is (Verdict.IE if source == POISON else Verdict.AC), source
    assert pool.beside[-2:] == [0, 0], "what counts is that it ran alone"
