"""Execute a cell of a chapter in the sandbox after its predecessors, original or edited."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from torchstone.app.handbook.reading import find_chapter
from torchstone.app.programs.observed import ask, isolation
from torchstone.bank.handbook import Chapter
from torchstone.core.errors import BadInput, NotFound
from torchstone.core.isolation import Isolation

MAX_SOURCE_CHARS = 20_000
# Maximum time of a cell with its predecessors.
SECONDS = 60
_MODULE = "torchstone.judge.questions.sandboxed"
_LIBRARIES = (
    # Modules of the standard library; the libraries import them for messages in two languages.
    "core",
    "cudasim",
    "distributed",
    "doctor",
    "kernels",
    "microtorch",
    "models",
    "nested",
    "xray",
)
_PARTS = (
    "judge/questions/__init__.py",
    "judge/questions/claims.py",
    "judge/questions/sandboxed.py",
    *_LIBRARIES,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChapterError:
    """Reason why a run ended.

    Args:
        kind: ``raised``, or the exceeded limit: ``time``, ``memory``, ``output``; ``died`` for any
            other end of the process.
        cell: Number of the cell that raised, from 1; None if unknown.
        line: Line within the cell, from 1; None if unknown.
    """

    kind: str
    cell: int | None = None
    type: str = ""
    message: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChapterRun:
    """Output of a cell, or the reason why the run ended.

    Args:
        time_ms: Total time, including the start of the sandbox and the previous cells.
    """

    ok: bool
    cell: int
    stdout: str
    error: ChapterError | None
    isolation: Isolation
    time_ms: int

    def plain(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return asdict(self)


def run_chapter_cell(
    chapter_id: str, number: int, edited: Mapping[int, str] | None = None
) -> ChapterRun:
    """Execute a cell of a chapter after all previous cells.

    Args:
        chapter_id: The chapter.
        number: Number of the cell, from 1.
        edited: Edited cells, by number.

    Raises:
        NotFound: There is no such chapter or cell.
        BadInput: A text is too long.
        TorchstoneError: The sandbox failed.
    """
    chapter = find_chapter(chapter_id)
    if not 1 <= number <= len(chapter.cells):
        raise NotFound(
            "app.chapter_cell_unknown", number=number, chapter=chapter.id, most=len(chapter.cells)
        )
    texts = {place: cell.source for place, cell in enumerate(chapter.cells[:number], 1)}
    texts |= {place: text for place, text in (edited or {}).items() if place in texts}
    for text in texts.values():
        if len(text) > MAX_SOURCE_CHARS:
            raise BadInput("app.cell_too_long", came=len(text), most=MAX_SOURCE_CHARS)
    began = time.monotonic()
    answer = run_sources(chapter, list(texts.values()))
    error = error_of(answer)
    return ChapterRun(
        ok=error is None,
        cell=number,
        stdout=answer["stdout"],
        error=error,
        isolation=isolation(),
        time_ms=round(1000 * (time.monotonic() - began)),
    )


def run_sources(chapter: Chapter, sources: Sequence[str], seconds: int = SECONDS) -> dict[str, Any]:
    """Execute sources as the first cells of a chapter; return the answer of the sandbox."""
    order = {
        "file": f"{chapter.id}.md",
        "cells": [
            # Line numbers are relative to the cell, as in compiled functions.
            {"source": source, "line": cell.line + 1, "claims": {}}
            for source, cell in zip(sources, chapter.cells, strict=False)
        ],
        "limits": {
            "seconds": seconds,
            "memory_bytes": 2 << 30,
            "output_bytes": 1 << 20,
            # A program that waits for a compiler or a child process sleeps.
            "idle_seconds": seconds / 2,
        },
    }
    (answer,) = ask(order, module=_MODULE, parts=_PARTS)
    return answer


def error_of(answer: Mapping[str, Any]) -> ChapterError | None:
    """Return the reason why a run ended, as reported by the sandbox."""
    if answer["end"] != "done":
        return ChapterError(kind=answer["end"])
    raised = answer["error"]
    return (
        None
        if raised is None
        else ChapterError(kind="raised", cell=len(answer["seconds"]), **raised)
    )
