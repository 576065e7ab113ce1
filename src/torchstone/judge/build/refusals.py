"""Replies for submissions that do not compile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from torchstone.cudasim.diagnostics import Diagnostic
from torchstone.judge.build.source import Refusal

MOST_MESSAGES = 20

Reply = dict[str, Any]


class Refused(Exception):
    """Carry the reason why a submission is not built."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply["key"])
        self.reply = reply


def refused(refusal: Refusal) -> Reply:
    """Return the reply to a source that a rule refuses."""
    found = asdict(refusal)
    return refusal_of(found.pop("code"), found.pop("key"), **found)


def refusal_of(code: str, key: str, *, word: str, line: int = 0, column: int = 0) -> Reply:
    """Return the reply to a refused submission, with its verdict."""
    return {
        "refused": code, "key": key, "word": word[:200], "line": line, "column": column,
        "messages": [],
    }  # fmt: skip


def not_compiled(messages: Sequence[Diagnostic], said: str = "") -> Reply:
    """Return the reply to a submission that does not compile.

    Args:
        messages: The compiler's messages with lines.
        said: The compiler's whole output.
    """
    errors = [each for each in messages if each.severity == "error"]
    first = errors[0] if errors else None
    # Without a message about a line: for example, the compiler was ended at a limit.
    word = first.message if first else said.strip().rpartition("\n")[2]
    reply = refusal_of(
        "CE", "compiler", word=word, line=first.line if first else 0,
        column=first.column if first else 0,
    )  # fmt: skip
    return reply | {"messages": [asdict(each) for each in messages[:MOST_MESSAGES]]}
