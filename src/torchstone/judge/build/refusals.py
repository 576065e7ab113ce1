"""Replies for submissions that do not compile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TypedDict

from torchstone.cudasim.diagnostics import Diagnostic
from torchstone.judge.build.source import Refusal

MOST_MESSAGES = 20


class MessageRecord(TypedDict):
    """One message of the compiler."""

    file: str
    line: int
    column: int
    severity: str
    message: str


class RefusedReply(TypedDict):
    """Reason why a submission is not built; ``judge.replies.Refused`` describes the entries."""

    refused: str
    key: str
    word: str
    line: int
    column: int
    file: str
    messages: list[MessageRecord]


class Refused(Exception):
    """Raised with the reason why a submission is not built."""

    def __init__(self, reply: RefusedReply) -> None:
        super().__init__(reply["key"])
        self.reply = reply


def refused(refusal: Refusal) -> RefusedReply:
    """Return the reply for a source that a rule refuses."""
    found = asdict(refusal)
    return refusal_of(found.pop("code"), found.pop("key"), **found)


def refusal_of(
    code: str, key: str, *, word: str, line: int = 0, column: int = 0, file: str = ""
) -> RefusedReply:
    """Return the reply for a refused submission, with its verdict; ``file`` is one of a package."""
    return {
        "refused": code, "key": key, "word": word[:200], "line": line, "column": column,
        "file": file, "messages": [],
    }  # fmt: skip


def not_compiled(messages: Sequence[Diagnostic], said: str = "") -> RefusedReply:
    """Return the reply for a submission that does not compile.

    Args:
        messages: The compiler's messages with lines.
        said: The compiler's whole output.
    """
    errors = [each for each in messages if each.severity == "error"]
    first = errors[0] if errors else None
    # There may be no message with a line, for example if the compiler was ended at a limit.
    word = first.message if first else said.strip().rpartition("\n")[2]
    reply = refusal_of(
        "CE", "compiler", word=word, line=first.line if first else 0,
        column=first.column if first else 0,
    )  # fmt: skip
    reply["messages"] = [_record_of(each) for each in messages[:MOST_MESSAGES]]
    return reply


def _record_of(message: Diagnostic) -> MessageRecord:
    return {
        "file": message.file,
        "line": message.line,
        "column": message.column,
        "severity": message.severity,
        "message": message.message,
    }
