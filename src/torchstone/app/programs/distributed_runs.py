"""Simulations of distributed training for the page, with timelines.

The programs run one at a time. A run ends with its reader: closing the iterator kills it.
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
# Including the running one.
MOST_RUNS = 5
PATIENCE_SECONDS = 120.0
# Maximum length of a line; each event is one line.
MAX_LINE_BYTES = 2**20


class Busy(BadInput):
    """Raised when too many runs are queued."""

    status = 429


class TimelineBar(msgspec.Struct, frozen=True, kw_only=True):
    """Collective of the timeline; the lists are in the order of ``ranks``.

    Attributes:
        op: Operation.
        axis: Axis, or the second queue of an axis.
        number: Sequence number on the axis.
        label: Purpose.
        ranks: Participating ranks.
        launched_s: Launch time of each rank.
        begin_s: Start.
        end_s: End.
        bytes_sent: Bytes sent by each rank.
        bytes_received: Bytes received by each rank.
        waits_for: Last rank to launch; None if all launched at once.
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
    """Interval in which a rank computes."""

    rank: int
    start_s: float
    end_s: float
    label: str


class TimelineWait(msgspec.Struct, frozen=True, kw_only=True):
    """Interval in which a rank waits for an exchange.

    Attributes:
        rank: The rank.
        start_s: Start.
        end_s: End.
        op: Operation of the exchange.
        axis: Axis of the exchange.
        number: Sequence number on the axis.
        ranks: Participating ranks; for a message the sender, then the receiver.
        last: Rank that has not launched the exchange yet; None during the transfer.
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
    """Timeline of the ranks.

    Attributes:
        num_ranks: Number of ranks.
        end_s: Time of the last event.
        bubble: Share of time in which ranks do not compute, if known.
        collectives: Collectives, sorted by start.
        compute: Compute intervals.
        waits: Wait intervals.
    """

    num_ranks: int
    end_s: float
    bubble: float | None
    collectives: list[TimelineBar]
    compute: list[TimelineSpan]
    waits: list[TimelineWait]


class Drawn(msgspec.Struct, frozen=True, kw_only=True):
    """End of a simulation: result and timeline."""

    result: distributed.Simulated
    timeline: TimelineData


class Queued(msgspec.Struct, frozen=True, kw_only=True):
    """Position in the queue.

    Attributes:
        ahead: Number of programs that run or wait before this one.
    """

    ahead: int


RunEvent = Queued | distributed.Begun | distributed.Stepped | Drawn


class DistributedRuns:
    """Queue of simulations for one event loop, one at a time."""

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(1)
        self._num_runs = 0

    async def simulate(
        self, options: Mapping[str, Value], *, world: int, steps: int, lang: Lang
    ) -> AsyncGenerator[RunEvent, None]:
        """Simulate ranks and yield the events; closing the iterator ends the simulation.

        Args:
            options: Further options of the program by name; None leaves an option out.
            world: The number of ranks.
            steps: The number of steps.
            lang: Language of error messages.

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
                        # Parsing a long timeline takes seconds, in which other requests are served.
                        data = await asyncio.to_thread(_read_timeline, file)
                        yield Drawn(result=event, timeline=data)
                    else:
                        yield event

    async def _follow(self, words: list[str], kinds: Any, last: type) -> AsyncGenerator[Any, None]:
        """Wait for the running program, then run one and yield its events."""
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
                # Otherwise it stays a zombie until the next child is started.
                await process.wait()
        if not isinstance(event, last):
            raise TorchstoneError(f"{ERRORS}.died", status=status, words=last_words(written))


async def _lines(stdout: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """Yield lines until the last one, or until the timeout."""
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
