"""Draw the figures of the chapter on pre-norm, in both languages, from the results of its study.

The figures have no background; their grey and their two colours are readable on light and on dark
pages.

Usage: ``python tools/pre_norm_figures.py [--check]``; ``--check`` writes nothing and exits with 1
if a committed figure is out of date.
"""

import html
import itertools
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from torchstone.core.i18n import LANGS, Lang

ROOT = Path(__file__).resolve().parent.parent
HANDBOOK = ROOT / "docs" / "handbook"
RESULTS = ROOT / "benchmarks" / "studies" / "pre_norm.json"
INK, WARM, COOL = "#6e7781", "#d9730d", "#2f81f7"
MIDDLE, END = ' text-anchor="middle"', ' text-anchor="end"'
BOLD, PALE, WHITE = ' font-weight="600"', ' opacity="0.9"', ' fill="#ffffff"'
FONTS = "system-ui, 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif"
# Post-norm first, because it is older.
KINDS = (("post", False, WARM), ("pre", True, COOL))

Place = tuple[float, float]
Said = dict[str, str]

# The texts of each figure: English, Chinese.
GRADIENTS = {
    "title": (
        "Gradient norms by layer before training: post-norm's stay large, pre-norm's shrink with "
        "depth",
        "训练之前各层的梯度范数：post-norm 始终很大，pre-norm 随深度变小",
    ),
    "post": ("post-norm", "post-norm"),
    "pre": ("pre-norm", "pre-norm"),
    "across": ("layer, of 2, 6, 12 or 24", "第几层（共 2、6、12 或 24 层）"),
    "upward": (
        "norm of the gradient of the feed-forward net's second matrix",
        "前馈网络第二个矩阵的梯度范数",
    ),
}
GRID = {
    "title": (
        "Trainings that failed, by depth, learning rate and warm-up",
        "不同层数、学习率、有无预热时失败的训练次数",
    ),
    "post": ("post-norm", "post-norm"),
    "pre": ("pre-norm", "pre-norm"),
    "0": ("without warm-up", "不预热"),
    "more": ("warm-up of {} steps", "预热 {} 步"),
    "lr": ("learning rate", "学习率"),
    "layers": ("{} layers", "{} 层"),
    "legend": (
        "upper number: trainings that failed; lower number: mean loss at the end, in nats",
        "上面的数：失败的训练次数；下面的数：结束时的平均损失，单位 nat",
    ),
    "limits": (
        "a model that knows frequencies alone: {unigram:.2f}; one that knows the language: "
        "{least:.2f}",
        "只知道频率的模型：{unigram:.2f}；完全掌握这门语言的模型：{least:.2f}",
    ),
}


def text(place: Place, said: str, size: float = 13, more: str = "") -> str:
    """Draw a line of text; ``more`` are further attributes."""
    said = html.escape(said, quote=False)
    return f'<text x="{place[0]:g}" y="{place[1]:g}" font-size="{size:g}"{more}>{said}</text>'


def line(start: Place, end: Place, more: str = "") -> str:
    """Draw a straight line; ``more`` are further attributes."""
    ends = f'x1="{start[0]:g}" y1="{start[1]:g}" x2="{end[0]:g}" y2="{end[1]:g}"'
    return f'<line {ends} stroke="{INK}"{more}/>'


def draw_gradients(said: Said, results: dict[str, Any]) -> tuple[int, int, list[str]]:
    """Draw the gradient norm of each layer, a line for each depth, a panel for each kind."""
    top, bottom, span, highest = 70.0, 330.0, 340.0, 1.4
    drawn = [text((30, 22), said["upward"], 13, PALE)]
    deepest = max(results["plan"]["gradient_depths"])
    for panel, (kind, is_pre_norm, colour) in enumerate(KINDS):
        left = 60.0 + 410 * panel

        def at(layer: float, norm: float, left: float = left) -> Place:
            x = left + span * layer / deepest
            return round(x, 1), round(bottom - (bottom - top) * norm / highest, 1)

        drawn.append(text((left + span / 2, top - 18), said[kind], 15, MIDDLE + BOLD))
        for tenths in range(0, 15, 2):
            y = at(0, tenths / 10)[1]
            drawn.append(line((left, y), (left + span, y), ' opacity="0.25"'))
            drawn.append(text((left - 8, y + 4), f"{tenths / 10:g}", 12, END + PALE))
        for layer in (1, *range(4, deepest + 1, 4)):
            x = at(layer, 0)[0]
            drawn.append(text((x, bottom + 20), str(layer), 12, MIDDLE + PALE))
        drawn.append(text((left + span / 2, bottom + 44), said["across"], 13, MIDDLE + PALE))
        for each in results["gradients"]:
            if each["is_pre_norm"] == is_pre_norm:
                places = [at(layer, norm) for layer, norm in enumerate(each["norms"], 1)]
                drawn += _curve(places, colour, str(each["num_layers"]))
    return 860, 390, drawn


