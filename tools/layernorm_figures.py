"""Draw the figures of the chapters on LayerNorm and on page faults, in both languages.

The figures have no background; their grey and their two colours are readable on light and on dark
pages.

Usage: ``python tools/layernorm_figures.py [--check]``
"""

import html
import sys
from collections.abc import Callable
from pathlib import Path

from torchstone.core.i18n import LANGS, Lang

HANDBOOK = Path(__file__).resolve().parent.parent / "docs" / "handbook"
GREY, WARM, COOL = "currentColor", "#d9730d", "#2f81f7"
MIDDLE, END = ' text-anchor="middle"', ' text-anchor="end"'
BOLD, PALE, WHITE = ' font-weight="600"', ' opacity="0.75"', ' fill="#ffffff"'
TIP, DASHED = ' marker-end="url(#{})"', ' stroke-dasharray="5 4" opacity="0.6"'
FONTS = "system-ui, 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif"

Place = tuple[float, float]

# Milliseconds of PyTorch's LayerNorm forward at (4096, 4096) in float32, from the chapter's table:
# of the kernel, and of the page faults in each of three calls.
KERNEL_MS = 11.9
FAULTS_MS = {"default": (28.8, 28.8, 28.8), "huge": (2.3, 2.3, 2.3), "kept": (28.8, 0.0, 0.0)}

# The texts of each figure: English, Chinese.
PROJECTION = {
    "title": ("h loses its parts along (1, …, 1) and along x̂", "h 失去沿 (1, …, 1) 与沿 x̂ 的分量"),
    "rest": ("h − E[h] − x̂ E[h x̂]", "h − E[h] − x̂ E[h x̂]"),
    "along 1": ("along (1, …, 1): lost", "沿 (1, …, 1)：全部失去"),
    "why 1": ("moving a row changes nothing in y", "整行平移，y 不变"),
    "along x": ("along x̂: lost, but for ε", "沿 x̂：除 ε 的影响外，全部失去"),
    "why x": ("stretching a row changes nothing in y", "整行伸缩，y 不变"),
    "kept": ("in the D − 2 other directions: kept", "其余 D − 2 个方向：保留"),
    "why kept": ("times r, this is dx", "乘以 r，就是 dx"),
}
ROW_SUMS = {
    "title": (
        "Parts of the rows are summed by any thread, and their sums added as a tree",
        "每段由任意一个线程求和，各段之和按树形相加",
    ),
    "rows": ("128 rows: 8 parts of 16", "128 行：8 段，每段 16 行"),
    "sums": ("a sum for each part", "每段一个和"),
    "tree": ("the tree: always these pairs", "树：配对固定"),
    "part": ("16 rows", "16 行"),
    "one": ("thread 1", "线程 1"),
    "two": ("thread 2", "线程 2"),
    "float32": ("float32 up to here,", "到这里都是 float32，"),
    "rounded": ("then rounded once", "最后只舍入一次"),
}
PAGE_FAULTS = {
    "title": (
        "Three calls of PyTorch's LayerNorm with each allocator: new pages cost most",
        "三种分配方式下各调用三次 PyTorch 的 LayerNorm：只要页是新的，大部分时间就花在缺页上",
    ),
    "default": ("default", "默认"),
    "default faults": ("16,385 faults a call", "每次调用缺页 16,385 次"),
    "huge": ("huge pages", "大页"),
    "huge faults": ("544 faults a call, 2.3 ms", "每次调用缺页 544 次，2.3 ms"),
    "kept": ("memory kept", "保留内存"),
    "kept faults": ("faults in the first call only", "只有第一次调用缺页"),
    "legend faults": ("page faults", "缺页"),
    "legend kernel": ("the kernel", "核函数本身"),
    "axis": ("ms", "ms"),
}


def text(x: float, y: float, said: str, size: float = 13, more: str = "") -> str:
    """Draw a line of text; ``more`` are further attributes."""
    said = html.escape(said, quote=False)
    return f'<text x="{x:g}" y="{y:g}" font-size="{size:g}"{more}>{said}</text>'


