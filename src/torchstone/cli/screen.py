"""``Screen``: results on stdout, progress and errors on stderr, JSON on request."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from torchstone.core.errors import TorchstoneError
from torchstone.core.i18n import LANGS, Lang, text

if TYPE_CHECKING:
    from rich.console import Console

    from torchstone.app.home import Home

MAX_COLUMNS = 78


@dataclass(frozen=True, kw_only=True)
class Screen:
    """The language, the output format and the two streams of one command.

    Attributes:
        lang: The language of every message.
        as_json: Whether stdout gets one JSON object instead of text.
    """

    lang: Lang
    as_json: bool = False

    @cached_property
    def out(self) -> Console:
        """Return the console of results."""
        return self._console(is_error=False)

    @cached_property
    def err(self) -> Console:
        """Return the console of progress and errors."""
        return self._console(is_error=True)

    def _console(self, *, is_error: bool) -> Console:
        # Rich takes time to import; a command that fails early or prints JSON does not need it.
        from rich.console import Console

        return Console(stderr=is_error, highlight=False, markup=False, width=self.columns)

    @cached_property
    def columns(self) -> int:
        """Return the number of columns: those of the terminal, at most 78."""
        return max(24, min(MAX_COLUMNS, shutil.get_terminal_size((MAX_COLUMNS, 24)).columns))

    @property
    def has_colour(self) -> bool:
        """Return whether results have colours: on a terminal, without ``NO_COLOR``."""
        return self.out.color_system is not None and not self.out.no_color

    @property
    def is_interactive(self) -> bool:
        """Return whether stdin and stdout are a terminal."""
        return sys.stdin.isatty() and sys.stdout.isatty()

    def say(self, key: str, /, **values: object) -> str:
        """Return a message of the command line in the user's language."""
        return text(f"cli.{key}", self.lang, **values)

    def write(self, line: str = "") -> None:
        """Write a plain line of the result."""
        sys.stdout.write(f"{line}\n")

    def note(self, line: str) -> None:
        """Write a plain line about the progress."""
        sys.stderr.write(f"{line}\n")

    def answer(self, result: Any) -> None:
        """Write the JSON object of a command."""
        sys.stdout.write(json.dumps(result, ensure_ascii=False, default=str) + "\n")

    def fail(self, error: TorchstoneError) -> None:
        """Print an error: with ``--json`` as JSON on stdout, otherwise as two lines on stderr."""
        if self.as_json:
            self.answer(error.shape(self.lang))
        else:
            self.note(self.say("error", message=error.message(self.lang)))
            self.note(error.hint(self.lang))

    def home(self) -> Home:
        """Return the learner's home; the bank is loaded once for a command."""
        return self._home

    @cached_property
    def _home(self) -> Home:
        from torchstone.app.home import find_home

        return find_home()


def read_screen(arguments: Sequence[str]) -> Screen:
    """Read language and output format from anywhere on the command line.

    Help and errors need both before a command is found, or without one.
    """
    before_operands = arguments[: arguments.index("--")] if "--" in arguments else arguments
    lang = _configured_lang()
    for word, following in zip(before_operands, [*before_operands[1:], ""], strict=False):
        option, _, value = word.partition("=")
        if option == "--lang":
            chosen = value or following
            lang = next((known for known in LANGS if known == chosen), lang)
    return Screen(lang=lang, as_json="--json" in before_operands)


def _configured_lang() -> Lang:
    from torchstone.core.config import load_settings
    from torchstone.core.i18n import detect_lang

    try:
        return load_settings().lang
    except TorchstoneError:
        # The command that reads the settings reports a broken settings file.
        return detect_lang(os.environ)
