"""Draw a timeline: an SVG with a row for each rank, and an HTML document with its table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from math import floor, log10
from typing import TYPE_CHECKING

from torchstone.core.i18n import Lang, display_width, text

if TYPE_CHECKING:
    from torchstone.distributed.timeline import Collective, Timeline

# In pixels; the font size is 12, and a letter is at most 7 wide.
LEFT, RIGHT, WIDTH, LETTER = 72, 24, 1216, 7.0
LANE, GAP, HEAD, FOOT = 24, 14, 56, 40
# Minimum width of a bar that contains its number.
NUMBER_WIDTH = 30
# A picture with more collectives would be unreadable.
MOST_DRAWN = 2000
HTML_LANGS = {"en": "en", "zh": "zh-CN"}
STYLE = """
:root{color-scheme:light dark}
svg{--paper:#f7f7f3;--ink:#16191c;--ink2:#454a4e;--hair:#d9d9d1;--rule:#83867f;
--o0:#235a9c;--o1:#0c6461;--o2:#5f4596;--o3:#97296a;--o4:#84500c;--o5:#b0261c;
font:12px system-ui,"PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif;
background:var(--paper)}
@media (prefers-color-scheme:dark){svg{--paper:#14181b;--ink:#ecebe5;--ink2:#bcbbb5;--hair:#2a3036;
--rule:#666e75;--o0:#86b4f0;--o1:#6cc4bd;--o2:#b7a0ee;--o3:#e58fbb;--o4:#dba873;--o5:#f27d6f}}
text{fill:var(--ink2)}.name,.head{fill:var(--ink)}.on{fill:var(--paper);pointer-events:none}
.tick,.row{stroke:var(--hair)}.wait{stroke:var(--rule);stroke-dasharray:2 3}
.travel{stroke:var(--rule)}.end{text-anchor:end}.mid{text-anchor:middle}.compute{fill:none;stroke:var(--rule)}
.o0{fill:var(--o0)}.o1{fill:var(--o1)}.o2{fill:var(--o2)}.o3{fill:var(--o3)}.o4{fill:var(--o4)}
.o5{fill:var(--o5)}
"""
PAGE_STYLE = """
body{margin:0 auto;padding:32px;max-width:1280px;background:light-dark(#f7f7f3,#14181b);
color:light-dark(#16191c,#ecebe5);
font:14px/1.5 system-ui,"PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif;
font-variant-numeric:tabular-nums}
h1{font-size:26px;line-height:1.3;margin:0 0 8px}h2{font-size:16px;margin:32px 0 8px}p{margin:0}
.scroll{overflow-x:auto;margin:24px 0 0}table{border-collapse:collapse;width:100%}
th,td{text-align:left;font-weight:400;padding:6px 16px 6px 0;white-space:nowrap;
border-bottom:1px solid light-dark(#d9d9d1,#2a3036)}
thead th{color:light-dark(#454a4e,#bcbbb5)}.r{text-align:right}
@media (max-width:720px){body{padding:16px}}
"""


def draw_svg(timeline: Timeline, lang: Lang) -> str:
    """Return the picture of a timeline."""
    return _Picture(timeline, lang).draw()


def draw_html(timeline: Timeline, lang: Lang) -> str:
    """Return a self-contained HTML document with the picture and its table."""
    heads = ("collective", "begin", "duration", "bytes", "ranks", "waits")
    return (
        f'<!doctype html>\n<html lang="{HTML_LANGS[lang]}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_say('title', lang)}</title><style>{PAGE_STYLE}</style></head><body><main>"
        f"<h1>{_say('title', lang)}</h1><p>{_summary(timeline, lang)}</p>"
        f'<div class="scroll" tabindex="0" role="group" aria-label="{_say("title", lang)}">'
        f"{draw_svg(timeline, lang)}</div><h2>{_say('table', lang)}</h2>"
        f'<div class="scroll" tabindex="0" role="group" aria-label="{_say("table", lang)}">'
        "<table><thead><tr>"
        + "".join(f'<th scope="col">{_say(name, lang)}</th>' for name in heads)
        + "</tr></thead><tbody>"
        + "".join(_table_row(each, lang) for each in timeline.collectives)
        + f"</tbody></table></div>{_ranks_table(timeline, lang)}</main></body></html>\n"
    )


def _ranks_table(timeline: Timeline, lang: Lang) -> str:
    """Return the table of the ranks' computing and waiting times; empty without simulated time."""
    if not timeline.waits and not timeline.compute:
        return ""
    heads = ("rank_head", "computes", "waits_rank", "waits_bytes")
    return (
        f"<h2>{_say('table_ranks', lang)}</h2>"
        f'<div class="scroll" tabindex="0" role="group" aria-label="{_say("table_ranks", lang)}">'
        "<table><thead><tr>"
        + "".join(f'<th scope="col">{_say(name, lang)}</th>' for name in heads)
        + "</tr></thead><tbody>"
        + "".join(_rank_row(timeline, rank, lang) for rank in range(timeline.num_ranks))
        + "</tbody></table></div>"
    )


def _rank_row(timeline: Timeline, rank: int, lang: Lang) -> str:
    waits = [each for each in timeline.waits if each.rank == rank]
    seconds = (
        sum(each.end_s - each.start_s for each in timeline.compute if each.rank == rank),
        sum(each.end_s - each.start_s for each in waits if each.last is not None),
        sum(each.end_s - each.start_s for each in waits if each.last is None),
    )
    cells = "".join(f"<td>{format_seconds(each)}</td>" for each in seconds)
    return f'<tr><th scope="row">{_say("rank", lang, rank=rank)}</th>{cells}</tr>'


def _summary(timeline: Timeline, lang: Lang) -> str:
    words = _say(
        "summary",
        lang,
        ranks=timeline.num_ranks,
        collectives=len(timeline.collectives),
        time=format_seconds(timeline.end_s),
    )
    if timeline.bubble is not None:
        words += _say("bubble", lang, percent=f"{timeline.bubble:.1%}")
    if len(timeline.collectives) > MOST_DRAWN:
        words += _say("cut", lang, drawn=MOST_DRAWN)
    return words


def _table_row(each: Collective, lang: Lang) -> str:
    begin_s = min(bar.begin_s for bar in each.bars)
    end_s = max(bar.end_s for bar in each.bars)
    cells = (
        format_seconds(begin_s),
        format_seconds(end_s - begin_s),
        format_bytes(max(bar.bytes_sent for bar in each.bars)),
        _ranks(bar.rank for bar in each.bars),
        escape(_waits(each, lang)),
    )
    first = f'<tr><th scope="row">{escape(_name(each))}</th>'
    return first + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


@dataclass
class _Picture:
    """Picture being drawn.

    Attributes:
        timeline: The timeline.
        lang: The language of the text.
    """

    timeline: Timeline
    lang: Lang
    drawn: tuple[Collective, ...] = field(init=False)
    ops: list[str] = field(init=False)
    axes: list[str] = field(init=False)
    width: float = field(init=False)
    end_s: float = field(init=False)

    def __post_init__(self) -> None:
        self.drawn = self.timeline.collectives[:MOST_DRAWN]
        self.ops = list(dict.fromkeys(each.op for each in self.drawn))
        self.axes = list(dict.fromkeys(each.axis for each in self.drawn))
        # Computing and waiting have a lane of their own.
        if self.timeline.compute or self.timeline.waits:
            self.axes.insert(0, "")
        # Make typical bars wide enough for their numbers.
        self.width = max(WIDTH, LEFT + RIGHT + len(self.drawn) * NUMBER_WIDTH)
        ends = [bar.end_s for each in self.drawn for bar in each.bars]
        self.end_s = max([*ends, *(each.end_s for each in self.timeline.compute)], default=0.0)

    @property
    def row(self) -> int:
        return max(1, len(self.axes)) * LANE + GAP

    @property
    def height(self) -> int:
        return HEAD + self.timeline.num_ranks * self.row + FOOT

    def draw(self) -> str:
        name = _say("title", self.lang)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height}" '
            f'width="{self.width:g}" height="{self.height}" role="img" '
            f'aria-label="{name}: {_summary(self.timeline, self.lang)}"><style>{STYLE}</style>'
            f'<rect width="100%" height="100%" style="fill:var(--paper)"/>'
            + "".join([*self._legend(), *self._axis(), *self._rows(), *self._bars()])
            + "</svg>\n"
        )

    def _x(self, seconds: float) -> float:
        room = self.width - LEFT - RIGHT
        return LEFT + (room * seconds / self.end_s if self.end_s else 0.0)

    def _y(self, rank: int, axis: str) -> int:
        return HEAD + rank * self.row + self.axes.index(axis) * LANE

    def _legend(self) -> Iterator[str]:
        x = float(LEFT)
        for op in self.ops:
            yield f'<rect class="{self._class(op)}" x="{x:g}" y="14" width="12" height="12"/>'
            yield f'<text class="head" x="{x + 18:g}" y="24">{escape(op)}</text>'
            x += 42 + LETTER * len(op)
        if self.timeline.waits:
            kinds = ["waits_rank", "waits_bytes"]
        else:
            is_late = any(bar.launched_s < bar.begin_s for each in self.drawn for bar in each.bars)
            kinds = ["waiting"] if is_late else []
        for kind in kinds:
            name = "travel" if kind == "waits_bytes" else "wait"
            words = _say(kind, self.lang)
            yield f'<path class="{name}" d="M{x:g} 20h18"/>'
            yield f'<text class="head" x="{x + 24:g}" y="24">{words}</text>'
            x += 48 + LETTER * display_width(words)

    def _axis(self) -> Iterator[str]:
        bottom = HEAD + self.timeline.num_ranks * self.row
        for tick in ticks(self.end_s, int((self.width - LEFT) / 120)):
            x = self._x(tick)
            yield f'<path class="tick" d="M{x:.1f} {HEAD - 8}V{bottom}"/>'
            side = "mid" if x < self.width - 48 else "end"
            label = format_seconds(tick)
            yield f'<text class="{side}" x="{x:.1f}" y="{bottom + 20}">{label}</text>'

    def _rows(self) -> Iterator[str]:
        for rank in range(self.timeline.num_ranks):
            y = HEAD + rank * self.row
            yield f'<path class="row" d="M0 {y - GAP / 2:g}H{self.width:g}"/>'
            words = _say("rank", self.lang, rank=rank)
            yield f'<text class="name" x="8" y="{y + 15}">{words}</text>'

    def _bars(self) -> Iterator[str]:
        for span in self.timeline.compute:
            x, right = self._x(span.start_s), self._x(span.end_s)
            y = self._y(span.rank, "")
            yield (
                f'<g><title>{escape(span.label)}</title><rect class="compute" x="{x:.2f}" '
                f'y="{y + 0.5:g}" width="{max(right - x - 1, 0.5):.2f}" height="{LANE - 5}"/>'
            )
            yield _inside(span.label, x, right, y, "name") + "</g>"
        yield from self._waits()
        # Draw these lines first, below the bars of earlier collectives in the same lane.
        for each in self.drawn if not self.timeline.waits else ():
            for bar in each.bars:
                middle = self._y(bar.rank, each.axis) + LANE / 2 - 2
                start, x = self._x(bar.launched_s), self._x(bar.begin_s)
                if x - start > 1:
                    yield f'<path class="wait" d="M{start:.2f} {middle:g}H{x:.2f}"/>'
        for each in self.drawn:
            title = escape(self._title(each))
            for bar in each.bars:
                y = self._y(bar.rank, each.axis)
                x, right = self._x(bar.begin_s), self._x(bar.end_s)
                yield f"<g><title>{title}</title>"
                yield (
                    f'<rect class="{self._class(each.op)}" x="{x:.2f}" y="{y}" '
                    f'width="{max(right - x - 1, 1):.2f}" height="{LANE - 4}"/>'
                )
                name = f"#{each.number}"
                label = f" {each.label}" if each.label else ""
                # The receiver of a message sends nothing.
                size = f" · {format_bytes(bar.bytes_sent)}" if bar.bytes_sent else ""
                words = (name + label + size, name + size, name)
                yield _inside_first(words, x, right, y) + "</g>"

    def _waits(self) -> Iterator[str]:
        for wait in self.timeline.waits:
            x, y = self._x(wait.start_s), self._y(wait.rank, "") + LANE / 2 - 2
            right = self._x(wait.end_s)
            words = _say("waits_bytes", self.lang)
            if wait.last is not None:
                words = _say("waits_last", self.lang, last=wait.last)
            title = (
                f"{wait.op} #{wait.number} · {words} · {format_seconds(wait.end_s - wait.start_s)}"
            )
            name = "travel" if wait.last is None else "wait"
            line = f'<path class="{name}" d="M{x:.2f} {y:g}H{right:.2f}"/>'
            yield f"<g><title>{escape(title)}</title>{line}</g>"

    def _title(self, each: Collective) -> str:
        sizes = format_bytes(max(bar.bytes_sent for bar in each.bars))
        parts = [_name(each), sizes, _waits(each, self.lang)]
        return " · ".join(filter(None, parts))

    def _class(self, op: str) -> str:
        return f"o{self.ops.index(op) % 6}"


def _inside_first(choices: Sequence[str], x: float, right: float, y: int) -> str:
    """Return the longest of some texts that fits into a bar."""
    return next(filter(None, (_inside(words, x, right, y, "on") for words in choices)), "")


def _inside(words: str, x: float, right: float, y: int, kind: str) -> str:
    if not words or LETTER * len(words) + 8 > right - x:
        return ""
    return f'<text class="{kind}" x="{x + 5:.2f}" y="{y + 14}">{escape(words)}</text>'


def _name(each: Collective) -> str:
    label = f" ({each.label})" if each.label else ""
    return f"{each.op} #{each.number} {each.axis}{label}"


def _waits(each: Collective, lang: Lang) -> str:
    """Return which ranks wait for which, and the longest wait."""
    waits = each.waits()
    if not waits:
        return ""
    most = format_seconds(max(waits.values()))
    return _say("waits_for", lang, ranks=_ranks(waits), last=each.last, time=most)


def _ranks(ranks: Iterable[int]) -> str:
    """Format numbers, joining consecutive ones: ``0-2, 5``."""
    runs: list[list[int]] = []
    for rank in sorted(ranks):
        if runs and rank == runs[-1][-1] + 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _say(key: str, lang: Lang, **values: object) -> str:
    return text(f"distributed.timeline.{key}", lang, **values)


def format_seconds(seconds: float) -> str:
    """Format a time in a suitable unit.

    >>> format_seconds(0.0), format_seconds(0.01258), format_seconds(2.5e-5), format_seconds(90)
    ('0', '12.6 ms', '25 µs', '90 s')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if abs(seconds) >= 0.9995 * size:
            return f"{seconds / size:.3g} {unit}" if seconds < 999.5 else f"{seconds:.0f} s"
    return f"{seconds * 1e9:.3g} ns" if seconds > 5e-11 else "0"


def format_bytes(size: int) -> str:
    """Format a number of bytes in a suitable unit.

    >>> format_bytes(18), format_bytes(393_216), format_bytes(5_308_416)
    ('18 B', '393 kB', '5.31 MB')
    """
    for unit, step in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= 0.9995 * step:
            return f"{size / step:.3g} {unit}"
    return f"{size} B"


def ticks(end_s: float, most: int) -> list[float]:
    """Return tick positions from 0, at distances of 1, 2 or 5 times a power of ten.

    >>> ticks(0.075, 5)
    [0.0, 0.02, 0.04, 0.06]
    """
    if not end_s > 0:
        return [0.0]
    rough = end_s / max(most, 1)
    power = 10.0 ** floor(log10(rough))
    step = power * next(each for each in (1, 2, 5, 10) if each * power >= rough * (1 - 1e-9))
    return [float(f"{number * step:.12g}") for number in range(floor(end_s / step + 1e-9) + 1)]
