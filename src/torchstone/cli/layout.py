"""Two-column text layout: a left part with a right-aligned note, or the note below it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from torchstone.cli.lines import wrap
from torchstone.cli.palette import PLAIN, SECONDARY
from torchstone.core.i18n import display_width

MARGIN = 2
LABEL_WIDTH = 10
NOTE_INDENT = 6


def span(*parts: tuple[str, str] | str) -> Text:
    """Join pieces of text, each with its style."""
    return Text.assemble(*parts, no_wrap=True)


def two_sided(left: Text, note: str, columns: int, *, margin: int = MARGIN) -> Iterator[Text]:
    """Place a note at the right of a text, or below it; a too long text is wrapped."""
    first, *rest = broken(left, columns - margin, later=NOTE_INDENT)
    line = Text(" " * margin) + first
    spare = columns - line.cell_len - display_width(note)
    if note and not rest and spare >= 2:
        yield line + Text(" " * spare) + Text(note, style=SECONDARY)
        return
    yield line
    yield from (Text(" " * NOTE_INDENT) + each for each in rest)
    for part in wrap(note, columns - NOTE_INDENT) if note else ():
        yield Text(" " * NOTE_INDENT) + Text(part, style=SECONDARY)


def broken(words: Text, columns: int, *, later: int = 0) -> list[Text]:
    """Wrap a styled text as ``wrap`` does a plain one; its later lines have less room."""
    if words.cell_len <= columns and "\n" not in words.plain:
        return [words]
    lines, position = [], 0
    for piece in wrap(words.plain, columns - later):
        position = words.plain.index(piece, position)
        lines.append(words[position : position + len(piece)])
        position += len(piece)
    return lines


def paragraph(
    words: str, columns: int, *, style: str = PLAIN, margin: int = MARGIN
) -> Iterator[Text]:
    """Wrap a paragraph inside the margin."""
    for line in wrap(words, columns - margin):
        yield Text(" " * margin) + Text(line, style=style)


def labelled(label: str, width: int, words: str | Text, style: str = PLAIN) -> Text:
    """Place a text after a label, which is padded to a width."""
    # Assembled, because the style of a Text also applies to text that is appended to it.
    spare = " " * max(1, width - display_width(label))
    return Text.assemble(
        (label, SECONDARY), spare, words if isinstance(words, Text) else (words, style)
    )


def hanging(label: str, width: int, words: str, columns: int, *, margin: int) -> Iterator[Text]:
    """Place a text of several lines after a label, every line in the column of the first."""
    for number, line in enumerate(wrap(words, columns - margin - width)):
        yield Text(" " * margin) + labelled(label if number == 0 else "", width, line)
