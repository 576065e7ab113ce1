"""Draw the figures of the studies of models for the handbook: checkpointing, attention's backends.

The numbers come from ``benchmarks/studies``. The figures have no background; their grey and their
two colours are readable on light and on dark pages.

Usage: ``python tools/model_figures.py [--check]``; ``--check`` writes nothing and exits with 1 if a
committed figure is out of date.
"""

import argparse
import html
import json
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
HANDBOOK, STUDIES = ROOT / "docs" / "handbook", ROOT / "benchmarks" / "studies"
LANGS = ("en", "zh")
INK, BLUE, ORANGE = "#6e7781", "#2f81f7", "#db6d28"
FONTS = "system-ui, 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif"
MIDDLE, END, BOLD = ' text-anchor="middle"', ' text-anchor="end"', ' font-weight="600"'
PALE = f'stroke="{INK}" stroke-opacity="0.25"'

Results = list[dict[str, Any]]
Said = dict[str, str]

# The texts of each figure: English, Chinese. The names of variants come from the study.
CHECKPOINTING = {
    "title": (
        "A step of training: the most memory, and the time, by what is kept",
        "训练一步：按保留的内容，内存峰值与用时",
    ),
    "memory": ("activations, MiB", "激活值，MiB"),
    "time": ("processor time, the first row as 1", "CPU 时间，以第一行为 1"),
    "nothing": ("no checkpoint", "不用 checkpoint"),
    "products kept": ("each layer, products kept", "逐层，保留矩阵乘的结果"),
    "attention kept": ("each layer, attention kept", "逐层，保留注意力的结果"),
    "each layer": ("each layer", "逐层"),
    "two layers": ("two layers", "每两层"),
    "root of all": ("four layers", "每四层"),
    "root, and each layer": ("four layers, and each layer", "每四层，其中再逐层"),
    "held": ("between forward and backward", "前向与反向之间"),
    "peak": ("at the worst", "峰值"),
    "ours": ("ours", "我们的"),
    "theirs": ("torch.utils.checkpoint", "torch.utils.checkpoint"),
    "flops": ("products alone", "只算矩阵乘"),
}
BACKENDS = {
    "title": (
        "Attention, forward and backward, over the length of the text",
        "注意力的前向与反向，随文本长度的变化",
    ),
    "bytes": ("MiB at the worst, float32", "内存峰值 MiB，float32"),
    "float32": ("ms of processor time, float32", "CPU 时间 ms，float32"),
    "bfloat16": ("ms of processor time, bfloat16", "CPU 时间 ms，bfloat16"),
    "places": ("places", "位置数"),
}
# The colour and the width of a line; sdpa first, so that flash is visible where both are equal.
LOOKS = {"sdpa": (INK, 6.0), "math": (ORANGE, 2.5), "flash": (BLUE, 2.5)}


def text(x: float, y: float, said: str, size: float = 13, look: str = "") -> str:
    """Draw a line of text."""
    said = html.escape(said, quote=False)
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}"{look}>{said}</text>'