def _curve(places: list[Place], colour: str, name: str) -> Iterator[str]:
    joined = " ".join(f"{x:g},{y:g}" for x, y in places)
    yield f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="2"/>'
    x, y = places[-1]
    yield f'<circle cx="{x:g}" cy="{y:g}" r="4" fill="{colour}"/>'
    yield text((x + 8, y + 4), name, 13, BOLD)


def draw_grid(said: Said, results: dict[str, Any]) -> tuple[int, int, list[str]]:
    """Draw a cell for each depth and learning rate; its colour shows how many trainings failed."""
    plan, drawn = results["plan"], []
    lefts, tops = (118.0, 500.0), (78.0, 290.0)
    for top, depth in itertools.product(tops, enumerate(plan["depths"])):
        place = (lefts[0] - 12, top + 50 * depth[0] + 29)
        drawn.append(text(place, said["layers"].format(depth[1]), 13, END))
    for left, (kind, is_pre_norm, _) in zip(lefts, KINDS, strict=True):
        middle = left + 44 * len(plan["lrs"])
        drawn.append(text((middle, 24), said[kind], 16, MIDDLE + BOLD))
        drawn.append(text((middle, 458), said["lr"], 13, MIDDLE + PALE))
        for top, warmup in zip(tops, plan["warmups"], strict=True):
            name = said["more"].format(warmup) if warmup else said["0"]
            drawn.append(text((middle, top - 24), name, 13, MIDDLE))
            settings = {"is_pre_norm": is_pre_norm, "warmup": warmup}
            runs = [run for run in results["runs"] if settings.items() <= run.items()]
            drawn += _panel((left, top), runs, plan)
    limits = said["limits"].format(
        unigram=results["language"]["unigram_loss"], least=results["language"]["least_loss"]
    )
    drawn.append(text((118, 492), said["legend"], 13, PALE))
    drawn.append(text((118, 514), limits, 13, PALE))
    return 880, 530, drawn


def _panel(corner: Place, runs: list[Any], plan: dict[str, Any]) -> Iterator[str]:
    left, top = corner
    for column, lr in enumerate(plan["lrs"]):
        yield text((left + 88 * column + 42, top - 6), f"{lr:g}", 12, MIDDLE + PALE)
        for row, depth in enumerate(plan["depths"]):
            settings = {"num_layers": depth, "lr": lr}
            own = [run for run in runs if settings.items() <= run.items()]
            yield from _cell((left + 88 * column, top + 50 * row), own)


def _cell(corner: Place, runs: list[dict[str, Any]]) -> Iterator[str]:
    x, y = corner
    num_failed = sum(run["has_failed"] for run in runs)
    last = [run["losses"][-1] for run in runs if run["is_finite"]]
    # No training failed, some failed, all failed.
    look, ink = f'fill="{COOL}" fill-opacity="0.12"', ""
    if num_failed:
        look = f'fill="{WARM}" fill-opacity="0.2"'
    if num_failed == len(runs):
        look, ink = f'fill="{WARM}"', WHITE
    yield f'<rect x="{x:g}" y="{y:g}" width="84" height="46" rx="4" {look}/>'
    yield text((x + 42, y + 20), f"{num_failed} / {len(runs)}", 14, MIDDLE + BOLD + ink)
    loss = f"{sum(last) / len(last):.2f}" if last else "–"
    yield text((x + 42, y + 37), loss, 12.5, MIDDLE + ink)


Draw = Callable[[Said, dict[str, Any]], tuple[int, int, list[str]]]
FIGURES: dict[str, tuple[Draw, dict[str, tuple[str, str]]]] = {
    "figure_pre_norm_gradients": (draw_gradients, GRADIENTS),
    "figure_pre_norm_grid": (draw_grid, GRID),
}


def write_figure(name: str, lang: Lang, results: dict[str, Any]) -> str:
    """Write a figure in a language as SVG."""
    draw, words = FIGURES[name]
    said = {key: both[LANGS.index(lang)] for key, both in words.items()}
    width, height, drawn = draw(said, results)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{html.escape(said["title"])}" fill="{INK}" font-family="{FONTS}">'
    )
    title = f"<title>{html.escape(said['title'], quote=False)}</title>"
    return "\n".join([head, title, *drawn, "</svg>", ""])


def main() -> int:
    """Write the figures; with ``--check`` report whether the committed ones are up to date."""
    is_check = "--check" in sys.argv[1:]
    results, stale = json.loads(RESULTS.read_text(encoding="utf-8")), []
    for lang in LANGS:
        for name in FIGURES:
            path, expected = HANDBOOK / lang / f"{name}.svg", write_figure(name, lang, results)
            if not path.is_file() or path.read_text(encoding="utf-8") != expected:
                stale.append(path.relative_to(HANDBOOK).as_posix())
                if not is_check:
                    path.write_text(expected, encoding="utf-8")
                    print(f"wrote {stale[-1]}")
    if stale and is_check:
        print(f"{', '.join(stale)}: run python tools/pre_norm_figures.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
