"""Draw the figures of the kernels for the handbook: the tiles of flash attention, the roofline.

In the figure of the tiles, queries are rows and keys are columns; the mask is causal. The number in
a tile is its position in the order of visits. The roofline has logarithmic axes; this file has its
measured numbers.

Usage: ``python tools/kernel_figures.py [--check]``; ``--check`` writes nothing and exits with 1 if
a committed figure is out of date.
"""

import argparse
import html
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HANDBOOK = Path(__file__).resolve().parent.parent / "docs" / "handbook"
NUM_BLOCKS = 8
# Pixels: a tile, the corner of the grid, the strips next to it, the gap to the words.
TILE, LEFT, TOP, STRIP, GAP = 38, 118, 100, 26, 8
WORDS_LEFT, WIDTH, HEIGHT = 462, 780, 434
# The block that is highlighted, counted from 0.
AT_WORK = 4
# These colours are readable on light and on dark pages.
INK, BLUE, ORANGE = "#6e7781", "#2f81f7", "#db6d28"
FONTS = "system-ui, 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif"


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Hold the texts of a figure in one language.

    Attributes:
        title: The title.
        above: The content of the blocks of keys.
        beside: The content of the blocks of queries.
        notes: The blocks that stay, pass by and are written: a heading and a line each.
        legend: The three kinds of tiles.
    """

    title: str
    above: str
    beside: str
    notes: tuple[tuple[str, str], ...]
    legend: tuple[str, str, str]


FIGURES = {
    ("forward", "en"): Words(
        title="Forward: row by row",
        above="keys: K, V",
        beside="queries: Q",
        notes=(
            ("Stays", "a block of Q, with its m, l and o"),
            ("Passes by", "the blocks of K and V, from the left"),
            ("Written when a row of tiles ends", "o / l to O, and m + log l to L"),
        ),
        legend=("28 visited whole", "8 visited and masked", "28 skipped"),
    ),
    ("forward", "zh"): Words(
        title="前向：逐行进行",
        above="键：K、V",
        beside="查询：Q",
        notes=(
            ("留在原处", "Q 的一个块，连同它的 m、l、o"),
            ("依次经过", "K 和 V 的各块，从左到右"),
            ("一行分块结束时写出", "o / l 写入 O，m + log l 写入 L"),
        ),
        legend=("完整访问 28 个", "访问并加掩码 8 个", "跳过 28 个"),
    ),
    ("backward", "en"): Words(
        title="Backward: column by column",
        above="keys: K, V, dK, dV",
        beside="Q, dO, L, δ, dQ",
        notes=(
            ("Stays", "a block of K and V, with its dK and dV"),
            ("Passes by", "the blocks of Q, dO, L and δ, from above"),
            ("Added to at each tile", "the block of dQ in its row"),
        ),
        legend=("28 visited whole", "8 visited and masked", "28 skipped"),
    ),
    ("backward", "zh"): Words(
        title="反向：逐列进行",
        above="键：K、V、dK、dV",
        beside="Q、dO、L、δ、dQ",
        notes=(
            ("留在原处", "K 和 V 的一个块，连同它的 dK、dV"),
            ("依次经过", "Q、dO、L、δ 的各块，从上到下"),
            ("每个分块都要累加", "它所在行的 dQ 块"),
        ),
        legend=("完整访问 28 个", "访问并加掩码 8 个", "跳过 28 个"),
    ),
}

# The roofline: 2 x86-64 cores (AMD, AVX-512 and AVX512-BF16), torch 2.13.0, 2026-11-22, one thread,
# CPU time. Peaks in GFLOP/s; GB/s of a sweep in place, in its best round, and of a streamed copy.
PEAK, PEAK_BFLOAT16, BANDWIDTH, COPY = 117, 233, 45, 32
# An exponential by itself; numbers in a tensor of (4096, 4096).
EXPONENTIAL, NUM_NUMBERS = 25, 4096 * 4096
# Bytes, FLOPs and exponentials for each number, in float32; milliseconds in float32 and bfloat16.
ROWS = (
    ("layer_norm", 8, 8, 0, 7.64, 4.38),
    ("layer_norm_backward", 12, 15, 0, 10.04, 6.83),
    ("rms_norm", 8, 4, 0, 6.14, 3.46),
    ("add_rms_norm", 16, 5, 0, 12.94, 7.93),
    ("softmax", 8, 4, 1, 9.81, 7.97),
    ("bias_gelu", 8, 9, 1, 9.55, 10.35),
    ("swiglu", 12, 4, 1, 7.94, 9.89),
    ("cross_entropy", 4, 3, 1, 9.09, 7.01),
    ("rotary", 8, 3, 0, 8.29, 4.03),
    ("adamw", 28, 14, 0, 11.28, 9.28),
)
# Length, tensors that move, products; milliseconds; 4 batches of 8 heads, head_dim 64, causal.
ATTENTION = (
    (1024, 4, 2, 52.4, 34.3),
    (1024, 8, 5, 124.2, 75.8),
    (4096, 4, 2, 752.7, 445.4),
    (4096, 8, 5, 1743.2, 1031.6),
)
NUM_HEADS, HEAD_DIM = 32, 64
# Where the plot lies, in pixels, and the powers of two at its ends.
PLOT_LEFT, PLOT_TOP, PLOT_WIDTH, PLOT_HEIGHT = 66, 24, 540, 372
INTENSITIES, RATES, LIST_LEFT = (-2, 11), (2, 8), 634
# Offsets of a number from its dot; other offsets avoid an overlap with another dot.
BELOW, LEFT_OF = (-7, -17), (-15, -5)
ASIDE = {
    ("1", False): (8, -9),
    ("3", False): LEFT_OF,
    ("3", True): (8, 1),
    ("4", False): LEFT_OF,
    ("5", False): LEFT_OF,
    ("5", True): (-4, 9),
    ("8", False): (-4, -17),
    ("11", False): BELOW,
    ("11", True): BELOW,
    ("13", False): BELOW,
    ("13", True): BELOW,
}
# The title; words in the plot; what the colours and the directions are called.
ROOFLINE = {
    "en": (
        "The roofline of one core, and the kernels below it",
        ("FLOPs for each byte", "GFLOP/s", "in place: {} GB/s", "float32: {}", "bfloat16: {}"),
        ("in float32", "in bfloat16", "copy: {} GB/s"),
        ("forward", "backward"),
    ),
    "zh": (
        "一个核的 roofline 与各个核函数",
        ("每字节的浮点运算数", "GFLOP/s", "原地更新：{} GB/s", "float32：{}", "bfloat16：{}"),
        ("float32", "bfloat16", "复制：{} GB/s"),
        ("前向", "反向"),
    ),
}


def draw_roofline(lang: str) -> str:
    """Return the figure of the roofline as SVG."""
    title = ROOFLINE[lang][0]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH + 70} 450" role="img" '
        f'aria-label="{title}" fill="currentColor" color="{INK}" font-family="{FONTS}">'
    )
    body = [*_axes(lang), *_roof(lang), *_dots(), *_list(lang)]
    return "\n".join([head, f"<title>{title}</title>", *body, "</svg>", ""])


def _place(intensity: float, rate: float) -> tuple[float, float]:
    (left, right), (low, high) = INTENSITIES, RATES
    across = (math.log2(intensity) - left) / (right - left)
    up = (math.log2(rate) - low) / (high - low)
    return PLOT_LEFT + across * PLOT_WIDTH, PLOT_TOP + (1 - up) * PLOT_HEIGHT


def _line(start: tuple[float, float], end: tuple[float, float], look: str) -> str:
    (x1, y1), (x2, y2) = start, end
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {look}/>'


def _axes(lang: str) -> Iterator[str]:
    thin = f'stroke="{INK}" stroke-opacity="0.25"'
    low, high = (2.0**end for end in RATES)
    left, right = (2.0**end for end in INTENSITIES)
    for power in range(INTENSITIES[0], INTENSITIES[1] + 1, 2):
        x, y = _place(2.0**power, low)
        yield _line((x, y), _place(2.0**power, high), thin)
        said = str(2**power) if power >= 0 else f"1/{2**-power}"
        yield _text(round(x, 1), y + 18, 12.5, said, ' text-anchor="middle"')
    for power in range(RATES[0], RATES[1] + 1):
        x, y = _place(left, 2.0**power)
        yield _line((x, y), _place(right, 2.0**power), thin)
        yield _text(x - 8, round(y + 4, 1), 12.5, str(2**power), ' text-anchor="end"')
    x, y = _place(left, low)
    middle = ' text-anchor="middle"'
    yield _text(x + PLOT_WIDTH / 2, y + 42, 14, ROOFLINE[lang][1][0], middle)
    turned = f'{middle} transform="rotate(-90 22 {PLOT_TOP + PLOT_HEIGHT / 2:g})"'
    yield _text(22, PLOT_TOP + PLOT_HEIGHT / 2, 14, ROOFLINE[lang][1][1], turned)


def _roof(lang: str) -> Iterator[str]:
    words, thick = ROOFLINE[lang][1], f'stroke="{INK}" stroke-width="2.5"'
    right = 2.0 ** INTENSITIES[1]
    ridge, ridge_bfloat16 = PEAK / BANDWIDTH, PEAK_BFLOAT16 / BANDWIDTH
    start = _place(2.0**-2, BANDWIDTH / 4)
    yield _line(start, _place(ridge, PEAK), thick)
    yield _line(_place(ridge, PEAK), _place(right, PEAK), thick)
    thin = f'stroke="{INK}" stroke-width="1.5" stroke-dasharray="2 4"'
    yield _line(_place(2.0**-2, COPY / 4), _place(PEAK / COPY, PEAK), thin)
    dashed = f'{thick} stroke-dasharray="6 5"'
    yield _line(_place(ridge, PEAK), _place(ridge_bfloat16, PEAK_BFLOAT16), dashed)
    yield _line(_place(ridge_bfloat16, PEAK_BFLOAT16), _place(right, PEAK_BFLOAT16), dashed)
    x, y = (round(each, 1) for each in _place(1.15, 1.15 * BANDWIDTH))
    slope = math.degrees(math.atan2(PLOT_HEIGHT / 6, PLOT_WIDTH / 13))
    turned = f' text-anchor="middle" transform="rotate({-slope:.1f} {x} {y}) translate(0 -9)"'
    yield _text(x, y, 13, words[2].format(BANDWIDTH), turned)
    for peak, said in ((PEAK, words[3]), (PEAK_BFLOAT16, words[4])):
        x, y = (round(each, 1) for each in _place(22, peak))
        yield _text(x, y - 8, 13, said.format(peak))


def _dots() -> Iterator[str]:
    """Draw each kernel as a dot with its number; numbers of close dots have larger offsets."""
    for place, (name, num_bytes, flops, exponentials, *times) in enumerate(ROWS, start=1):
        flops = flops + exponentials * EXPONENTIAL
        halves = (num_bytes + 16) / 2 if name == "adamw" else num_bytes / 2
        for is_half, (moved, ms) in enumerate(zip((num_bytes, halves), times, strict=True)):
            rate = flops * NUM_NUMBERS / ms * 1e-6
            yield from _dot(flops / moved, rate, str(place), is_half=bool(is_half))
    for place, (length, tensors, products, *times) in enumerate(ATTENTION, start=len(ROWS) + 1):
        flops = products * length * (length + 1) * HEAD_DIM * NUM_HEADS
        for is_half, ms in enumerate(times):
            moved = tensors * length * HEAD_DIM * NUM_HEADS * (2 if is_half else 4)
            yield from _dot(flops / moved, flops / ms * 1e-6, str(place), is_half=bool(is_half))


def _dot(intensity: float, rate: float, said: str, *, is_half: bool) -> Iterator[str]:
    x, y = _place(intensity, rate)
    look = f'fill="{ORANGE if is_half else BLUE}"'
    yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" {look}/>'
    left, up = ASIDE.get((said, is_half), (8, -5))
    yield _text(round(x + left, 1), round(y - up, 1), 12, said, f' {look} font-weight="600"')


def _list(lang: str) -> Iterator[str]:
    _, _, dtypes, directions = ROOFLINE[lang]
    y = PLOT_TOP + 10
    for color, dtype in zip((BLUE, ORANGE), dtypes[:2], strict=True):
        yield f'<circle cx="{LIST_LEFT + 5}" cy="{y - 5}" r="4.5" fill="{color}"/>'
        yield _text(LIST_LEFT + 18, y, 14, dtype)
        y += 23
    dotted = f'stroke="{INK}" stroke-width="1.5" stroke-dasharray="2 4"'
    yield _line((LIST_LEFT - 8, y - 5), (LIST_LEFT + 11, y - 5), dotted)
    yield _text(LIST_LEFT + 18, y, 14, dtypes[2].format(COPY))
    y += 30
    names = [name for name, *_ in ROWS]
    names += [f"attention {directions[products > 2]} {n}" for n, _, products, *_ in ATTENTION]
    for place, name in enumerate(names, start=1):
        yield _text(LIST_LEFT + 10, y, 13.5, str(place), ' text-anchor="end" font-weight="600"')
        yield _text(LIST_LEFT + 18, y, 13.5, name)
        y += 22


def draw(direction: str, words: Words) -> str:
    """Return a figure as SVG."""
    title = html.escape(words.title)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{title}" fill="currentColor" color="{INK}" font-family="{FONTS}">'
    )
    marker = (
        '<defs><marker id="tip" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="5" '
        f'markerHeight="5" orient="auto"><path d="M0 0 10 5 0 10z" fill="{ORANGE}"/></marker>'
        "</defs>"
    )
    body = [*_strips(direction, words), *_grid(direction), *_at_work(direction), *_words(words)]
    return "\n".join([head, f"<title>{title}</title>", marker, *body, "</svg>", ""])


def _rect(x: int, y: int, width: int, height: int, look: str) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" {look}/>'


def _text(x: float, y: float, size: float, said: str, look: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" font-size="{size:g}"{look}>{html.escape(said)}</text>'


def _strips(direction: str, words: Words) -> Iterator[str]:
    """Draw the blocks of keys above the grid, and those of queries to the left of it."""
    middle = NUM_BLOCKS * TILE / 2
    yield _text(LEFT + middle, TOP - STRIP - GAP - 10, 14, words.above, ' text-anchor="middle"')
    x, y = LEFT - STRIP - GAP - 12, TOP + middle
    turned = f' text-anchor="middle" transform="rotate(-90 {x} {y:g})"'
    yield _text(x, y, 14, words.beside, turned)
    for block in range(NUM_BLOCKS):
        is_keys = f'fill="none" stroke="{INK}" stroke-width="1.5"'
        stays = f'fill="{ORANGE}" fill-opacity="0.3" stroke="{ORANGE}" stroke-width="2"'
        is_at_work = block == AT_WORK
        above = stays if direction == "backward" and is_at_work else is_keys
        beside = stays if direction == "forward" and is_at_work else is_keys
        place = block * TILE
        yield _rect(LEFT + place + 2, TOP - STRIP - GAP, TILE - 4, STRIP, above)
        yield _rect(LEFT - STRIP - GAP, TOP + place + 2, STRIP, TILE - 4, beside)


def _grid(direction: str) -> Iterator[str]:
    for turn, (row, column) in enumerate(_order(direction), start=1):
        x, y = LEFT + column * TILE, TOP + row * TILE
        yield from _tile(x, y, is_masked=row == column)
        # In a masked tile the number is in the visible half.
        right, down = (12, 31) if row == column else (TILE // 2, TILE // 2 + 4)
        yield _text(x + right, y + down, 12, str(turn), ' text-anchor="middle"')
    for row in range(NUM_BLOCKS):
        for column in range(row + 1, NUM_BLOCKS):
            yield _skipped(LEFT + column * TILE, TOP + row * TILE)


def _order(direction: str) -> Iterator[tuple[int, int]]:
    """Yield the row and the column of each visited tile, in the order of the visits."""
    for outer in range(NUM_BLOCKS):
        if direction == "forward":
            yield from ((outer, column) for column in range(outer + 1))
        else:
            yield from ((row, outer) for row in range(outer, NUM_BLOCKS))


def _tile(x: int, y: int, *, is_masked: bool) -> Iterator[str]:
    fill = f'fill="{BLUE}" fill-opacity="0.17"'
    if is_masked:
        yield f'<path d="M{x} {y}v{TILE}h{TILE}z" {fill}/>'
        yield _rect(x, y, TILE, TILE, f'fill="none" stroke="{BLUE}"')
    else:
        yield _rect(x, y, TILE, TILE, f'{fill} stroke="{BLUE}"')


def _skipped(x: int, y: int) -> str:
    look = f'fill="none" stroke="{INK}" stroke-opacity="0.6" stroke-dasharray="3 4"'
    return _rect(x, y, TILE, TILE, look)


def _at_work(direction: str) -> Iterator[str]:
    """Frame the highlighted row or column, with an arrow along it."""
    look = f'fill="none" stroke="{ORANGE}" stroke-width="2.5"'
    start, long = AT_WORK * TILE, TILE * (NUM_BLOCKS - AT_WORK)
    if direction == "forward":
        x, y, width, height = LEFT, TOP + start, TILE * (AT_WORK + 1), TILE
        line = f'x1="{x + 6}" y1="{y + 7}" x2="{x + width - 10}" y2="{y + 7}"'
    else:
        x, y, width, height = LEFT + start, TOP + start, TILE, long
        line = f'x1="{x + 32}" y1="{y + 42}" x2="{x + 32}" y2="{y + height - 8}"'
    yield _rect(x, y, width, height, look)
    yield f'<line {line} stroke="{ORANGE}" stroke-width="2" marker-end="url(#tip)"/>'


def _words(words: Words) -> Iterator[str]:
    bold = ' font-weight="600"'
    yield _text(WORDS_LEFT, 34, 18, words.title, bold)
    y = TOP
    for heading, line in words.notes:
        yield _text(WORDS_LEFT, y, 15, heading, bold)
        yield _text(WORDS_LEFT, y + 22, 14.5, line)
        y += 62
    for place, meaning in enumerate(words.legend):
        top = y + 4 + place * (TILE + 8)
        if place < 2:
            yield from _tile(WORDS_LEFT, top, is_masked=place == 1)
        else:
            yield _skipped(WORDS_LEFT, top)
        yield _text(WORDS_LEFT + TILE + 14, top + TILE / 2 + 5, 14.5, meaning)


def main() -> int:
    """Write the figures; with ``--check`` print which of them are out of date."""
    parser = argparse.ArgumentParser(description="Draw the figures of the kernels.")
    parser.add_argument("--check", action="store_true", help="write nothing")
    is_check = parser.parse_args().check
    drawings = {
        HANDBOOK / lang / f"figure_flash_{direction}.svg": draw(direction, words)
        for (direction, lang), words in FIGURES.items()
    }
    for lang in ROOFLINE:
        drawings[HANDBOOK / lang / "figure_roofline.svg"] = draw_roofline(lang)
    stale = []
    for path, drawn in drawings.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != drawn:
            stale.append(path.relative_to(HANDBOOK.parent.parent).as_posix())
            if not is_check:
                path.write_text(drawn, encoding="utf-8")
    for name in stale:
        print(f"{'not current' if is_check else 'wrote'}: {name}")
    return 1 if is_check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