def line(start: Place, end: Place, colour: str = GREY, more: str = "", width: float = 1.5) -> str:
    """Draw a straight line; ``more`` are further attributes."""
    ends = f'x1="{start[0]:g}" y1="{start[1]:g}" x2="{end[0]:g}" y2="{end[1]:g}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width:g}"{more}/>'


def box(corner: Place, size: Place, colour: str) -> str:
    """Draw a filled rectangle."""
    place = f'x="{corner[0]:g}" y="{corner[1]:g}" width="{size[0]:g}" height="{size[1]:g}"'
    return f'<rect {place} rx="3" fill="{colour}" fill-opacity="0.85"/>'


def projection(said: dict[str, str]) -> tuple[int, int, list[str]]:
    """Draw h, the parts that it loses and the part that it keeps."""
    origin = (120.0, 290.0)
    steps = {"1": (0.0, -170.0), "x": (100.0, 62.0), "rest": (250.0, 0.0)}

    def at(*names: str) -> Place:
        moved = [steps[name] for name in names]
        return origin[0] + sum(x for x, _ in moved), origin[1] + sum(y for _, y in moved)

    edges = [
        (("1",), ("1", "x")), (("1",), ("1", "rest")), (("x",), ("x", "1")),
        (("x",), ("x", "rest")), (("rest",), ("rest", "1")), (("rest",), ("rest", "x")),
        (("1", "x"), ("1", "x", "rest")), (("1", "rest"), ("1", "x", "rest")),
        (("x", "rest"), ("1", "x", "rest")),
    ]  # fmt: skip
    drawn = [line(at(*start), at(*end), more=DASHED) for start, end in edges]
    whole = at("1", "x", "rest")
    drawn += [
        line(origin, at("1"), WARM, TIP.format("warm")),
        line(origin, at("x"), WARM, TIP.format("warm")),
        line(origin, at("rest"), COOL, TIP.format("cool"), width=3),
        line(origin, whole, GREY, TIP.format("tip")),
        text(at("1")[0], at("1")[1] - 12, "E[h] · (1, …, 1)", 14, MIDDLE),
        text(at("x")[0] - 8, at("x")[1] + 24, "x̂ E[h x̂]", 14, MIDDLE),
        text(at("rest")[0] - 6, at("rest")[1] - 9, said["rest"], 14, END),
        text(whole[0] + 10, whole[1] - 4, "h", 17, BOLD),
    ]
    for row, (name, why, colour) in enumerate(
        [("along 1", "why 1", WARM), ("along x", "why x", WARM), ("kept", "why kept", COOL)]
    ):
        top = 60.0 + 62 * row
        drawn += [
            box((556, top - 11), (12, 12), colour),
            text(578, top, said[name], 14, BOLD),
            text(578, top + 21, said[why], 13, PALE),
        ]
    return 860, 400, drawn


def row_sums(said: dict[str, str]) -> tuple[int, int, list[str]]:
    """Draw parts of rows that two threads sum, and the tree over these sums."""
    count, height, top = 8, 38, 62
    places = [top + height * index + 12.0 for index in range(count)]
    drawn = [
        text(100, 30, said["rows"], 13, MIDDLE + BOLD),
        text(290, 30, said["sums"], 13, MIDDLE + BOLD),
        text(515, 30, said["tree"], 13, MIDDLE + BOLD),
    ]
    for index, middle in enumerate(places):
        # The thread of each part is arbitrary.
        colour = WARM if index in (1, 2, 5) else COOL
        drawn += [
            box((30, middle - 13), (140, 26), colour),
            text(100, middle + 5, said["part"], 13, MIDDLE + WHITE),
            line((174, middle), (282, middle), more=TIP.format("tip")),
            f'<circle cx="290" cy="{middle:g}" r="6"/>',
        ]
    step, x = 1, 290.0
    while step < count:
        for index in range(0, count, 2 * step):
            upper, lower = places[index], places[index + step]
            drawn += [
                line((x + 6, upper), (x + 107, upper), more=TIP.format("tip")),
                line((x + 6, lower), (x + 110, upper + 5), more=TIP.format("tip")),
                f'<circle cx="{x + 115:g}" cy="{upper:g}" r="6"/>',
            ]
        step, x = 2 * step, x + 115
    bottom = places[-1] + 50
    drawn += [
        line((x + 6, places[0]), (x + 47, places[0]), more=TIP.format("tip")),
        text(x + 54, places[0] + 5, "d\N{GREEK SMALL LETTER GAMMA}, dβ", 16, BOLD),
        text(x + 54, places[0] + 30, said["float32"], 12.5, PALE),
        text(x + 54, places[0] + 48, said["rounded"], 12.5, PALE),
        box((30, bottom - 11), (12, 12), COOL),
        text(50, bottom, said["one"]),
        box((130, bottom - 11), (12, 12), WARM),
        text(150, bottom, said["two"]),
    ]
    return 860, 420, drawn


