"""Draw the terminal's output of a verdict as SVG, in both languages: ``docs/pictures/*.svg``.

The verdicts are real: a temporary learner submits a wrong and a right answer to problem 01. The
program needs a judge, so it is run by hand.

Usage: ``python tools/pictures.py [--quick]``
"""

import argparse
import html
import io
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.text import Text

from torchstone.app.home import Home, find_home
from torchstone.app.judging.submission import submit
from torchstone.app.problems.workspace import start
from torchstone.app.review.after_verdict import conclude
from torchstone.cli.palette import STREAK, STREAK_END
from torchstone.cli.screen import MAX_COLUMNS, Screen
from torchstone.cli.verdict import draw_verdict
from torchstone.core.i18n import LANGS, display_width
from torchstone.judge.host.client import Client

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"
PROBLEM, WRONG = "01", "no_shift"
# Pixels: the size of a terminal cell, the size of its letters, the margin.
CELL_WIDTH, CELL_HEIGHT, FONT_SIZE, EDGE = 7.6, 20, 14, 20
BASELINE = 15
# Runs of characters of one kind and width: spaces, lines, wide letters, narrow letters.
_WORD = re.compile(r"\s+|[━╸]+|[\u2e80-\uffef]+|[^\s━╸\u2e80-\uffef]+")
STONE, INK = "#0b0d0d", "#e6e8e8"
# Fonts of operating systems; first those whose Latin letters are half as wide as Chinese ones.
FONTS = "Sarasa Mono SC, Noto Sans Mono CJK SC, Menlo, Consolas, DejaVu Sans Mono, monospace"


def draw(lines: list[Text], path: Path) -> None:
    """Write lines of the terminal as one SVG file."""
    console = Console(width=MAX_COLUMNS, file=io.StringIO(), color_system="256")
    command = Text.assemble(("$ ", "color(246)"), (f"torchstone submit {PROBLEM}", "bold"))
    drawn = [
        element
        for row, line in enumerate([command, *lines])
        for element in _draw_line(console, line, EDGE + row * CELL_HEIGHT)
    ]
    width = round(MAX_COLUMNS * CELL_WIDTH + 2 * EDGE)
    height = (len(lines) + 1) * CELL_HEIGHT + 2 * EDGE
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" xml:space="preserve" '
        f'font-family="{FONTS}" font-size="{FONT_SIZE}" fill="{INK}">'
    )
    title = f"<title>torchstone submit {PROBLEM}</title>"
    stone = f'<rect width="{width}" height="{height}" rx="4" fill="{STONE}"/>'
    path.write_text("\n".join([head, title, stone, *drawn, "</svg>", ""]), encoding="utf-8")


def _draw_line(console: Console, line: Text, top: float) -> Iterator[str]:
    """Yield the words of a line, each at its column in the terminal."""
    column = 0
    for segment in line.render(console):
        style = console.get_style(segment.style or "")
        colour = style.color.get_truecolor().hex if style.color else INK
        weight = ' font-weight="bold"' if style.bold else ""
        for word in _WORD.findall(segment.text):
            left, columns = EDGE + column * CELL_WIDTH, display_width(word)
            width = columns * CELL_WIDTH
            column += columns
            if word[0] in STREAK + STREAK_END:
                place = f'x="{left:g}" y="{top + 9:g}" width="{width:g}" height="2"'
                yield f'<rect {place} fill="{colour}"/>'
            elif not word.isspace():
                place = f'x="{left:g}" y="{top + BASELINE:g}" textLength="{width:g}"'
                said = html.escape(word, quote=False)
                yield f'<text {place} fill="{colour}"{weight}>{said}</text>'


def draw_all(home: Home, pictures: Path) -> None:
    """Submit the wrong answer and the right one, and draw each verdict in both languages."""
    problem = home.problem(PROBLEM)
    start(home, PROBLEM)
    wrong = next(variant for variant in problem.wrong if variant.name == WRONG)
    for name, source in (("wrong", wrong.source), ("accepted", problem.solution.source)):
        judged = submit(home, PROBLEM, source, lambda event: None, kind="submit")
        aftermath = conclude(home, judged)
        for lang in LANGS:
            path = pictures / f"submit-{name}.{lang}.svg"
            draw(list(draw_verdict(Screen(lang=lang), judged, aftermath)), path)
            print(f"wrote {path.name}: {judged.verdict}")


def main() -> int:
    """Draw all pictures with a temporary learner."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="keep no picture")
    is_quick = parser.parse_args().quick
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="torchstone-pictures-") as folder:
        for name in ("DATA", "WORKSPACE", "CONFIG"):
            os.environ[f"TORCHSTONE_{name}"] = f"{folder}/{name.lower()}"
        os.environ["COLUMNS"] = str(MAX_COLUMNS)
        try:
            draw_all(find_home(), Path(folder) if is_quick else PICTURES)
        finally:
            Client().stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
