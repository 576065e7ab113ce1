"""``Turns``: scheduler of ranks that are threads of one process and run one at a time.

A rank runs until it waits for others; then the next rank that can continue does. So the result does
not depend on the machine, and a deadlock is detected at once: no rank can continue.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor

from torchstone.distributed.comm.positions import Position, describe
from torchstone.distributed.comm.protocol import Deadlock


class Abandoned(BaseException):
    """Raised to end the thread of a rank after another rank has failed."""


@dataclass(slots=True)
class _Rank:
    """State of one rank.

    Attributes:
        turn: Semaphore that is released when the rank may run.
        random: The state of torch's default generator while the rank does not run.
        is_ready: The condition that the rank waits for.
        position: The position at which it waits.
        thread: The identifier of its thread, once it runs.
        has_ended: Whether its function has returned or raised.
        deadline_s: The time at which its wait ends, on the clock of timeouts.
    """

    turn: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    random: Tensor = field(default_factory=torch.get_rng_state)
    is_ready: Callable[[], bool] = bool
    position: Position | str = "has not begun"
    thread: int | None = None
    has_ended: bool = False
    deadline_s: float = math.inf


class Turns:
    """Scheduler that runs one function in a thread for each rank, one at a time.

    A timeout passes when no rank can continue otherwise, the earliest one first. So the effects of
    timeouts are deterministic too.

    Attributes:
        failure: The exception of the first rank that failed.
        timeout_clock_s: The time of the last timeout that has passed, in seconds.
    """

    def __init__(self, num_ranks: int, seed: int) -> None:
        random = torch.Generator().manual_seed(seed).get_state()
        self._ranks = [_Rank(random=random, is_ready=_always) for _ in range(num_ranks)]
        self._have_ended = threading.Event()
        self.failure: BaseException | None = None
        self.timeout_clock_s = 0.0

    def run(self, function: Callable[[int], None]) -> None:
        """Run the function on each rank, and return when all have ended.

        Raises:
            BaseException: The exception of the first rank that failed, with its number as a note.
        """
        threads = [
            threading.Thread(
                target=self._run_rank, args=(function, rank), name=f"rank {rank}", daemon=True
            )
            for rank in range(len(self._ranks))
        ]
        random = torch.get_rng_state()
        for thread in threads:
            thread.start()
        try:
            self._ranks[0].turn.release()
            self._have_ended.wait()
        except BaseException as error:
            # On Ctrl-C, for example, each rank ends where it waits next; until then it uses its
            # tensors. Wait for the event, because a `join` that was interrupted considers the
            # thread finished.
            self.failure = self.failure or error
            self._have_ended.wait()
            raise
        finally:
            for thread in threads:
                thread.join()
            torch.set_rng_state(random)
        if self.failure is not None:
            raise self.failure

    def abandon(self) -> None:
        """End each rank where it waits next; may be called from any thread."""
        self.failure = self.failure or Abandoned()

    def require_own_thread(self, rank: int) -> None:
        """Raise an error if another thread makes a call for a rank: two would run at once.

        Raises:
            RuntimeError: The rank has a thread, and it is not this one.
        """
        if self._ranks[rank].thread not in (None, threading.get_ident()):
            raise RuntimeError(
                f"the thread {threading.current_thread().name!r} uses a collective of rank {rank}; "
                "a rank of run_threads uses its own ones only, in its own thread."
            )

    def wait_until(
        self,
        rank: int,
        is_ready: Callable[[], bool],
        position: Position | str,
        *,
        timeout_s: float = math.inf,
    ) -> None:
        """Let other ranks run until a condition is true, or the timeout has passed.

        Raises:
            Deadlock: No rank can continue, and none waits for a timeout.
        """
        state = self._ranks[rank]
        if not is_ready():
            self.require_own_thread(rank)
        state.deadline_s = self.timeout_clock_s + timeout_s
        while not is_ready() and self.timeout_clock_s < state.deadline_s:
            if self.failure is not None:
                raise Abandoned
            state.is_ready, state.position = is_ready, position
            state.random = torch.get_rng_state()
            self._pass_on(rank)
            state.turn.acquire()
            torch.set_rng_state(state.random)
            if self.failure is not None:
                raise Abandoned

    def _run_rank(self, function: Callable[[int], None], rank: int) -> None:
        state = self._ranks[rank]
        state.thread = threading.get_ident()
        state.turn.acquire()
        try:
            if self.failure is None:
                torch.set_rng_state(state.random)
                function(rank)
        except Abandoned:
            pass
        except BaseException as error:  # noqa: BLE001 (it is raised again where the run began)
            self._fail(error, rank)
        state.has_ended, state.position = True, "has ended"
        self._pass_on(rank)

    def _fail(self, error: BaseException, rank: int) -> None:
        if self.failure is None:
            error.add_note(f"on rank {rank} of {len(self._ranks)}")
            self.failure = error

    def _pass_on(self, rank: int) -> None:
        """Give the turn to the next rank that can continue; raise a deadlock if there is none."""
        count = len(self._ranks)
        following = [(rank + step) % count for step in range(1, count + 1)]
        waiting = [each for each in following if not self._ranks[each].has_ended]
        if not waiting:
            self._have_ended.set()
            return
        able = [
            each for each in waiting if self.failure is not None or self._ranks[each].is_ready()
        ]
        if not able:
            able = self._pass_time(waiting)
        if not able:
            positions = {number: each.position for number, each in enumerate(self._ranks)}
            self.failure = Deadlock(f"Deadlock: {describe(positions)}")
            able = waiting
        self._ranks[able[0]].turn.release()

    def _pass_time(self, waiting: list[int]) -> list[int]:
        """Advance the clock to the earliest timeout; return the ranks that it applies to."""
        earliest_s = min(self._ranks[each].deadline_s for each in waiting)
        if earliest_s == math.inf:
            return []
        self.timeout_clock_s = earliest_s
        return [each for each in waiting if self._ranks[each].deadline_s == earliest_s]


def _always() -> bool:
    return True