def page_faults(said: dict[str, str]) -> tuple[int, int, list[str]]:
    """Draw three calls one after the other, for each allocator."""
    left, scale, drawn = 190.0, 5.2, []
    for row, (name, faults) in enumerate(FAULTS_MS.items()):
        top, x = 30.0 + 82 * row, left
        drawn += [
            text(left - 18, top + 20, said[name], 15, END + BOLD),
            text(left, top + 52, said[f"{name} faults"], 12.5, PALE),
        ]
        for fault_ms in faults:
            for ms, colour in ((fault_ms, WARM), (KERNEL_MS, COOL)):
                width = ms * scale
                if ms:
                    drawn.append(box((x, top), (width - 1.5, 30), colour))
                if width > 30:
                    label = text(x + width / 2, top + 19, f"{ms:g}", 12.5, MIDDLE + WHITE)
                    drawn.append(label)
                x += width
    base = 30.0 + 82 * 3
    drawn.append(line((left, base), (left + 122 * scale, base), more=PALE))
    for ms in range(0, 121, 20):
        x = left + ms * scale
        drawn += [
            line((x, base), (x, base + 6), more=PALE),
            text(x, base + 22, f"{ms} {said['axis']}" if ms else "0", 12, MIDDLE + PALE),
        ]
    drawn += [
        box((left, base + 40), (12, 12), WARM),
        text(left + 20, base + 51, said["legend faults"]),
        box((left + 150, base + 40), (12, 12), COOL),
        text(left + 170, base + 51, said["legend kernel"]),
    ]
    return 860, 350, drawn


Draw = Callable[[dict[str, str]], tuple[int, int, list[str]]]
FIGURES: dict[str, tuple[Draw, dict[str, tuple[str, str]]]] = {
    "figure_layernorm": (projection, PROJECTION),
    "figure_row_sums": (row_sums, ROW_SUMS),
    "figure_page_faults": (page_faults, PAGE_FAULTS),
}


def write_figure(name: str, lang: Lang) -> str:
    """Write a figure in a language as SVG."""
    draw, words = FIGURES[name]
    said = {key: both[LANGS.index(lang)] for key, both in words.items()}
    width, height, drawn = draw(said)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{html.escape(said["title"])}" fill="currentColor" color="#6e7781" '
        f'font-family="{FONTS}">'
    )
    shape = (
        'viewBox="0 0 10 10" refX="9" refY="5" markerWidth="11" markerHeight="11" '
        'markerUnits="userSpaceOnUse" orient="auto"'
    )
    tips = "".join(
        f'<marker id="{id}" {shape}><path d="M0 0 10 5 0 10z" fill="{colour}"/></marker>'
        for id, colour in (("tip", "#6e7781"), ("warm", WARM), ("cool", COOL))
    )
    title = f"<title>{html.escape(said['title'], quote=False)}</title>"
    return "\n".join([head, title, f"<defs>{tips}</defs>", *drawn, "</svg>", ""])


def main() -> int:
    """Write the figures; with ``--check`` report whether the committed ones are up to date."""
    stale = []
    for lang in LANGS:
        for name in FIGURES:
            path, expected = HANDBOOK / lang / f"{name}.svg", write_figure(name, lang)
            if not path.is_file() or path.read_text(encoding="utf-8") != expected:
                stale.append(path.relative_to(HANDBOOK).as_posix())
                if "--check" not in sys.argv[1:]:
                    path.write_text(expected, encoding="utf-8")
                    print(f"wrote {stale[-1]}")
    if stale and "--check" in sys.argv[1:]:
        print(f"{', '.join(stale)}: run python tools/layernorm_figures.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
