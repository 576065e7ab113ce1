"""``Watch``: says through the store where each rank stands, when one has waited too long.

A thread of each rank tells twice a second where the rank waits. It is not held up by what holds up
the rank, except where the whole process is stopped; then it says nothing, and that says it.
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
# A rank of which no beat has come for so many intervals says nothing.
PATIENCE = 5
# How long the store may take for an answer.
_ANSWER_S = 1.0
_LOST = ("Connection closed", "Connection reset", "Broken pipe", "Connection refused")


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """What a rank has told last.

    Attributes:
        number: How often it has told something.
        state: Where it waits; as words, if it does not.
        is_last: Whether it tells no more.
    """

    number: int
    state: Position | str
    is_last: bool = False


class Watch:
    """The beats of one rank, and those of the others.

    Args:
        store: Shared by all ranks; the watch has a connection of its own.
        rank: The rank in the world.
        world_size: The number of ranks.
    """

    def __init__(self, store: Store, rank: int, world_size: int) -> None:
        self._store: Store = store.clone()  # type: ignore[attr-defined]
        self._reading: Store = store.clone()  # type: ignore[attr-defined]
        self._rank, self._world_size = rank, world_size
        self._waiting: list[Position] = []
        self._since_s = 0.0
        # When the beats of all were read while this rank waited, and what they were.
        self._samples: list[tuple[float, dict[int, Beat]]] = []
        self._last: Position | None = None
        self._is_cut_off = False
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="watch", daemon=True)
        self._thread.start()

    @contextmanager
    def waiting(self, position: Position) -> Iterator[None]:
        """Say, while inside, that this rank is in a collective; after an error it stays there."""
        self._waiting.append(position)
        self._since_s = time.monotonic()
        yield
        self._waiting.remove(position)
        self._last = position

    def close(self) -> None:
        """Say that this rank has ended, or where it failed, and say no more."""
        self._is_over.set()
        # A store whose host is stopped never answers, and is not waited for a second time.
        self._thread.join(0 if self._is_cut_off else _ANSWER_S)

    def explain(self, position: Position, error: RuntimeError) -> RuntimeError:
        """Return the error of a collective that failed, with where every rank stands.

        Args:
            position: Where this rank was.
            error: What the backend said.
        """
        is_lost = any(words in str(error) for words in _LOST)
        if is_lost:
            # What started the ranks ends them soon after one is lost.
            states = self._states(position, self._read(), num_intervals=2)
        else:
            states = self._states(position, *self._seen_before())
        where = describe(states)
        # The connection to a rank that has waited too long is closed too.
        if any(state in (_SILENT, _ENDED) for state in states.values()):
            found: RuntimeError = RankLost(
                f"{position.words()}: {where}. The backend said: {error}"
            )
        else:
            found = Deadlock(f"Deadlock: {where}. The backend said: {error}")
        found.__cause__ = error
        return found

    def _seen_before(self) -> tuple[dict[int, Beat], int]:
        """Return beats, and how many intervals after them the ranks must have told another one.

        Who has waited long has looked before: no time is lost now.
        """
        latest_s = time.monotonic() - PATIENCE * INTERVAL_S
        for read_s, beats in reversed(self._samples):
            if self._since_s <= read_s <= latest_s:
                return beats, 0
        return self._read(), PATIENCE

    def _states(
        self, position: Position, before: Mapping[int, Beat], num_intervals: int
    ) -> Mapping[int, Position | str]:
        """Return where each rank stands, after time for a beat of each that lives."""
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
        """Return what was told last; nothing, if the host of the store is gone or stopped."""
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
            # The host of the store is gone; then nobody can be asked.
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
                # Nobody is there to listen; what fails in the collectives is told by them.
                return

    def _look(self, now_s: float) -> None:
        """Read the beats of all, seldom, while this rank waits long: there may be many ranks."""
        last_s = self._samples[-1][0] if self._samples else 0.0
        if self._waiting and now_s - max(last_s, self._since_s) >= PATIENCE * INTERVAL_S:
            self._samples = [*self._samples[-1:], (now_s, self._read())]

    def _state(self, is_over: bool) -> Position | str:
        # Each axis has a thread that changes this list.
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
