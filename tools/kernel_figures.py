"""Draw the tiles of flash attention for the handbook: ``docs/handbook/*/figure_flash_*.svg``.

Queries go down, keys across; the mask is causal. Each visited tile bears the number of its turn.

Usage: ``python tools/kernel_figures.py [--check]``; with ``--check`` nothing is written, and the
exit code is 1 where a figure that is there is not the one that would be drawn.
"""

import argparse
import html
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HANDBOOK = Path(__file__).resolve().parent.parent / "docs" / "handbook"
NUM_BLOCKS = 8
# Pixels: a tile, the corner of the grid, the strips beside it, where the words stand.
TILE, LEFT, TOP, STRIP, GAP = 38, 118, 100, 26, 8
WORDS_LEFT, WIDTH, HEIGHT = 462, 780, 434
# The block that is drawn at work, counted from 0.
AT_WORK = 4
# Seen on light and dark ground alike.
INK, BLUE, ORANGE = "#6e7781", "#2f81f7", "#db6d28"
FONTS = "system-ui, 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif"


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What stands in a figure, in one language.

    Attributes:
        title: What is drawn.
        above: What the blocks of keys hold.
        beside: What the blocks of queries hold.
        notes: What stays, passes by and is written: a heading and a line each.
        legend: What the three kinds of tiles are.
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


def draw(direction: str, words: Words) -> str:
    """Give a figure as SVG."""
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
        # In a masked tile the number stands in the half that is seen.
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
    """Frame the row or column that is at work, with an arrow along it."""
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
    """Write the figures, or tell which of them are not current."""
    parser = argparse.ArgumentParser(description="Draw the figures of the chapter on attention.")
    parser.add_argument("--check", action="store_true", help="write nothing")
    is_check = parser.parse_args().check
    stale = []
    for (direction, lang), words in FIGURES.items():
        path = HANDBOOK / lang / f"figure_flash_{direction}.svg"
        drawn = draw(direction, words)
        if not path.is_file() or path.read_text(encoding="utf-8") != drawn:
            stale.append(path.relative_to(HANDBOOK.parent.parent).as_posix())
            if not is_check:
                path.write_text(drawn, encoding="utf-8")
    for name in stale:
        print(f"{'not current' if is_check else 'wrote'}: {name}")
    return 1 if is_check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
