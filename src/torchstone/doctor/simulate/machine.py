"""Simulate steps on ranks, and record all events.

A rank is a host with a main thread and an autograd thread, and a device with streams. The host runs
its actions in sequence, ahead of the device; a synchronizing call waits. A collective starts on
each rank when that rank is ready, and ends on all ranks at once; ranks are generators, so that a
waiting rank lets another one proceed.

Times are integer nanoseconds. Beside the spans that a profiler would record, a rank keeps a ledger
for ``truth``: the activity of each thread over time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from torchstone.doctor.simulate.actions import (
    Action,
    Alloc,
    Annotate,
    Backward,
    Collect,
    Copy,
    Exchange,
    Frame,
    Kernel,
    Load,
    Op,
    Remember,
    Save,
    Step,
    Sync,
    Work,
)

MAIN, AUTOGRAD = 100, 101
# Thread activities, in order of priority; the index is a bit of the ledger.
LABELS = ("loader", "sync", "alloc", "gc", "io", "launch", "operator", "python")
_LOADER_FRAME = "torch/utils/data/dataloader.py(628): __next__"


@dataclass(slots=True, kw_only=True)
class Span:
    """Span recorded by the profiler; ``role`` is converted to a category."""

    role: str
    name: str
    begin: int
    end: int
    lane: int
    args: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Item:
    """Unit of device work; ``begin`` is negative until it is known."""

    work: Work
    ready: int
    duration: int
    waits_for: list[Item]
    exchange: int
    call_end: int
    thread: int
    correlation: int
    external: int
    begin: int = -1
    end: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """Interval of a thread's activity, as bits of ``LABELS``."""

    begin: int
    end: int
    bits: int


@dataclass(slots=True, kw_only=True)
class Recording:
    """Events of one rank.

    Attributes:
        rank: Index of the rank.
        num_ranks: Number of ranks.
        spans: Host spans recorded by the profiler.
        items: Device work.
        steps: Start and end of each step.
        ledger: Activities of each thread, in order.
        memory: Time, device, bytes changed and bytes in use.
    """

    rank: int
    num_ranks: int
    spans: list[Span] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    steps: list[tuple[int, int]] = field(default_factory=list)
    ledger: dict[int, list[Segment]] = field(default_factory=lambda: {MAIN: [], AUTOGRAD: []})
    memory: list[tuple[int, int, int, int]] = field(default_factory=list)


def run(ranks: Sequence[Sequence[Step]], *, quantum_ns: int = 1) -> list[Recording]:
    """Run all steps of all ranks.

    Args:
        ranks: Steps of each rank.
        quantum_ns: Resolution of times; 1000 for traces in whole microseconds.

    Raises:
        ValueError: Ranks are deadlocked.
    """
    hub: dict[int, dict[int, int]] = {}
    hosts = [_Host(at, len(ranks), hub, quantum_ns) for at in range(len(ranks))]
    running = [(host, host.live(steps)) for host, steps in zip(hosts, ranks, strict=True)]
    while running:
        before = _progress(hosts)
        running = [(host, life) for host, life in running if next(life, "ended") != "ended"]
        if running and _progress(hosts) == before:
            raise ValueError("simulate: ranks wait for each other; give each the same collectives.")
    while (before := _progress(hosts)) is not None:
        for host in hosts:
            host.advance()
        if _progress(hosts) == before:
            break
    for host in hosts:
        host.require_done()
    return [host.recording for host in hosts]


def _progress(hosts: list[_Host]) -> tuple[int, int]:
    done = sum(host.num_done for host in hosts)
    return done, sum(len(host.recording.items) for host in hosts)


