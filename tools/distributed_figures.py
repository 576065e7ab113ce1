"""Draw the figures of distributed training for the handbook: a ring, buckets, shards.

Nothing is measured: all of it is arithmetic. The figures have no background; their colours are
readable on light and on dark pages.

Usage: ``python tools/distributed_figures.py [--check]``; ``--check`` writes nothing and exits with
1 if a committed figure is out of date.
"""

import argparse
import html
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HANDBOOK = ROOT / "docs" / "handbook"
LANGS = ("en", "zh")
INK, BLUE, ORANGE = "#6e7781", "#2f81f7", "#db6d28"
FONTS = "system-ui, 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif"
MIDDLE, END, BOLD = ' text-anchor="middle"', ' text-anchor="end"', ' font-weight="600"'
THIN = f'stroke="{INK}" stroke-opacity="0.5"'
EMPTY = f'fill="none" {THIN}'

Said = dict[str, str]
Drawing = tuple[int, int, list[str]]


def text(x: float, y: float, said: str, size: float = 13, look: str = "") -> str:
    """Draw a line of text."""
    said = html.escape(said, quote=False)
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}"{look}>{said}</text>'


def box(x: float, y: float, width: float, height: float, look: str) -> str:
    """Draw a rectangle."""
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    return f"<rect {place} {look}/>"


