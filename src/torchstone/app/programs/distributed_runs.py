"""Distributed training for the page: simulations with their timelines.

The programs run one after the other. A run ends with its reader: closing the iterator kills it.
"""

import asyncio
import contextlib
import sys
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from torchstone.app.programs import distributed
from torchstone.app.programs.child_program import last_words, read_event
from torchstone.app.programs.distributed import ERRORS, PROGRAM, REFUSALS, Value
from torchstone.core.errors import BadInput, TorchstoneError
from torchstone.core.i18n import Lang

MOST_RANKS, MOST_STEPS = 16, 20
# With the one that runs.
MOST_RUNS = 5
PATIENCE_SECONDS = 120.0
# An event is a line.
MAX_LINE_BYTES = 2**20


class Busy(BadInput):
    """Raised when too many runs wait."""

    status = 429


class TimelineBar(msgspec.Struct, frozen=True, kw_only=True):
    """A collective of the timeline; the lists are in the order of ``ranks``.

    Attributes:
        op: Its operation.
        axis: Its axis, or the second queue of one.
        number: Its number there.
        label: What it is for.
        ranks: Who takes part.
        launched_s: When each rank launched it.
        begin_s: When it began.
        end_s: When it was complete.
        bytes_sent: What each rank sent.
        bytes_received: What each rank received.
        waits_for: The rank that came last; None if all came at once.
    """

    op: str
    axis: str
    number: int
    label: str
    ranks: list[int]
    launched_s: list[float]
    begin_s: list[float]
    end_s: list[float]
    bytes_sent: list[int]
    bytes_received: list[int]
    waits_for: int | None


class TimelineSpan(msgspec.Struct, frozen=True, kw_only=True):
    """A time in which a rank computes."""

    rank: int
    start_s: float
    end_s: float
    label: str


class TimelineWait(msgspec.Struct, frozen=True, kw_only=True):
    """A time in which a rank waits for an exchange.

    Attributes:
        rank: The rank.
        start_s: Its begin.
        end_s: Its end.
        op: The operation of the exchange.
        axis: Its axis.
        number: Its number there.
        ranks: Who takes part; of a message its sender, then its receiver.
        last: The rank that has not launched it yet; None while bytes travel.
    """

    rank: int
    start_s: float
    end_s: float
    op: str
    axis: str
    number: int
    ranks: list[int]
    last: int | None


class TimelineData(msgspec.Struct, frozen=True, kw_only=True):
    """The ranks over time.

    Attributes:
        num_ranks: Their number.
        end_s: The end of the last event.
        bubble: The share of time in which ranks do not compute, if that is known.
        collectives: All collectives by their begin.
        compute: What the ranks compute.
        waits: When they wait.
    """

    num_ranks: int
    end_s: float
    bubble: float | None
    collectives: list[TimelineBar]
    compute: list[TimelineSpan]
    waits: list[TimelineWait]


class Drawn(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a simulation: its result and its timeline."""

    result: distributed.Simulated
    timeline: TimelineData


class Queued(msgspec.Struct, frozen=True, kw_only=True):
    """Other programs run or wait before this one.

    Attributes:
        ahead: How many.
    """

    ahead: int


RunEvent = Queued | distributed.Begun | distributed.Stepped | Drawn


class DistributedRuns:
    """Runs the programs for one event loop, one at a time."""

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(1)
        self._num_runs = 0

    async def simulate(
        self, options: Mapping[str, Value], *, world: int, steps: int, lang: Lang
    ) -> AsyncGenerator[RunEvent, None]:
        """Simulate ranks and yield the events; closing the iterator ends the simulation.

        Args:
            options: The other options of the program by name; None leaves one out.
            world: The number of ranks.
            steps: The number of steps.
            lang: The language of what is refused.

        Raises:
            BadInput: The program refused its options, or too many runs wait.
            TorchstoneError: The program ended without a result.
        """
        for name, came, most in (("ranks", world, MOST_RANKS), ("steps", steps, MOST_STEPS)):
            if came > most:
                raise BadInput(f"{ERRORS}.too_many_{name}", came=came, most=most)
        with tempfile.TemporaryDirectory(prefix="torchstone-") as folder:
            file = Path(folder, "timeline.json")
            given = {
                **options,
                "world": world,
                "steps": steps,
                "timeline": str(file),
                "lang": lang,
            }
            words = ["simulate", *distributed.arguments(given)]
            events = self._follow(words, distributed.SimulationEvent, distributed.Simulated)
            async with contextlib.aclosing(events):
                async for event in events:
                    if isinstance(event, distributed.Simulated):
                        # A long one takes seconds, in which others are served.
                        data = await asyncio.to_thread(_read_timeline, file)
                        yield Drawn(result=event, timeline=data)
                    else:
                        yield event

    async def _follow(self, words: list[str], kinds: Any, last: type) -> AsyncGenerator[Any, None]:
        """Wait until no other program runs, then run one and yield its events."""
        if self._num_runs >= MOST_RUNS:
            raise Busy(f"{ERRORS}.busy", most=MOST_RUNS)
        self._num_runs += 1
        try:
            if self._num_runs > 1:
                yield Queued(ahead=self._num_runs - 1)
            async with self._free, contextlib.aclosing(_run(words, kinds, last)) as events:
                async for event in events:
                    yield event
        finally:
            self._num_runs -= 1


def _read_timeline(file: Path) -> TimelineData:
    return msgspec.json.decode(file.read_bytes(), type=TimelineData)


async def _run(words: list[str], kinds: Any, last: type) -> AsyncGenerator[Any, None]:
    """Run a program and yield its events; it ends with the iterator."""
    command = [sys.executable, "-P", "-m", PROGRAM, *words]
    with tempfile.TemporaryFile() as written:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=written,
            limit=MAX_LINE_BYTES,
        )
        assert process.stdout is not None, "its stdout is a pipe"
        event: Any = None
        try:
            async for line in _lines(process.stdout):
                event = read_event(line, kinds, ERRORS, REFUSALS)
                yield event
            status = await process.wait()
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                # Else it stays a zombie until the next child is started.
                await process.wait()
        if not isinstance(event, last):
            raise TorchstoneError(f"{ERRORS}.died", status=status, words=last_words(written))


async def _lines(stdout: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """Yield lines until the last one, or until patience is at its end."""
    now = asyncio.get_running_loop().time
    deadline = now() + PATIENCE_SECONDS
    while True:
        try:
            line = await asyncio.wait_for(stdout.readline(), deadline - now())
        except TimeoutError as error:
            raise BadInput(f"{ERRORS}.slow", seconds=round(PATIENCE_SECONDS)) from error
        if not line:
            return
        yield line