def line(x1: float, y1: float, x2: float, y2: float, look: str) -> str:
    """Draw a straight line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {look}/>'


def box(x: float, y: float, width: float, height: float, look: str) -> str:
    """Draw a rectangle."""
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f'<rect {place} rx="2" {look}/>'


# Pixels: the begin and the length of the bars of memory and of time; the height of a row and a bar.
NAMES_END, MEMORY_LEFT, MEMORY_WIDTH = 216, 230, 240
TIME_LEFT, TIME_WIDTH, ROWS_TOP, ROW, BAR = 590, 200, 62, 38, 20


def checkpointing(said: Said, results: Results) -> tuple[int, int, list[str]]:
    """Draw a row for each variant: the bytes on the left, the time on the right."""
    by_name = {each["name"]: each for each in results}
    ours = [each for each in results if not each["name"].startswith("torch: ")]
    first, most = ours[0], max(each["peak_bytes"] for each in ours)
    slowest = max(each["ratio"] for each in results)
    drawn = [
        text(MEMORY_LEFT, 34, said["memory"], 14, BOLD),
        text(TIME_LEFT, 34, said["time"], 14, BOLD),
    ]
    for place, each in enumerate(ours):
        y = ROWS_TOP + ROW * place
        middle = y + BAR / 2 + 5
        drawn.append(text(NAMES_END, middle, said[each["name"]], 13.5, END))
        peak, held = (each[kind] / most * MEMORY_WIDTH for kind in ("peak_bytes", "held_bytes"))
        drawn += [
            box(MEMORY_LEFT, y, peak, BAR, f'fill="{BLUE}" fill-opacity="0.35"'),
            box(MEMORY_LEFT, y, held, BAR, f'fill="{BLUE}"'),
            text(MEMORY_LEFT + peak + 7, middle, _of_bytes(each), 12.5),
        ]
        drawn += _times(y, each, by_name.get(f"torch: {each['name']}"), first, slowest)
    bottom = ROWS_TOP + ROW * len(ours) + 16
    return 880, bottom + 42, [*drawn, *_legend(bottom, said)]


def _of_bytes(each: dict[str, Any]) -> str:
    return f"{each['held_bytes'] / 2**20:.1f} / {each['peak_bytes'] / 2**20:.1f}"


def _times(
    y: float,
    ours: dict[str, Any],
    theirs: dict[str, Any] | None,
    first: dict[str, Any],
    slowest: float,
) -> Iterator[str]:
    scale = TIME_WIDTH / slowest
    yield box(TIME_LEFT, y, ours["ratio"] * scale, BAR, f'fill="{ORANGE}" fill-opacity="0.6"')
    of_products = TIME_LEFT + ours["flops"] / first["flops"] * scale
    yield line(of_products, y - 5, of_products, y + BAR + 5, f'stroke="{INK}" stroke-width="2.5"')
    shown = f"{ours['ratio']:.2f}"
    if theirs is not None:
        x = TIME_LEFT + theirs["ratio"] * scale
        yield f'<circle cx="{x:.1f}" cy="{y + BAR / 2:.1f}" r="5" {_RING}/>'
        shown += f" / {theirs['ratio']:.2f}"
    yield text(TIME_LEFT + TIME_WIDTH + 14, y + BAR / 2 + 5, shown, 12.5)


_RING = f'fill="none" stroke="{BLUE}" stroke-width="2.5"'


def _legend(y: float, said: Said) -> Iterator[str]:
    solid, pale = f'fill="{BLUE}"', f'fill="{BLUE}" fill-opacity="0.35"'
    for down, look, key in ((0, solid, "held"), (24, pale, "peak")):
        yield box(MEMORY_LEFT, y + down, 13, 13, look)
        yield text(MEMORY_LEFT + 22, y + down + 11.5, said[key])
    yield box(TIME_LEFT, y, 13, 13, f'fill="{ORANGE}" fill-opacity="0.6"')
    yield text(TIME_LEFT + 22, y + 11.5, said["ours"])
    yield line(TIME_LEFT + 100, y, TIME_LEFT + 100, y + 13, f'stroke="{INK}" stroke-width="2.5"')
    yield text(TIME_LEFT + 114, y + 11.5, said["flops"])
    yield f'<circle cx="{TIME_LEFT + 6.5}" cy="{y + 30.5:.1f}" r="5" {_RING}/>'
    yield text(TIME_LEFT + 22, y + 35.5, said["theirs"])


# Pixels of a panel, and the distance from one to the next.
PANEL_LEFT, PANEL_TOP, PANEL_WIDTH, PANEL_HEIGHT, PANEL_STEP = 52, 56, 205, 250, 303


def backends(said: Said, results: Results) -> tuple[int, int, list[str]]:
    """Draw three panels with logarithmic axes: bytes, and time for each dtype."""
    drawn: list[str] = []
    panels: tuple[tuple[str, str, Callable[[dict[str, Any]], float]], ...] = (
        ("bytes", "float32", lambda each: each["peak_bytes"] / 2**20),
        ("float32", "float32", lambda each: each["forward_ms"] + each["backward_ms"]),
        ("bfloat16", "bfloat16", lambda each: each["forward_ms"] + each["backward_ms"]),
    )
    times = [each["forward_ms"] + each["backward_ms"] for each in results]
    for place, (key, dtype, value) in enumerate(panels):
        lines = {
            name: [
                (each["seq_len"], value(each))
                for each in results
                if (each["backend"], each["dtype"]) == (name, dtype)
            ]
            for name in LOOKS
        }
        values = times if key != "bytes" else [y for each in lines.values() for _, y in each]
        left = PANEL_LEFT + PANEL_STEP * place
        drawn += [text(left, 30, said[key], 13.5, BOLD), *_panel(left, lines, values, said)]
    return PANEL_LEFT + 3 * PANEL_STEP - 10, PANEL_TOP + PANEL_HEIGHT + 52, drawn


def _panel(
    left: float, lines: dict[str, list[tuple[int, float]]], values: list[float], said: Said
) -> Iterator[str]:
    lengths = [length for length, _ in lines["math"]]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    bottom = PANEL_TOP + PANEL_HEIGHT

    def across(length: int) -> float:
        start, end = math.log2(lengths[0]), math.log2(lengths[-1])
        return left + (math.log2(length) - start) / (end - start) * PANEL_WIDTH

    def up(value: float) -> float:
        return bottom - (math.log10(value) - low) / (high - low) * PANEL_HEIGHT

    for length in lengths:
        yield line(across(length), PANEL_TOP, across(length), bottom, PALE)
        yield text(across(length), bottom + 18, str(length), 11, MIDDLE)
    yield text(left + PANEL_WIDTH / 2, bottom + 38, said["places"], 13, MIDDLE)
    for power in range(low, high + 1):
        yield line(left, up(10.0**power), left + PANEL_WIDTH, up(10.0**power), PALE)
        yield text(left - 7, up(10.0**power) + 4, f"{10.0**power:g}", 11.5, END)
    ends = []
    for name, (colour, width) in LOOKS.items():
        path = " ".join(f"{across(length):.1f},{up(value):.1f}" for length, value in lines[name])
        look = f'fill="none" stroke="{colour}" stroke-width="{width:g}" stroke-linejoin="round"'
        faint = ' stroke-opacity="0.5"' if name == "sdpa" else ""
        yield f'<polyline points="{path}" {look}{faint}/>'
        ends.append((up(lines[name][-1][1]) + 4, name))
    yield from _names(left + PANEL_WIDTH + 7, sorted(ends))


def _names(x: float, ends: list[tuple[float, str]]) -> Iterator[str]:
    """Name the lines at their ends, one below the other."""
    above = -math.inf
    for y, name in ends:
        y = max(y, above + 15)
        look = f' fill="{LOOKS[name][0]}"'
        yield text(x, y, name, 12.5, BOLD + look)
        above = y


Draw = Callable[[Said, Results], tuple[int, int, list[str]]]
FIGURES: dict[str, tuple[Draw, dict[str, tuple[str, str]]]] = {
    "checkpointing": (checkpointing, CHECKPOINTING),
    "backends": (backends, BACKENDS),
}


def write_figure(name: str, lang: str) -> str:
    """Write a figure in a language as SVG."""
    draw, words = FIGURES[name]
    results = json.loads((STUDIES / f"{name}.json").read_text(encoding="utf-8"))["results"]
    said = {key: both[LANGS.index(lang)] for key, both in words.items()}
    width, height, drawn = draw(said, results)
    title = html.escape(said["title"])
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{title}" fill="currentColor" color="{INK}" font-family="{FONTS}">'
    )
    return "\n".join([head, f"<title>{title}</title>", *drawn, "</svg>", ""])


def main() -> int:
    """Write the figures; with ``--check`` print which of them are out of date."""
    parser = argparse.ArgumentParser(description="Draw the figures of the studies of models.")
    parser.add_argument("--check", action="store_true", help="write nothing")
    is_check = parser.parse_args().check
    stale = []
    for lang in LANGS:
        for name in FIGURES:
            path, drawn = HANDBOOK / lang / f"figure_{name}.svg", write_figure(name, lang)
            if not path.is_file() or path.read_text(encoding="utf-8") != drawn:
                stale.append(path.relative_to(ROOT).as_posix())
                if not is_check:
                    path.write_text(drawn, encoding="utf-8")
    for name in stale:
        print(f"{'not current' if is_check else 'wrote'}: {name}")
    return 1 if is_check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
