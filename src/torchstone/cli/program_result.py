"""The result of a library's program: as JSON, or as lines."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from rich.text import Text

from torchstone.cli.screen import Screen
from torchstone.core.verdict import ExitCode


def show(screen: Screen, answer: dict[str, Any], lines: Iterable[Text]) -> ExitCode:
    """Print a result, as JSON or as lines; the exit code says whether it is ok."""
    if screen.as_json:
        screen.answer(answer)
    else:
        for line in lines:
            # Not wrapped: a path must stay one word.
            screen.out.print(line, soft_wrap=True)
    return ExitCode.ACCEPTED if answer["ok"] else ExitCode.NOT_ACCEPTED


def answer_of(result: msgspec.Struct) -> dict[str, Any]:
    """Return the JSON object of a result."""
    answer: dict[str, Any] = msgspec.to_builtins(result)
    del answer["event"]
    return answer
