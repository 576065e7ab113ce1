"""``of``: the collectives of all ranks over time: who exchanges what, and who waits for whom.

A collective begins when the last of its ranks has launched it, and when what these ranks have
launched before on its axis is done. Until then the others wait for that rank.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from torchstone.core.i18n import Lang
from torchstone.distributed.comm.activity import Waited
from torchstone.distributed.comm.ledger import Entry, Ledger
from torchstone.distributed.refusal import Refusal

SUFFIXES = (".svg", ".html", ".json")
# Which direction of its link a rank uses.
_WAYS = {"send": ("out",), "recv": ("in",)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A collective as one of its ranks has it.

    Attributes:
        rank: The rank of the world.
        launched_s: When the rank launched it, in seconds since the first event of the timeline.
        begin_s: When it began: no rank was missing, and the axis was free.
        end_s: When it was complete here.
        bytes_sent: What the rank sent.
        bytes_received: What it received.
    """

    rank: int
    launched_s: float
    begin_s: float
    end_s: float
    bytes_sent: int
    bytes_received: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Collective:
    """A collective, or a message between two ranks.

    Attributes:
        op: Its operation; that of a message is ``send``.
        axis: The axis.
        number: Its number on the axis.
        label: What it was for.
        bars: One for each rank, in rank order.
    """

    op: str
    axis: str
    number: int
    label: str
    bars: tuple[Bar, ...]

    @property
    def last(self) -> int | None:
        """The rank that all others wait for; ``None`` if they launch at the same time."""
        times = [each.launched_s for each in self.bars]
        if min(times) == max(times):
            return None
        return max(self.bars, key=lambda each: each.launched_s).rank

    def waits(self) -> dict[int, float]:
        """Return how long each rank that waits does so for the last one, in seconds."""
        latest = max(each.launched_s for each in self.bars)
        return {
            each.rank: latest - each.launched_s for each in self.bars if each.launched_s < latest
        }

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it; the lists are in the order of ``ranks``."""
        names = ("launched_s", "begin_s", "end_s", "bytes_sent", "bytes_received")
        lists = {name: [getattr(each, name) for each in self.bars] for name in names}
        return {
            "op": self.op,
            "axis": self.axis,
            "number": self.number,
            "label": self.label,
            "ranks": [each.rank for each in self.bars],
            **lists,
            "waits_for": self.last,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A time in which a rank computes.

    Attributes:
        rank: The rank.
        start_s: Its begin, in seconds since the first event of the timeline.
        end_s: Its end.
        label: What is computed.
    """

    rank: int
    start_s: float
    end_s: float
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait(Waited):
    """A wait of one rank; its times count from the first event of the timeline.

    Attributes:
        rank: The rank.
    """

    rank: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """The ranks as rows, the time from left to right.

    Attributes:
        num_ranks: The number of rows.
        end_s: The end of the last event; the first one begins at 0.
        collectives: In the order of their begin.
        compute: What the ranks compute, in the order of its begin.
        waits: When they wait, in the order of its begin.
    """

    num_ranks: int
    end_s: float
    collectives: tuple[Collective, ...]
    compute: tuple[Span, ...]
    waits: tuple[Wait, ...] = ()

    @property
    def bubble(self) -> float | None:
        """The share of time in which a rank does not compute; ``None`` if that is not known."""
        busy = sum(each.end_s - each.start_s for each in self.compute)
        whole = self.num_ranks * self.end_s
        return 1 - busy / whole if self.compute and whole else None

    def to_dict(self) -> dict[str, Any]:
        """Return all as JSON has it."""
        return {
            "num_ranks": self.num_ranks,
            "end_s": self.end_s,
            "bubble": self.bubble,
            "collectives": [each.to_dict() for each in self.collectives],
            "compute": [asdict(each) for each in self.compute],
            "waits": [asdict(each) for each in self.waits],
        }

    def svg(self, *, lang: Lang = "en") -> str:
        """Return a picture for light and dark paper, which needs no other file."""
        from torchstone.distributed.timeline_picture import draw_svg

        return draw_svg(self, lang)

    def html(self, *, lang: Lang = "en") -> str:
        """Return a document with the picture, and a table of the same data."""
        from torchstone.distributed.timeline_picture import draw_html

        return draw_html(self, lang)

    def write(self, path: str | Path, *, lang: Lang = "en") -> Path:
        """Write the picture, the document or the data, as the suffix of the file says.

        Raises:
            Refusal: The suffix is another one, or the file cannot be written.
        """
        file = Path(path)
        written = {
            ".svg": lambda: self.svg(lang=lang),
            ".html": lambda: self.html(lang=lang),
            ".json": lambda: json.dumps(self.to_dict(), allow_nan=False) + "\n",
        }[require_suffix(file)]()
        try:
            file.write_text(written, encoding="utf-8")
        except OSError as error:
            raise Refusal("unwritable", path=file, reason=error.strerror) from error
        return file


