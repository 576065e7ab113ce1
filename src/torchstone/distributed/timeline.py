"""``of``: the collectives of all ranks over time, and which rank waits for which.

A collective starts when the last of its ranks has launched it and the previous one of these ranks
on its axis is complete. Until then the others wait for that rank.
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
# Directions of its link that a rank uses.
_WAYS = {"send": ("out",), "recv": ("in",)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """Collective as seen by one of its ranks.

    Attributes:
        rank: The rank in the world.
        launched_s: The launch time, in seconds since the first event of the timeline.
        begin_s: The start time: all ranks have launched, and the axis is free.
        end_s: The time at which it was complete on this rank.
        bytes_sent: Bytes that the rank sent.
        bytes_received: Bytes that the rank received.
    """

    rank: int
    launched_s: float
    begin_s: float
    end_s: float
    bytes_sent: int
    bytes_received: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Collective:
    """Collective, or message between two ranks.

    Attributes:
        op: The operation; ``send`` for a message.
        axis: The axis.
        number: The number on the axis.
        label: The purpose.
        bars: One bar for each rank, in rank order.
    """

    op: str
    axis: str
    number: int
    label: str
    bars: tuple[Bar, ...]

    @property
    def last(self) -> int | None:
        """Return the rank that launched last; None if all ranks launched at the same time."""
        times = [each.launched_s for each in self.bars]
        if min(times) == max(times):
            return None
        return max(self.bars, key=lambda each: each.launched_s).rank

    def waits(self) -> dict[int, float]:
        """Return the seconds that each waiting rank waits for the last one."""
        latest = max(each.launched_s for each in self.bars)
        return {
            each.rank: latest - each.launched_s for each in self.bars if each.launched_s < latest
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the collective in JSON format; the lists are in the order of ``ranks``."""
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
    """Interval in which a rank computes.

    Attributes:
        rank: The rank.
        start_s: The start, in seconds since the first event of the timeline.
        end_s: The end, likewise.
        label: What is computed.
    """

    rank: int
    start_s: float
    end_s: float
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait(Waited):
    """Wait of one rank, with times relative to the first event of the timeline.

    Attributes:
        rank: The rank.
    """

    rank: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Events of all ranks over time.

    Attributes:
        num_ranks: The number of ranks.
        end_s: The end of the last event; the first one starts at 0.
        collectives: The collectives in the order of their start.
        compute: The computing times of the ranks in the order of their start.
        waits: The waits in the order of their start.
    """

    num_ranks: int
    end_s: float
    collectives: tuple[Collective, ...]
    compute: tuple[Span, ...]
    waits: tuple[Wait, ...] = ()

    @property
    def bubble(self) -> float | None:
        """Return the fraction of the time in which ranks do not compute; None if unknown."""
        busy = sum(each.end_s - each.start_s for each in self.compute)
        whole = self.num_ranks * self.end_s
        return 1 - busy / whole if self.compute and whole else None

    def to_dict(self) -> dict[str, Any]:
        """Return the timeline in JSON format."""
        return {
            "num_ranks": self.num_ranks,
            "end_s": self.end_s,
            "bubble": self.bubble,
            "collectives": [each.to_dict() for each in self.collectives],
            "compute": [asdict(each) for each in self.compute],
            "waits": [asdict(each) for each in self.waits],
        }

    def svg(self, *, lang: Lang = "en") -> str:
        """Return a self-contained SVG picture that supports light and dark mode."""
        from torchstone.distributed.timeline_picture import draw_svg

        return draw_svg(self, lang)

    def html(self, *, lang: Lang = "en") -> str:
        """Return an HTML document with the picture and a table of the same data."""
        from torchstone.distributed.timeline_picture import draw_html

        return draw_html(self, lang)

    def write(self, path: str | Path, *, lang: Lang = "en") -> Path:
        """Write the picture, the document or the data, depending on the suffix of the file.

        Raises:
            Refusal: The suffix is not supported, or the file cannot be written.
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
    """Return the suffix of a timeline file.

    Raises:
        Refusal: The suffix is not supported.
    """
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise Refusal("timeline_suffix", path=path, wanted=SUFFIXES)
    return suffix


def require_new(path: Path) -> None:
    """Raise an error if a file exists or cannot be written; no file is left behind.

    Raises:
        Refusal: The file exists or cannot be written, or its suffix is not supported.
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
        ledgers: The ledger of each rank, in rank order, or its entries. For a rank with several
            axes, give the entries of all of them.
        compute: For each rank, its computing times: start, end and label, on the clock of the
            ledgers.
        waits: For each rank, its waits, on the same clock.

    Raises:
        ValueError: The length of ``compute`` or ``waits`` is not the number of ranks.

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
    """Group the entries of all ranks by collective, in the order of their start."""
    groups: dict[tuple[object, ...], list[tuple[int, Entry]]] = {}
    for rank, own in enumerate(entries):
        for key, entry in _keyed(own):
            groups.setdefault(key, []).append((rank, entry))
    free_s: dict[tuple[int, str, str], float] = {}
    joined = []
    for parts in sorted(groups.values(), key=_end_of):
        # A message uses one direction of a link at each end, a collective both.
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
    """Yield the entries of a rank with keys that identify the collective on all ranks."""
    counts: dict[tuple[object, ...], int] = {}
    for entry in entries:
        op = "send" if entry.op == "recv" else entry.op
        key = (op, entry.axis, entry.ranks, entry.number)
        # Messages with different tags may have the same numbers.
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
            # If clocks differ slightly, a rank may end before the last one has started.
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
