"""Sentences with code in backticks; a style replaces the backticks where there is colour."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.text import Text

from torchstone.cli.layout import MARGIN, broken
from torchstone.cli.palette import CODE, CODE_STYLES, PLAIN

_CODE = re.compile(r"`([^`\n]+)`")


def mark_code(words: str, style: str = PLAIN, *, has_colour: bool) -> Text:
    """Return a sentence whose code has a style; without colour it keeps its backticks.

    >>> mark_code("equals `x`.", has_colour=True).plain
    'equals x.'
    >>> mark_code("equals `x`.", has_colour=False).plain
    'equals `x`.'
    """
    if not has_colour:
        return Text(words, style=style)
    # Every second part is code.
    styles = (style, CODE_STYLES.get(style, CODE))
    parts = _CODE.split(words)
    return Text.assemble(*((part, styles[at % 2]) for at, part in enumerate(parts)))


def wrap_marked(words: Text, columns: int, *, margin: int = MARGIN) -> Iterator[Text]:
    """Wrap a styled sentence inside the margin."""
    for line in broken(words, columns - margin):
        yield Text(" " * margin) + line