def require_suffix(path: Path) -> str:
    """Return the suffix of a file that a timeline can be written to.

    Raises:
        Refusal: It is another one.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise Refusal("timeline_suffix", path=path, wanted=SUFFIXES)
    return suffix


def require_new(path: Path) -> None:
    """Refuse a file that cannot be written, or that is there already; nothing stays of it.

    Raises:
        Refusal: It is such a file, or its suffix is another one than a timeline has.
    """
    require_suffix(path)
    try:
        path.open("x").close()
        path.unlink()
    except FileExistsError as error:
        raise Refusal("file_taken", path=path) from error
    except OSError as error:
        raise Refusal("unwritable", path=path, reason=error.strerror) from error


def of(
    ledgers: Sequence[Ledger | Sequence[Entry]],
    *,
    compute: Sequence[Sequence[tuple[float, float, str]]] | None = None,
    waits: Sequence[Sequence[Waited]] | None = None,
) -> Timeline:
    """Return the timeline of the ledgers of all ranks.

    Args:
        ledgers: One for each rank of the world, in rank order; or the entries of one. Where a rank
            has several axes, its entries of all of them.
        compute: For each rank, when it computes: begin, end, and what; on the clock of the ledgers.
        waits: For each rank, when it waits, on that clock.

    Raises:
        ValueError: ``compute`` or ``waits`` has another number of ranks.

    >>> first, second = (
    ...     Entry(op="all_reduce", axis="world", bytes_sent=8, bytes_received=8, number=0,
    ...           start_s=start_s, end_s=4.0)
    ...     for start_s in (1.0, 3.0)
    ... )
    >>> (one,) = of([[first], [second]]).collectives
    >>> one.waits(), one.last
    ({0: 2.0}, 1)
    """
    entries = [each.entries if isinstance(each, Ledger) else each for each in ledgers]
    spans = [[]] * len(entries) if compute is None else compute
    waited = [[]] * len(entries) if waits is None else waits
    for name, given in (("compute", spans), ("waits", waited)):
        if len(given) != len(entries):
            raise ValueError(
                f"timeline.of: {name} has {len(given)} ranks and the ledgers have {len(entries)}; "
                "give a list for each rank."
            )
    starts = [each.start_s for rank in entries for each in rank]
    starts += [start for rank in spans for start, _, _ in rank]
    starts += [each.start_s for rank in waited for each in rank]
    origin_s = min(starts, default=0.0)
    collectives = _join(entries, origin_s)
    computed = [
        Span(rank=rank, start_s=start - origin_s, end_s=end - origin_s, label=label)
        for rank, each in enumerate(spans)
        for start, end, label in each
    ]
    held_up = [_wait(rank, each, origin_s) for rank, own in enumerate(waited) for each in own]
    ends = [bar.end_s for each in collectives for bar in each.bars]
    ends += [each.end_s for each in computed] + [each.end_s for each in held_up]
    return Timeline(
        num_ranks=len(entries),
        end_s=max(ends, default=0.0),
        collectives=tuple(collectives),
        compute=tuple(sorted(computed, key=lambda each: (each.start_s, each.rank))),
        waits=tuple(sorted(held_up, key=lambda each: (each.start_s, each.rank))),
    )


def _wait(rank: int, each: Waited, origin_s: float) -> Wait:
    times = {"start_s": each.start_s - origin_s, "end_s": each.end_s - origin_s}
    return Wait(rank=rank, **asdict(each) | times)


def _join(entries: Sequence[Sequence[Entry]], origin_s: float) -> list[Collective]:
    """Return the collectives that the entries of the ranks are parts of, by their begin."""
    groups: dict[tuple[object, ...], list[tuple[int, Entry]]] = {}
    for rank, own in enumerate(entries):
        for key, entry in _keyed(own):
            groups.setdefault(key, []).append((rank, entry))
    free_s: dict[tuple[int, str, str], float] = {}
    joined = []
    for parts in sorted(groups.values(), key=_end_of):
        # A message takes one direction of a link at each of its ends, a collective both.
        places = {
            (rank, entry.axis, way): entry.end_s
            for rank, entry in parts
            for way in _WAYS.get(entry.op, ("out", "in"))
        }
        begin_s = max(entry.start_s for _, entry in parts)
        begin_s = max([begin_s, *(free_s.get(place, begin_s) for place in places)])
        joined.append(_collective(parts, begin_s, origin_s))
        free_s |= places
    return sorted(joined, key=lambda each: min((bar.begin_s, bar.rank) for bar in each.bars))


def _keyed(entries: Iterable[Entry]) -> Iterator[tuple[tuple[object, ...], Entry]]:
    """Yield the entries of a rank with what they share with the entries of the other ranks."""
    counts: dict[tuple[object, ...], int] = {}
    for entry in entries:
        op = "send" if entry.op == "recv" else entry.op
        key = (op, entry.axis, entry.ranks, entry.number)
        # Messages with different tags have the same numbers.
        counts[key] = counts.get(key, -1) + 1
        yield (*key, counts[key]), entry


def _end_of(parts: Sequence[tuple[int, Entry]]) -> tuple[float, float]:
    return max(entry.end_s for _, entry in parts), max(entry.start_s for _, entry in parts)


def _collective(parts: Sequence[tuple[int, Entry]], begin_s: float, origin_s: float) -> Collective:
    _, first = parts[0]
    bars = [
        Bar(
            rank=rank,
            launched_s=entry.start_s - origin_s,
            # On clocks that differ a little, a rank may be done before the last one has begun.
            begin_s=min(begin_s, entry.end_s) - origin_s,
            end_s=entry.end_s - origin_s,
            bytes_sent=entry.bytes_sent,
            bytes_received=entry.bytes_received,
        )
        for rank, entry in parts
    ]
    return Collective(
        op="send" if first.op == "recv" else first.op,
        axis=first.axis,
        number=first.number,
        label=first.label,
        bars=tuple(bars),
    )
