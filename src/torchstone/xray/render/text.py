"""What the drawings in a terminal are made of: lines of pieces, each with a role."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Any, Literal, Protocol, TypeAlias

Role: TypeAlias = Literal["plain", "strong", "number", "quiet", "wrong"]
Piece: TypeAlias = tuple[str, Role]
Line: TypeAlias = list[Piece]
Scene: TypeAlias = dict[str, Any]
MARGIN = "  "


class Say(Protocol):
    """Return a sentence of the catalogue in the reader's language."""

    def __call__(self, key: str, **values: object) -> str:
        """Return it with its values."""


def width(words: str) -> int:
    """Return the number of columns of some words."""
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in words)


def fit(words: str, columns: int) -> str:
    """Pad or cut some words to a number of columns."""
    if width(words) <= columns:
        return words + " " * (columns - width(words))
    kept = ""
    for char in words:
        if width(kept + char) > columns - 1:
            break
        kept += char
    return kept + "…" + " " * (columns - width(kept) - 1)


def fold(words: str, columns: int) -> Iterator[str]:
    """Break a sentence into lines; Chinese may break behind every character."""
    line = ""
    for part in _parts(words):
        if line and width(line + part.rstrip()) > columns:
            yield line.rstrip()
            line = ""
        line += part.lstrip() if not line else part
    if line.strip():
        yield line.rstrip()


def _parts(words: str) -> Iterator[str]:
    part = ""
    for char in words:
        part += char
        if char == " " or unicodedata.east_asian_width(char) in "WF":
            yield part
            part = ""
    yield part


def note(words: str, columns: int, role: Role = "quiet") -> Iterator[Line]:
    """Yield a sentence as lines inside the margin."""
    for line in fold(words, columns - len(MARGIN)):
        yield [(MARGIN + line, role)]


def size(num_bytes: int) -> str:
    """Return a number of bytes for people.

    >>> size(48), size(98304)
    ('48 B', '96 KiB')
    """
    amount, units = float(num_bytes), ["B", "KiB", "MiB", "GiB"]
    while amount >= 1024 and len(units) > 1:
        amount, units = amount / 1024, units[1:]
    return f"{amount:.4g} {units[0]}"


def shape(sizes: list[Any] | None) -> str:
    """Return a shape as PyTorch prints it."""
    return "?" if sizes is None else f"[{', '.join(map(str, sizes))}]"