def line(x1: float, y1: float, x2: float, y2: float, look: str) -> str:
    """Draw a straight line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {look}/>'


def filled(colour: str, opacity: float = 1.0) -> str:
    """Return the look of a filled rectangle."""
    return f'fill="{colour}" fill-opacity="{opacity:g}" {THIN}'


RING = {
    "title": (
        "A ring all-reduce of four ranks: how many values each chunk is the sum of",
        "四个 rank 的环形 all-reduce：每一块是几个值的和",
    ),
    "rank": ("rank {}", "rank {}"),
    "begin": ("begin", "起点"),
    "reduce": ("reduce-scatter {}", "reduce-scatter {}"),
    "gather": ("all-gather {}", "all-gather {}"),
    "came": ("just came", "刚收到"),
    "whole": ("the sum of all", "全部的和"),
}
RANKS, CELL, MATRIX_STEP, MATRIX_LEFT, MATRIX_TOP = 4, 24, 122, 62, 46


def ring(said: Said) -> Drawing:
    """Draw a matrix for each step: a row is a rank, a column a chunk."""
    held = [[1] * RANKS for _ in range(RANKS)]
    drawn = [
        text(MATRIX_LEFT - 8, MATRIX_TOP + CELL * rank + 16, said["rank"].format(rank), 12.5, END)
        for rank in range(RANKS)
    ]
    drawn += _matrix(0, said["begin"], held, set())
    for step in range(2 * (RANKS - 1)):
        is_reduce = step < RANKS - 1
        moves = [
            (rank, (rank - step + (0 if is_reduce else RANKS)) % RANKS) for rank in range(RANKS)
        ]
        before = [list(row) for row in held]
        came = set()
        for rank, chunk in moves:
            right = (rank + 1) % RANKS
            held[right][chunk] = before[rank][chunk] + (before[right][chunk] if is_reduce else 0)
            came.add((right, chunk))
        title = said["reduce" if is_reduce else "gather"]
        number = step + 1 if is_reduce else step - RANKS + 2
        drawn += _matrix(step + 1, title.format(number), held, came)
    bottom = MATRIX_TOP + CELL * RANKS + 22
    drawn += [
        box(MATRIX_LEFT, bottom, 14, 14, f'fill="none" stroke="{ORANGE}" stroke-width="2.5"'),
        text(MATRIX_LEFT + 22, bottom + 12, said["came"]),
        box(MATRIX_LEFT + 140, bottom, 14, 14, filled(BLUE, 0.3)),
        text(MATRIX_LEFT + 162, bottom + 12, said["whole"]),
    ]
    return MATRIX_LEFT + 7 * MATRIX_STEP - 4, bottom + 26, drawn


def _matrix(
    place: int, title: str, held: list[list[int]], came: set[tuple[int, int]]
) -> Iterator[str]:
    left = MATRIX_LEFT + MATRIX_STEP * place
    yield text(left, MATRIX_TOP - 14, title, 12)
    for rank, row in enumerate(held):
        for chunk, count in enumerate(row):
            x, y = left + CELL * chunk, MATRIX_TOP + CELL * rank
            look = filled(BLUE, 0.3) if count == RANKS else filled(BLUE, 0.05 * (count - 1))
            yield box(x, y, CELL, CELL, look)
            bold = BOLD if count == RANKS else ""
            yield text(x + CELL / 2, y + 16.5, str(count), 12.5, MIDDLE + bold)
    for rank, chunk in sorted(came):
        x, y = left + CELL * chunk, MATRIX_TOP + CELL * rank
        look = f'fill="none" stroke="{ORANGE}" stroke-width="2.5"'
        yield box(x + 1.5, y + 1.5, CELL - 3, CELL - 3, look)


BUCKETS = {
    "title": (
        "A backward pass of twelve layers and its exchange: one for each, one for all, in buckets",
        "十二层的反向与梯度交换：逐层一次、全部一次、分桶",
    ),
    "each": ("one all-reduce for each layer", "逐层一次 all-reduce"),
    "all": ("one all-reduce for all layers", "全部只做一次 all-reduce"),
    "buckets": ("three buckets", "分成三个桶"),
    "backward": ("backward, layer by layer", "反向，一层接一层"),
    "exchange": ("on the link", "链路上"),
    "latency": ("latency of an all-reduce", "一次 all-reduce 的延迟"),
    "end": ("{:g} ms", "{:g} ms"),
}
# Milliseconds: a layer of the backward pass, its bytes on the link, the latency of an all-reduce.
LAYERS, LAYER_MS, BYTES_MS, LATENCY_MS = 12, 1.0, 0.75, 1.0
BARS_LEFT, BARS_TOP, BAR, BARS_STEP, MS = 40, 36, 22, 84, 30


def buckets(said: Said) -> Drawing:
    """Draw the backward pass and the link below each other, for three sizes of buckets."""
    drawn: list[str] = []
    for place, (key, size) in enumerate((("each", 1), ("all", LAYERS), ("buckets", 4))):
        y = BARS_TOP + BARS_STEP * place
        drawn.append(text(BARS_LEFT, y - 8, said[key], 13.5, BOLD))
        free_ms = 0.0
        for layer in range(LAYERS):
            drawn.append(box(BARS_LEFT + MS * LAYER_MS * layer, y, MS * LAYER_MS, BAR, EMPTY))
        for number in range(LAYERS // size):
            # Bytes travel behind the latency, one bucket after the other.
            start_ms = max(free_ms, (number + 1) * size * LAYER_MS)
            x, width = BARS_LEFT + MS * start_ms, MS * size * BYTES_MS
            drawn.append(box(x, y + BAR + 4, MS * LATENCY_MS, BAR, filled(INK, 0.25)))
            drawn.append(box(x + MS * LATENCY_MS, y + BAR + 4, width, BAR, filled(BLUE, 0.6)))
            free_ms = start_ms + LATENCY_MS + size * BYTES_MS
        end = BARS_LEFT + MS * free_ms
        drawn.append(text(end + 8, y + BAR + 20, said["end"].format(free_ms), 13, BOLD))
    y = BARS_TOP + BARS_STEP * 3 - 12
    for place, (key, look) in enumerate(
        (("backward", EMPTY), ("exchange", filled(BLUE, 0.6)), ("latency", filled(INK, 0.25)))
    ):
        x = BARS_LEFT + 220 * place
        drawn += [box(x, y, 14, 14, look), text(x + 22, y + 12, said[key])]
    return 800, y + 28, drawn


SHARDS = {
    "title": (
        "What each of four ranks holds, by stage of ZeRO",
        "四个 rank 各自保存什么，按 ZeRO 的阶段",
    ),
    "0": ("data parallel", "数据并行"),
    "1": ("stage 1", "阶段 1"),
    "2": ("stage 2", "阶段 2"),
    "3": ("stage 3", "阶段 3"),
    "rank": ("rank {}", "rank {}"),
    "parameters": ("parameters", "参数"),
    "gradients": ("gradients", "梯度"),
    "states": ("states of Adam", "Adam 的状态"),
    "held": ("{:g} bytes a parameter", "每个参数 {:g} 字节"),
}
# Bytes of a parameter, and from which stage on it is in shards.
KINDS = (("parameters", 4, 3, INK), ("gradients", 4, 2, ORANGE), ("states", 8, 1, BLUE))
SHARD_LEFT, SHARD_TOP, SHARD_ROW, SHARD_BYTE, BLOCK_ACROSS, BLOCK_DOWN = 56, 64, 20, 4.2, 400, 150


def shards(said: Said) -> Drawing:
    """Draw a block for each stage: a row is a rank, a column a quarter of each kind."""
    drawn: list[str] = []
    for stage in range(4):
        left = SHARD_LEFT + BLOCK_ACROSS * (stage % 2)
        top = SHARD_TOP + BLOCK_DOWN * (stage // 2)
        held = sum(size / (RANKS if stage >= since else 1) for _, size, since, _ in KINDS)
        drawn.append(text(left, top - 30, said[str(stage)], 13.5, BOLD))
        drawn.append(text(left + 290, top - 30, said["held"].format(held), 12.5, END))
        x = float(left)
        for kind, size, since, colour in KINDS:
            drawn.append(text(x, top - 8, said[kind], 12))
            for rank in range(RANKS):
                for part in range(RANKS):
                    is_held = stage < since or part == rank
                    look = filled(colour, 0.6) if is_held else EMPTY
                    width = SHARD_BYTE * size
                    y = top + SHARD_ROW * rank
                    drawn.append(box(x + width * part, y, width, SHARD_ROW - 4, look))
            x += SHARD_BYTE * size * RANKS + 14
        for rank in range(RANKS):
            middle = top + SHARD_ROW * rank + 12.5
            drawn.append(text(left - 8, middle, said["rank"].format(rank), 12, END))
    return SHARD_LEFT + BLOCK_ACROSS + 310, SHARD_TOP + 2 * BLOCK_DOWN - 64, drawn


FIGURES: dict[str, tuple[Callable[[Said], Drawing], dict[str, tuple[str, str]]]] = {
    "ring": (ring, RING),
    "buckets": (buckets, BUCKETS),
    "shards": (shards, SHARDS),
}


def write_figure(name: str, lang: str) -> str:
    """Write a figure in a language as SVG."""
    draw, words = FIGURES[name]
    said = {key: both[LANGS.index(lang)] for key, both in words.items()}
    width, height, drawn = draw(said)
    title = html.escape(said["title"])
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{title}" fill="currentColor" color="{INK}" font-family="{FONTS}">'
    )
    return "\n".join([head, f"<title>{title}</title>", *drawn, "</svg>", ""])


def main() -> int:
    """Write the figures; with ``--check`` print which of them are out of date."""
    parser = argparse.ArgumentParser(description="Draw the figures of distributed training.")
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
