"""``Reported``: training on ranks that are threads, which reports each step as it ends."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from queue import SimpleQueue

from torchstone.distributed.comm.threads import Link, Simulation, current
from torchstone.distributed.simulated import Part, Report, Trained
from torchstone.distributed.world import World, run_threads


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Step that all ranks have completed.

    Attributes:
        number: The number of the step, from 0.
        loss: The mean of the losses of the ranks.
        start_s: The time at which the last rank completed the previous step.
        end_s: The time at which the last rank completed this step.
    """

    number: int
    loss: float
    start_s: float
    end_s: float


class Reported:
    """Training on ranks that are threads.

    Args:
        train: Function called on each rank with its world and a function that reports a step.
        num_ranks: The number of ranks.
        link: The simulated link; None for none.

    Attributes:
        ranks: The result of each rank, once all have ended.
    """

    def __init__(
        self, train: Callable[[World, Report], Trained], num_ranks: int, *, link: Link | None
    ) -> None:
        self._train, self._num_ranks, self._link = train, num_ranks, link
        self._reports: SimpleQueue[Step | BaseException | None] = SimpleQueue()
        self._parts: dict[int, dict[int, Part]] = {}
        self._simulation: Simulation | None = None
        self.ranks: list[Trained] = []

    def steps(self) -> Generator[Step, None, None]:
        """Yield each step when the last rank has completed it.

        Raises:
            Exception: The exception of the first rank that failed.
        """
        thread = threading.Thread(target=self._run, name="ranks", daemon=True)
        thread.start()
        try:
            while isinstance(step := self._reports.get(), Step):
                yield step
            if step is not None:
                raise step
        finally:
            # On Ctrl-C, for example: a thread that uses tensors while the interpreter exits may
            # crash.
            if thread.is_alive() and self._simulation is not None:
                self._simulation.turns.abandon()
            thread.join()

    def _run(self) -> None:
        try:
            self.ranks = run_threads(self._rank, self._num_ranks, link=self._link)
        except BaseException as error:  # noqa: BLE001 (it is raised where the steps are read)
            self._reports.put(error)
        else:
            self._reports.put(None)

    def _rank(self, world: World) -> Trained:
        place = current()
        assert place is not None, "ranks are threads"
        self._simulation = place[0]
        return self._train(world, lambda number, part: self._take(number, world.rank, part))

    def _take(self, number: int, rank: int, part: Part) -> None:
        """Store the report of a rank; no lock is needed, because one rank runs at a time."""
        parts = self._parts.setdefault(number, {})
        parts[rank] = part
        if len(parts) < self._num_ranks:
            return
        del self._parts[number]
        self._reports.put(
            Step(
                number=number,
                loss=sum(parts[each].loss for each in range(self._num_ranks)) / self._num_ranks,
                start_s=max(each.start_s for each in parts.values()),
                end_s=max(each.end_s for each in parts.values()),
            )
        )
