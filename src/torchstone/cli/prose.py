"""Markdown renderer for terminals; piped output stays Markdown."""

from __future__ import annotations

import re
import sys
from typing import ClassVar

from torchstone.cli.formula import show_formula
from torchstone.cli.screen import Screen

_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
_FENCED = re.compile(r"(^```.*?^```$)", re.M | re.S)
_MATH = re.compile(r"\$\$.+?\$\$|(?<!\\)\$[^$`]+\$", re.S)
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
# Weight instead of colour: gold and the colours of verdicts keep their meaning.
_STYLES = {
    "markdown.h1": "bold",
    "markdown.h2": "bold",
    "markdown.h3": "bold",
    "markdown.code": "color(250)",
    "markdown.link": "underline",
    "markdown.item.bullet": "color(246)",
    "markdown.item.number": "color(246)",
}


def print_markdown(screen: Screen, markdown: str) -> None:
    """Print a text of the bank: formatted on a terminal, as Markdown in a pipe."""
    if not sys.stdout.isatty():
        screen.write(markdown.rstrip("\n"))
        return
    # The import of its parser and highlighter takes a quarter of a second.
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.markdown import Heading, Markdown
    from rich.padding import Padding
    from rich.text import Text
    from rich.theme import Theme

    class PlainHeading(Heading):
        """A heading as a bold line; Rich would box and centre it."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            self.text.justify = "left"
            yield Text("")
            yield self.text

    class Prose(Markdown):
        elements: ClassVar = {**Markdown.elements, "heading_open": PlainHeading}

    prose = Prose(prepare(markdown), code_theme="ansi_dark", hyperlinks=False)
    with screen.out.use_theme(Theme(_STYLES)):
        screen.out.print(Padding(prose, (0, 2)))


def prepare(markdown: str) -> str:
    r"""Replace a picture by its caption, and a formula by text that a terminal can show.

    >>> prepare(r"$a_i \le \frac{1}{2}$ and `$x`")
    'aᵢ ≤ 1\\/2 and `$x`'
    """
    parts = _FENCED.split(markdown)
    # Every second part is a block of code.
    parts[::2] = [_MATH.sub(_as_text, _PICTURE.sub(r"*\1*", part)) for part in parts[::2]]
    return "".join(parts)


def _as_text(formula: re.Match[str]) -> str:
    # Markdown would remove the stars and underscores of a formula.
    lines = show_formula(formula[0].strip("$"))
    return "  \n".join(_PUNCTUATION.sub(r"\\\1", line) for line in lines)
