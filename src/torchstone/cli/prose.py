"""Set Markdown for a terminal; piped output stays Markdown."""

from __future__ import annotations

import re
import sys
from typing import ClassVar

from torchstone.cli.screen import Screen

_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")


def print_markdown(screen: Screen, markdown: str) -> None:
    """Print a text of the bank: set where a person reads, as it is where a program does."""
    if not sys.stdout.isatty():
        screen.write(markdown.rstrip("\n"))
        return
    # Its parser and highlighter take a quarter of a second to import.
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.markdown import Heading, Markdown
    from rich.padding import Padding
    from rich.text import Text

    class PlainHeading(Heading):
        """A heading as a bold line; Rich would box and centre it."""

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            self.text.justify = "left"
            yield Text("")
            yield Text.assemble(self.text, style="bold")

    class Prose(Markdown):
        elements: ClassVar = {**Markdown.elements, "heading_open": PlainHeading}

    # A picture is its caption here; the file lies beside the statement.
    said = _PICTURE.sub(r"*\1*", markdown)
    screen.out.print(Padding(Prose(said, code_theme="ansi_dark", hyperlinks=False), (0, 2)))