class _Host:
    """State of one simulated rank."""

    def __init__(
        self, rank: int, num_ranks: int, hub: dict[int, dict[int, int]], quantum_ns: int
    ) -> None:
        self.recording = Recording(rank=rank, num_ranks=num_ranks)
        self.num_done = 0
        self._hub = hub
        self._quantum = quantum_ns
        self._now = 0
        self._thread = MAIN
        self._bits: dict[int, list[int]] = {MAIN: [], AUTOGRAD: []}
        self._frames: dict[int, list[int]] = {MAIN: [], AUTOGRAD: []}
        self._free: dict[int, int] = {}
        self._last: dict[int, Item] = {}
        self._num_exchanges = self._correlation = self._external = self._python = 0
        self._operators: list[int] = []
        self._sequences: dict[str, int] = {}
        self._next_sequence = 1
        self._in_use: dict[int, int] = {}
        self._perform: dict[type, Callable[[Any], Iterator[None]]] = {
            Op: self._op,
            Frame: self._frame,
            Annotate: self._annotate,
            Load: self._load,
            Backward: self._backward,
            Collect: lambda it: self._spanned(it, "gc", "Python GC", 3),
            Save: self._save,
            Kernel: self._work,
            Copy: self._work,
            Exchange: self._work,
            Sync: self._sync,
            Alloc: self._alloc,
            Remember: self._remember,
            Action: self._inside,
        }

    def live(self, steps: Sequence[Step]) -> Iterator[None]:
        """Run all steps; yield where another rank must proceed first."""
        begin = self._now
        root = self._enter_frame()
        for number, step in enumerate(steps):
            start = self._now
            self._sequences.clear()
            yield from self._inside(Action(us=2.0, do=step))
            self.recording.steps.append((start, self._now))
            self._add("step", f"ProfilerStep#{number}", start)
        self._leave_frame(root, "train.py(90): main", begin)

    def advance(self) -> None:
        """Compute start and end of device work, as far as other ranks determine them."""
        items = self.recording.items
        while self.num_done < len(items):
            item = items[self.num_done]
            stream = item.work.stream
            begin = max(
                item.ready, self._free.get(stream, 0), *(other.end for other in item.waits_for), 0
            )
            end = begin + item.duration
            if item.exchange >= 0:
                begun = self._hub.setdefault(item.exchange, {})
                begun[self.recording.rank] = begin
                if len(begun) < self.recording.num_ranks:
                    return
                end = max(begun.values()) + item.duration
            item.begin, item.end = begin, end
            self._free[stream] = end
            self.num_done += 1

    def require_done(self) -> None:
        """Refuse collectives in which not all ranks take part."""
        if self.num_done < len(self.recording.items):
            raise ValueError("simulate: a collective lacks a rank; give each the same collectives.")

    def _ns(self, us: float) -> int:
        return round(us * 1e3 / self._quantum) * self._quantum

    def _pass(self, duration: int) -> None:
        """Advance the time, and record the activities of the threads."""
        if duration <= 0:
            return
        end = self._now + duration
        for thread in {MAIN, self._thread}:
            bits = 0
            for bit in self._bits[thread]:
                bits |= 1 << bit
            self.recording.ledger[thread].append(Segment(begin=self._now, end=end, bits=bits))
        self._now = end

    def _inside(self, action: Action) -> Iterator[None]:
        """Distribute an action's own time around its nested actions."""
        part = self._ns(action.us / (len(action.do) + 1))
        for each in action.do:
            self._pass(part)
            yield from self._perform[type(each)](each)
        self._pass(part)

    def _add(self, role: str, name: str, begin: int, **args: Any) -> None:
        self.recording.spans.append(
            Span(role=role, name=name, begin=begin, end=self._now, lane=self._thread, args=args)
        )

    def _enter_frame(self) -> int:
        self._python += 1
        self._frames[self._thread].append(self._python)
        return self._python

    def _leave_frame(self, number: int, where: str, begin: int) -> None:
        stack = self._frames[self._thread]
        stack.pop()
        self._add("frame", where, begin, python=number, parent=stack[-1] if stack else 0)

    def _spanned(self, action: Action, role: str, name: str, bit: int) -> Iterator[None]:
        begin = self._now
        self._bits[self._thread].append(bit)
        yield from self._inside(action)
        self._bits[self._thread].pop()
        self._add(role, name, begin)

    def _op(self, op: Op) -> Iterator[None]:
        begin = self._now
        self._external += 1
        external = self._external
        self._operators.append(external)
        self._bits[self._thread].append(6)
        yield from self._inside(op)
        self._bits[self._thread].pop()
        self._operators.pop()
        args: dict[str, Any] = {"external": external, "dims": op.dims, "dtype": op.dtype}
        if op.sequence:
            args["sequence"] = self._sequence_of(op.sequence)
        self._add("operator", op.name, begin, **args)

    def _sequence_of(self, key: str) -> int:
        if key not in self._sequences:
            self._sequences[key] = self._next_sequence
            self._next_sequence += 1
        return self._sequences[key]

    def _frame(self, frame: Frame) -> Iterator[None]:
        begin = self._now
        number = self._enter_frame()
        self._bits[self._thread].append(7)
        yield from self._inside(frame)
        self._bits[self._thread].pop()
        self._leave_frame(number, frame.where, begin)

    def _annotate(self, named: Annotate) -> Iterator[None]:
        begin = self._now
        yield from self._inside(named)
        self._add("annotation", named.name, begin)

    def _load(self, load: Load) -> Iterator[None]:
        begin = self._now
        iterator = "_MultiProcessing" if load.workers else "_SingleProcess"
        number = self._enter_frame()
        name = f"enumerate(DataLoader)#{iterator}DataLoaderIter.__next__"
        yield from self._spanned(load, "loader", name, 0)
        self._leave_frame(number, _LOADER_FRAME, begin)

    def _backward(self, backward: Backward) -> Iterator[None]:
        begin = self._now
        number = self._enter_frame()
        before, self._thread = self._thread, AUTOGRAD
        yield from self._inside(backward)
        self._thread = before
        self._leave_frame(number, "torch/autograd/__init__.py(243): backward", begin)

    def _save(self, save: Save) -> Iterator[None]:
        begin = self._now
        number = self._enter_frame()
        self._bits[self._thread].append(4)
        yield from self._inside(save)
        self._bits[self._thread].pop()
        self._leave_frame(number, "<built-in function fsync>", begin)

    def _call(self, name: str, duration: int, bit: int) -> int:
        """Simulate a runtime call; return its id."""
        begin = self._now
        self._correlation += 1
        self._bits[self._thread].append(bit)
        self._pass(duration)
        self._bits[self._thread].pop()
        self._add("call", name, begin, correlation=self._correlation, external=self._around)
        return self._correlation

    @property
    def _around(self) -> int:
        return self._operators[-1] if self._operators else 0

    def _work(self, work: Work) -> Iterator[None]:
        begin = self._now
        device_us = work.device_us
        if isinstance(work, Copy) and work.size and not device_us:
            device_us = work.size / work.gbps / 1e3
        exchange = -1
        if isinstance(work, Exchange):
            exchange, self._num_exchanges = self._num_exchanges, self._num_exchanges + 1
        correlation = self._call(work.call, self._ns(work.us), 5)
        item = Item(
            work=work,
            ready=begin + self._ns(work.latency_us),
            duration=max(self._quantum, self._ns(device_us)),
            waits_for=[self._last[each] for each in work.after if each in self._last],
            exchange=exchange,
            call_end=self._now,
            thread=self._thread,
            correlation=correlation,
            external=self._around,
        )
        self.recording.items.append(item)
        self._last[work.stream] = item
        yield from ()

    def _sync(self, sync: Sync) -> Iterator[None]:
        if sync.stream is None:
            waited = list(self._last.values())
        else:
            waited = [self._last[sync.stream]] if sync.stream in self._last else []
        self.advance()
        while any(item.begin < 0 for item in waited):
            yield
            self.advance()
        until = max((item.end for item in waited), default=0)
        self._call(sync.call, max(self._ns(sync.us), until - self._now), 1)

    def _alloc(self, alloc: Alloc) -> Iterator[None]:
        self._call(alloc.call, self._ns(alloc.us), 2)
        yield from ()

    def _remember(self, told: Remember) -> Iterator[None]:
        in_use = self._in_use.get(told.device, 0) + told.size
        self._in_use[told.device] = in_use
        self.recording.memory.append((self._now, told.device, told.size, in_use))
        yield from ()
