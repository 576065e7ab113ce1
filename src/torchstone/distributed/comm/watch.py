"""``Watch``: reports through the store where each rank waits when a collective has timed out.

A thread of each rank publishes twice a second where the rank waits. It runs independently of the
rank's main thread, unless the whole process is stopped; then the missing reports show that.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass

import torch.distributed as dist
from torch._C._distributed_c10d import Store

from torchstone.distributed.comm.positions import Position, describe
from torchstone.distributed.comm.protocol import Deadlock, RankLost

INTERVAL_S = 0.5
# A rank without a report for this many intervals counts as silent.
PATIENCE = 5
# Seconds to wait for an answer of the store.
_ANSWER_S = 1.0
_LOST = ("Connection closed", "Connection reset", "Broken pipe", "Connection refused")


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """Latest report of a rank.

    Attributes:
        number: The number of its reports so far.
        state: The position at which it waits; text if it does not wait.
        is_last: Whether this is its final report.
    """

    number: int
    state: Position | str
    is_last: bool = False


class Watch:
    """Reports of one rank, and of the others.

    Args:
        store: The store shared by all ranks, to which the watch has its own connections.
        rank: The rank in the world.
        world_size: The number of ranks.
    """

    def __init__(self, store: Store, rank: int, world_size: int) -> None:
        self._store: Store = store.clone()  # type: ignore[attr-defined]
        self._reading: Store = store.clone()  # type: ignore[attr-defined]
        self._rank, self._world_size = rank, world_size
        self._waiting: list[Position] = []
        self._since_s = 0.0
        # Earlier reports of all ranks, with the times at which they were read during this wait.
        self._samples: list[tuple[float, dict[int, Beat]]] = []
        self._last: Position | None = None
        self._is_cut_off = False
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="watch", daemon=True)
        self._thread.start()

    @contextmanager
    def waiting(self, position: Position) -> Iterator[None]:
        """Report a collective within the context; after an error it remains reported."""
        self._waiting.append(position)
        self._since_s = time.monotonic()
        yield
        self._waiting.remove(position)
        self._last = position

    def close(self) -> None:
        """Report that this rank has ended, or where it failed, and stop reporting."""
        self._is_over.set()
        # A store whose host is stopped never answers, so do not wait for it again.
        self._thread.join(0 if self._is_cut_off else _ANSWER_S)

    def explain(self, position: Position, error: RuntimeError) -> RuntimeError:
        """Return the error of a failed collective, including the position of every rank.

        Args:
            position: The position of this rank.
            error: The error of the backend.
        """
        is_lost = any(words in str(error) for words in _LOST)
        if is_lost:
            # The launcher ends all ranks soon after one is lost, so wait only briefly.
            states = self._states(position, self._read(), num_intervals=2)
        else:
            states = self._states(position, *self._seen_before())
        where = describe(states)
        # A rank that has timed out also closes its connections.
        if any(state in (_SILENT, _ENDED) for state in states.values()):
            found: RuntimeError = RankLost(
                f"{position.words()}: {where}. The backend said: {error}"
            )
        else:
            found = Deadlock(f"Deadlock: {where}. The backend said: {error}")
        found.__cause__ = error
        return found

    def _seen_before(self) -> tuple[dict[int, Beat], int]:
        """Return earlier reports, and the number of intervals to wait for newer ones.

        After a long wait there are earlier reports, and no further waiting is needed.
        """
        latest_s = time.monotonic() - PATIENCE * INTERVAL_S
        for read_s, beats in reversed(self._samples):
            if self._since_s <= read_s <= latest_s:
                return beats, 0
        return self._read(), PATIENCE

    def _states(
        self, position: Position, before: Mapping[int, Beat], num_intervals: int
    ) -> Mapping[int, Position | str]:
        """Return the position of each rank, after waiting for a report of each live rank."""
        time.sleep(num_intervals * INTERVAL_S)
        after = self._read()
        states: dict[int, Position | str] = {}
        for rank in range(self._world_size):
            beat = after.get(rank)
            if rank == self._rank:
                states[rank] = position
            elif beat is None:
                states[rank] = _SILENT
            elif beat.state == _ENDED:
                states[rank] = _ENDED
            elif rank in before and before[rank].number == beat.number and not beat.is_last:
                states[rank] = _SILENT
            else:
                states[rank] = beat.state
        return states

    def _read(self) -> dict[int, Beat]:
        """Return the latest reports; empty if the host of the store is gone or stopped."""
        beats: dict[int, Beat] = {}
        reader = threading.Thread(target=self._read_to, args=(beats,), daemon=True)
        reader.start()
        reader.join(_ANSWER_S)
        self._is_cut_off = reader.is_alive()
        return dict(beats)

    def _read_to(self, beats: dict[int, Beat]) -> None:
        try:
            for rank in range(self._world_size):
                key = _key(rank)
                if self._reading.check([key]):
                    beats[rank] = _decode(self._reading.get(key))
        except dist.DistError:
            # The host of the store is gone.
            return

    def _beat(self) -> None:
        number = 0
        is_over = False
        while not is_over:
            is_over = self._is_over.wait(INTERVAL_S)
            number += 1
            beat = Beat(number=number, state=self._state(is_over), is_last=is_over)
            try:
                self._store.set(_key(self._rank), _encode(beat))
                self._look(time.monotonic())
            except dist.DistError:
                # The store is gone; the collectives report what failed.
                return

    def _look(self, now_s: float) -> None:
        """Read the reports of all ranks, but seldom: there may be many ranks."""
        last_s = self._samples[-1][0] if self._samples else 0.0
        if self._waiting and now_s - max(last_s, self._since_s) >= PATIENCE * INTERVAL_S:
            self._samples = [*self._samples[-1:], (now_s, self._read())]

    def _state(self, is_over: bool) -> Position | str:
        # Copy the list, because the thread of each axis changes it.
        if waiting := self._waiting.copy():
            return waiting[-1]
        if is_over:
            return _ENDED
        if self._last is None:
            return "has been in no collective"
        return f"is past {self._last.words()}"


_SILENT = "says nothing"
_ENDED = "has ended"


def _key(rank: int) -> str:
    return f"watch/{rank}"


def _encode(beat: Beat) -> str:
    return json.dumps(asdict(beat))


def _decode(told: bytes) -> Beat:
    fields = json.loads(told)
    state = fields.pop("state")
    return Beat(state=state if isinstance(state, str) else Position(**state), **fields)
