"""A file whose zygote ends is IE; honest files beside it keep their verdicts, with a real pool.

No submission is known that ends its zygote. So the test ends it from outside whenever this file is
judged: the host cannot tell the difference.
"""

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from torchstone.bank.loader import CONTENT
from torchstone.core import paths
from torchstone.core.verdict import State, Verdict
from torchstone.judge.events import Started
from torchstone.judge.host.server import Host
from torchstone.judge.pool.executor import LocalPool
from torchstone.judge.pool.worker_pool import WorkerPool
from torchstone.store import Store, open_store

pytestmark = [pytest.mark.sandbox, pytest.mark.full]

RIGHT = (CONTENT / "problems/01_softmax/solution.py").read_text(encoding="utf-8")
WRONG = "def softmax(x, dim=-1, dtype=None):\n    return x * 0\n"
# Its process is there when the zygote ends, however fast the machine is.
POISON = f"{RIGHT}\nimport time\ntime.sleep(1000)\n"


class Poisoned:
    """A host whose zygotes end whenever it judges one submission."""

    def __init__(self, store: Store, pool: WorkerPool, poison: str) -> None:
        self.store = store
        self.pool = pool
        self.poison = poison
        self.host = Host(store, pool, idle_s=900.0)
        self.num_deaths = 0
        self.beside: list[int] = []

    async def live(self) -> None:
        """Judge everything."""
        await self.host.prepare()
        while {line.state for line in self.store.submissions_of("01")} != {State.DONE}:
            if self._num_starts() > self.num_deaths:
                self._end_zygotes()
            await asyncio.sleep(0.02)
        await self.host.close()

    def _lines(self) -> list[Any]:
        job = self.host._runner.live.get(self.poison)
        return [] if job is None else [line.message for line in job.lines]

    def _num_starts(self) -> int:
        return sum(isinstance(message, Started) for message in self._lines())

    def _end_zygotes(self) -> None:
        self.num_deaths += 1
        pool = self.host._pool
        assert isinstance(pool, LocalPool)
        tenants = pool._tenants
        self.beside.append(len(tenants) - 1)
        os.kill(self.pool._running.pid, signal.SIGKILL)


def test_honest_files_beside_one_that_ends_its_zygote_keep_their_verdicts(tmp_path: Path) -> None:
    wanted = {"poison": Verdict.IE, "right": Verdict.AC, "wrong": Verdict.WA}
    with open_store(tmp_path / "torchstone.db") as store:
        sources = {"poison": POISON, "right": RIGHT, "wrong": WRONG}
        ids = {
            name: store.add_submission("01", source, client_key=name)
            for name, source in sources.items()
        }
        pool = WorkerPool(bank_root=CONTENT, cache=paths.cache_dir(), capacity=2)
        scene = Poisoned(store, pool, ids["poison"])
        asyncio.run(asyncio.wait_for(scene.live(), 300))
        found = {name: store.get_submission(added).verdict for name, added in ids.items()}
    assert found == wanted
    assert scene.beside[-2:] == [0, 0], "what counts is that it ran alone"
    assert scene.num_deaths == len(scene.beside) <= 3
