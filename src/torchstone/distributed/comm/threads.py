"""Ranks as threads: many ranks in one process, deterministic, with a simulated link and clock."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from torchstone.distributed.comm.activity import Activity, Place
from torchstone.distributed.comm.calls import Call, num_bytes
from torchstone.distributed.comm.communicator import Communicator
from torchstone.distributed.comm.effects import deliver, perform
from torchstone.distributed.comm.ledger import Entry
from torchstone.distributed.comm.positions import Position, describe
from torchstone.distributed.comm.protocol import Deadlock, Mismatch, Work
from torchstone.distributed.comm.turns import Turns


@dataclass(frozen=True, slots=True)
class Link:
    """Simulated network connection of each rank.

    Attributes:
        bandwidth_bytes_s: Bytes per second that a rank can send, and receive at the same time.
        latency_s: Seconds until the first byte of a message arrives.
    """

    bandwidth_bytes_s: float
    latency_s: float = 0.0

    def __post_init__(self) -> None:
        # Unlike `<= 0`, this also rejects NaN.
        if not self.bandwidth_bytes_s > 0:
            raise ValueError(
                f"Link: bandwidth_bytes_s is {self.bandwidth_bytes_s}; use a number above 0."
            )
        if not self.latency_s >= 0:
            raise ValueError(f"Link: latency_s is {self.latency_s}; use 0 or more seconds.")

    def seconds(self, call: Call, size: int) -> float:
        """Return the duration: messages times latency, plus bytes over bandwidth."""
        if size == 1:
            return 0.0
        whole = call.tensor.numel() * call.tensor.element_size()
        rounds = (size - 1).bit_length()
        if call.op == "broadcast":
            return rounds * (self.latency_s + whole / self.bandwidth_bytes_s)
        sent = max(num_bytes(call.op, call.tensor, size))
        messages = {"all_reduce": 2 * (size - 1), "send": 1, "recv": 1, "barrier": rounds}
        count = messages.get(call.op, size - 1)
        return count * self.latency_s + sent / self.bandwidth_bytes_s


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """Call of one rank, with its launch time and the time at which its link is free for it."""

    comm: ThreadComm
    call: Call
    number: int
    label: str
    launched_s: float
    ready_s: float

    @property
    def world_rank(self) -> int:
        return self.comm.ranks[self.comm.rank]

    def position(self) -> Position:
        return Position.of(self.call, self.number, self.comm.axis)

    def place(self) -> Place:
        """Return operation, axis, number and ranks; for a message the operation is ``send``."""
        op = "send" if self.call.is_message else self.call.op
        return op, self.comm.axis, self.number, self.comm.members(self.call)

    def enter(self, end_s: float) -> None:
        """Add an entry to the ledger of the rank."""
        comm, call = self.comm, self.call
        sent, received = num_bytes(call.op, call.tensor, comm.size, rank=comm.rank, src=call.peer)
        comm.ledger.entries.append(
            Entry(
                op=call.op,
                axis=comm.axis,
                bytes_sent=sent,
                bytes_received=received,
                number=self.number,
                start_s=self.launched_s,
                end_s=end_s,
                label=self.label,
                ranks=comm.members(call),
            )
        )


@dataclass(slots=True)
class _Exchange:
    """Pending collective.

    Attributes:
        asked: The calls by rank within the axis.
        end_s: The time at which it was complete.
        is_complete: Whether it is complete.
        error: The error that waiting ranks raise.
        is_told: Whether a rank has raised it.
    """

    asked: dict[int, _Asked] = field(default_factory=dict)
    end_s: float = 0.0
    is_complete: bool = False
    error: Mismatch | None = None
    is_told: bool = False

    def where(self) -> str:
        """Describe the positions of the ranks of an exchange that some ranks never joined."""
        first = next(iter(self.asked.values()))
        members = first.comm.ranks
        if first.call.is_message:
            members = tuple(members[rank] for rank in (first.comm.rank, first.call.peer))
        positions: dict[int, Position | str] = dict.fromkeys(members, "has ended")
        positions |= {each.world_rank: each.position() for each in self.asked.values()}
        return describe(positions)


class Simulation:
    """Shared state of the ranks of one run: turns, exchanges, clocks.

    Attributes:
        turns: The scheduler of the ranks.
        link: The simulated link; None to measure time by the machine's clock.
        clock_s: The simulated time of each rank of the world, in seconds.
        activities: The computing and waiting times of each rank on a simulated clock.
    """

    def __init__(self, num_ranks: int, *, seed: int, link: Link | None) -> None:
        self.turns = Turns(num_ranks, seed)
        self.link = link
        self.clock_s = [0.0] * num_ranks
        self.activities = [Activity() for _ in range(num_ranks)]
        # The times at which the last data sent has left, and the last data received has arrived.
        self._sent_s = [0.0] * num_ranks
        self._received_s = [0.0] * num_ranks
        self._exchanges: dict[tuple[object, ...], _Exchange] = {}
        self._comms: dict[tuple[int, str, tuple[int, ...]], ThreadComm] = {}
        self._failed: list[_Exchange] = []

    def join(self, rank: int, ranks: tuple[int, ...], axis: str) -> ThreadComm:
        """Return the communicator of a rank on an axis; always the same, as it counts calls."""
        key = (rank, axis, ranks)
        if key not in self._comms:
            self._comms[key] = ThreadComm(self, ranks.index(rank), ranks, axis)
        return self._comms[key]

    def now(self, rank: int) -> float:
        """Return the current time of a rank, in seconds."""
        return time.perf_counter() if self.link is None else self.clock_s[rank]

    def compute(self, rank: int, seconds: float, label: str) -> None:
        """Advance the simulated clock of a rank by a computation."""
        start_s = self.clock_s[rank]
        self.clock_s[rank] = start_s + seconds
        self.activities[rank].compute(start_s, self.clock_s[rank], label)

    def advance(self, rank: int, exchange: _Exchange, asked: _Asked) -> None:
        """Advance the clock of a rank to the end of an exchange that it waits for."""
        start_s = self.clock_s[rank]
        if self.link is None or exchange.end_s <= start_s:
            return
        self.clock_s[rank] = exchange.end_s
        last = max(exchange.asked.values(), key=lambda each: each.launched_s)
        self.activities[rank].wait(
            start_s,
            exchange.end_s,
            place=asked.place(),
            last=last.world_rank,
            last_s=last.launched_s,
        )

    def exchange(self, key: tuple[object, ...]) -> _Exchange:
        """Return the exchange with this key; create it if needed."""
        return self._exchanges.setdefault(key, _Exchange())

    def end(self, key: tuple[object, ...]) -> None:
        """Complete an exchange, and remove it from the pending ones."""
        exchange = self._exchanges.pop(key)
        exchange.is_complete = True
        exchange.end_s = self._end_of(exchange)
        if exchange.error is not None:
            self._failed.append(exchange)
            return
        for rank in sorted(exchange.asked):
            exchange.asked[rank].enter(exchange.end_s)

    def _end_of(self, exchange: _Exchange) -> float:
        """Return the completion time of an exchange that all ranks have joined."""
        if self.link is None:
            return time.perf_counter()
        asked = exchange.asked.values()
        call = next(iter(asked)).call
        ranks = [each.world_rank for each in asked]
        end_s = max(each.ready_s for each in asked) + self.link.seconds(call, len(asked))
        if not call.is_message:
            busy_s = max(max(self._sent_s[rank], self._received_s[rank]) for rank in ranks)
            end_s = max(end_s, busy_s + self.link.seconds(call, len(asked)))
            for rank in ranks:
                self._sent_s[rank] = self._received_s[rank] = end_s
            return end_s
        (receiver,) = [each.world_rank for each in asked if each.call.op == "recv"]
        end_s = max(end_s, self._received_s[receiver] + self.link.seconds(call, len(asked)))
        self._received_s[receiver] = end_s
        return end_s

    def reserve(self, rank: int, call: Call, launched_s: float) -> float:
        """Return the time at which a launched call may start.

        A message occupies the link of its sender now, because its receiver may join it after later
        ones.
        """
        if self.link is None or call.op != "send":
            return launched_s
        begin_s = max(launched_s, self._sent_s[rank])
        self._sent_s[rank] = begin_s + self.link.seconds(call, 2)
        return begin_s

    def require_complete(self) -> None:
        """Raise an error for exchanges that failed unnoticed or can no longer complete.

        Raises:
            Deadlock: Some rank has launched an exchange that another one never joined.
            Mismatch: The tensors of the ranks differ.
        """
        for exchange in self._failed:
            if exchange.error is not None and not exchange.is_told:
                raise exchange.error
        for exchange in self._exchanges.values():
            raise Deadlock(f"Deadlock: {exchange.where()}")


class ThreadComm(Communicator):
    """Communicator of ranks that are threads of this process."""

    def __init__(self, simulation: Simulation, rank: int, ranks: Sequence[int], axis: str) -> None:
        super().__init__(rank, ranks, axis)
        self._simulation = simulation
        self._num_duplicates = 0

    def _launch(self, call: Call) -> Work:
        world_rank = self.ranks[self.rank]
        self._simulation.turns.require_own_thread(world_rank)
        channel, number = self._count(call)
        key = (self.axis, self.ranks, channel, number)
        exchange = self._simulation.exchange(key)
        launched_s = self._simulation.now(world_rank)
        asked = exchange.asked[self.rank] = _Asked(
            comm=self,
            call=call,
            number=number,
            label=self.ledger.label,
            launched_s=launched_s,
            ready_s=self._simulation.reserve(world_rank, call, launched_s),
        )
        if call.is_message:
            self._complete_message(key, exchange)
        else:
            self._complete(key, exchange)
        return ThreadWork(self._simulation, exchange, asked)

    def duplicate(self) -> ThreadComm:
        """Return a communicator of the same ranks with its own queue."""
        self._num_duplicates += 1
        axis = f"{self.axis}.{self._num_duplicates}"
        comm = self._simulation.join(self.ranks[self.rank], self.ranks, axis)
        comm.ledger = self.ledger
        return comm

    def _complete(self, key: tuple[object, ...], exchange: _Exchange) -> None:
        """Complete the collective if all ranks have joined and called the same operation."""
        calls = [exchange.asked[rank].call for rank in sorted(exchange.asked)]
        # Ranks in different collectives wait forever, which is reported as a deadlock.
        if len(calls) < self.size or len({call.op for call in calls}) > 1:
            return
        exchange.error = _mismatch(exchange.asked)
        if exchange.error is None:
            perform(calls)
        self._simulation.end(key)

    def _complete_message(self, key: tuple[object, ...], exchange: _Exchange) -> None:
        if len(exchange.asked) < 2:
            return
        by_op = {each.call.op: each.call for each in exchange.asked.values()}
        exchange.error = _mismatch(exchange.asked)
        if exchange.error is None:
            deliver(by_op["send"], by_op["recv"])
        self._simulation.end(key)


class ThreadWork:
    """Collective of one rank."""

    def __init__(self, simulation: Simulation, exchange: _Exchange, asked: _Asked) -> None:
        self._simulation, self._exchange, self._asked = simulation, exchange, asked

    def wait(self) -> None:
        """Let other ranks run until the collective is complete."""
        simulation, exchange, rank = self._simulation, self._exchange, self._asked.world_rank
        simulation.turns.wait_until(rank, lambda: exchange.is_complete, self._asked.position())
        if exchange.error is not None:
            exchange.is_told = True
            raise exchange.error
        simulation.advance(rank, exchange, self._asked)

    @property
    def is_complete(self) -> bool:
        """Return whether it has completed, so that ``wait`` returns or raises at once."""
        return self._exchange.is_complete

    def wait_at_most(self, timeout_s: float) -> None:
        """Let other ranks run until the collective is complete, or the timeout passes."""
        self._simulation.turns.wait_until(
            self._asked.world_rank,
            lambda: self.is_complete,
            self._asked.position(),
            timeout_s=timeout_s,
        )


def _mismatch(asked: dict[int, _Asked]) -> Mismatch | None:
    """Return an error if the signatures of the calls differ, otherwise None."""
    groups: dict[str, list[int]] = {}
    for rank, each in sorted(asked.items()):
        groups.setdefault(each.call.signature(), []).append(rank)
    if len(groups) == 1:
        return None
    first = next(iter(asked.values()))
    gave = "; ".join(
        f"{'rank' if len(ranks) == 1 else 'ranks'} {', '.join(map(str, ranks))} gave {signature}"
        for signature, ranks in groups.items()
    )
    return Mismatch(f"{first.position().words()}: {gave}.")


# The simulation and the rank of the current thread, for `init`.
_current = threading.local()


def current() -> tuple[Simulation, int] | None:
    """Return the simulation and the rank of this thread; None outside of a simulation."""
    return getattr(_current, "place", None)


def run_ranks(
    function: Callable[[Simulation, int], Any], world_size: int, *, seed: int, link: Link | None
) -> list[Any]:
    """Run a function on each rank, in threads; return the results in rank order."""
    if world_size < 1:
        raise ValueError(f"run_threads: world_size is {world_size}; use one rank or more.")
    simulation = Simulation(world_size, seed=seed, link=link)
    results: list[Any] = [None] * world_size

    def run(rank: int) -> None:
        _current.place = (simulation, rank)
        results[rank] = function(simulation, rank)

    simulation.turns.run(run)
    simulation.require_complete()
    return results
