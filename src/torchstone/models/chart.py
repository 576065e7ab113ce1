"""Profile chart: an SVG bar for each module, proportional to its time."""

from __future__ import annotations

import html
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from torchstone.models.limits import Limits
from torchstone.models.profile import Cost, Profile

# Layout in pixels: row height, bar extent, and the right edge of each column of numbers.
ROW, TOP, BAR_LEFT, BAR_RIGHT, BAR = 26, 64, 280, 580, 14
COLUMNS = (660, 740, 820, 900, 980, 1050)
COLUMN_NAMES = ("time", "flops", "moved", "kept", "peak", "roofline")
WIDTH = 1066
# The bars are legible on light and dark backgrounds; the text colour depends on the background.
BLUE, ORANGE = "#2f81f7", "#db6d28"
INK = "svg{fill:#57606a}@media (prefers-color-scheme:dark){svg{fill:#b1bac4}}"
FONTS = "system-ui, 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif"
# A longer name would overlap its bar.
MAX_NAME = 36


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Texts of the chart in one language.

    Attributes:
        title: The title.
        columns: The column headers.
        legend: The labels of the two bar colours.
        model: The label of the whole model.
    """

    title: str
    columns: tuple[str, ...]
    legend: tuple[str, ...]
    model: str


@cache
def read_words(lang: str) -> Words:
    """Read the texts of a language from ``messages/``.

    They are read here because a library must not import the product's catalogues.
    """
    path = Path(__file__).with_name("messages") / f"{lang}.toml"
    chart = tomllib.loads(path.read_text(encoding="utf-8"))["chart"]
    columns = tuple(chart["column"][name] for name in COLUMN_NAMES)
    legend = tuple(chart["legend"][name] for name in ("ideal", "rest"))
    return Words(title=chart["title"], columns=columns, legend=legend, model=chart["model"])


def draw(found: Profile, limits: Limits, *, depth: int = 3, lang: str = "en") -> str:
    """Draw a profile as SVG.

    Args:
        found: The measurements.
        limits: The roofline limits of the machine.
        depth: The maximum depth of modules shown; the costs of deeper ones are included above them.
        lang: The language of the texts, ``en`` or ``zh``.
    """
    words = read_words(lang)
    costs = found.down_to(depth)
    height = TOP + ROW * len(costs) + 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="{html.escape(FONTS)}" font-size="12" role="img">',
        f"<title>{words.title}</title><style>{INK}</style>",
        f'<text x="16" y="24" font-size="15" font-weight="600">{words.title}</text>',
        *_legend(words),
    ]
    for place, head in zip(COLUMNS, words.columns, strict=True):
        parts.append(f'<text x="{place}" y="{TOP - 14}" text-anchor="end">{head}</text>')
    longest = max(cost.seconds for cost in costs) or 1.0
    for number, cost in enumerate(costs):
        parts += _row(cost, limits, longest, TOP + ROW * number, words)
    return "\n".join([*parts, "</svg>\n"])


def _legend(words: Words) -> list[str]:
    parts = []
    for place, (colour, told) in enumerate(zip((BLUE, ORANGE), words.legend, strict=True)):
        x = BAR_LEFT + 60 + 250 * place
        parts.append(f'<rect x="{x}" y="{TOP - 51}" width="11" height="11" fill="{colour}"/>')
        parts.append(f'<text x="{x + 17}" y="{TOP - 41}">{told}</text>')
    return parts


def _row(cost: Cost, limits: Limits, longest: float, top: float, words: Words) -> list[str]:
    share = cost.roofline_share(limits)
    length = (BAR_RIGHT - BAR_LEFT) * cost.seconds / longest
    # Data in the caches can exceed the bandwidth of main memory, so the share is limited to 1.
    ideal = length * min(1.0, share)
    name = cost.label or words.model
    told = html.escape(f"{name} ({cost.kind})"[: MAX_NAME - 2 * cost.level])
    base = top + BAR - 2
    numbers = (
        f"{cost.seconds * 1e3:.2f}",
        f"{cost.flops / 1e9:.3f}",
        f"{cost.num_bytes / 1e6:.1f}",
        f"{cost.saved_bytes / 1e6:.1f}",
        f"{cost.peak_bytes / 1e6:.1f}",
        f"{share:.0%}",
    )
    return [
        f'<text x="{16 + 12 * cost.level}" y="{base}">{told}</text>',
        f'<rect x="{BAR_LEFT}" y="{top}" width="{length:.1f}" height="{BAR}" fill="{ORANGE}"/>',
        f'<rect x="{BAR_LEFT}" y="{top}" width="{ideal:.1f}" height="{BAR}" fill="{BLUE}"/>',
        *(
            f'<text x="{place}" y="{base}" text-anchor="end">{number}</text>'
            for place, number in zip(COLUMNS, numbers, strict=True)
        ),
    ]


def page(picture: str, *, lang: str = "en") -> str:
    """Embed a picture in an HTML page that follows the reader's light or dark mode."""
    title = read_words(lang).title
    return (
        f'<!doctype html>\n<html lang="{lang}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title>\n'
        "<style>:root{color-scheme:light dark}body{margin:2rem auto;max-width:70rem;"
        "padding:0 1rem;background:Canvas}svg{width:100%;min-width:46rem;height:auto}"
        "main{overflow-x:auto}</style></head>\n"
        f"<body><main>{picture}</main></body></html>\n"
    )
