"""Run a cell that proves an answer in the sandbox, original or edited."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from torchstone.app.home import Home
from torchstone.app.programs.observed import ask, isolation
from torchstone.app.questions.asking import find_question
from torchstone.bank.questions import DemoCell, Topic
from torchstone.core.errors import BadInput, NotFound
from torchstone.core.isolation import Isolation

MAX_SOURCE_CHARS = 20_000
_MODULE = "torchstone.judge.questions.sandboxed"
# Parts of the package that the module imports.
_PARTS = (
    "judge/questions/__init__.py",
    "judge/questions/claims.py",
    "judge/questions/sandboxed.py",
    "xray/__init__.py",
    "xray/passes.py",
    "xray/limits.py",
)
_LIMITS = {"seconds": 10, "memory_bytes": 1 << 30, "output_bytes": 1 << 20}


@dataclass(frozen=True, slots=True, kw_only=True)
class CellError:
    """Reason why a run ended.

    Args:
        kind: ``raised``, or the exceeded limit: ``time``, ``memory``, ``output``; ``died`` for any
            other end of the process.
        type: The name of the exception; empty for a limit.
        message: Message of the exception; empty for a limit.
        line: Line of the cell, from 1; None if unknown.
    """

    kind: str
    type: str = ""
    message: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CellRun:
    """Output of a cell, and which of its claims held.

    Args:
        ok: Whether it ran to the end and every claim held.
        claims: Claim -> whether it held; None if it was not reached or was removed.
        time_ms: Total time, including the start of the sandbox.
    """

    ok: bool
    cell: str
    stdout: str
    claims: Mapping[str, bool | None]
    error: CellError | None
    isolation: Isolation
    time_ms: int

    def plain(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return asdict(self)


def run_cell(
    home: Home, number: str, name: str | None = None, *, edited: str | None = None
) -> CellRun:
    """Run a cell of a question after the set-up and the cells before it.

    Args:
        home: The learner's home.
        number: The question.
        name: The cell; may be left out if the question has one.
        edited: Text that replaces the cell; None for the cell itself.

    Raises:
        NotFound: There is no such question or cell.
        BadInput: The topic needs something that the sandbox lacks, or the text is too long.
        TorchstoneError: The sandbox failed.
    """
    topic, question = find_question(home, number)
    if topic.spec.needs:
        needs = ", ".join(topic.spec.needs)
        raise BadInput("app.cell_needs", topic=topic.id, needs=needs)
    if edited is not None and len(edited) > MAX_SOURCE_CHARS:
        raise BadInput("app.cell_too_long", came=len(edited), most=MAX_SOURCE_CHARS)
    before, shown = _cells(topic, question.id, name)
    written = shown if edited is None else replace(shown, source=edited)
    order = {
        "file": "demo.py",
        "cells": [
            {"source": cell.source, "line": cell.line, "claims": cell.claims}
            for cell in (*before, written)
        ],
        "limits": _LIMITS,
    }
    began = time.monotonic()
    (answer,) = ask(order, module=_MODULE, parts=_PARTS)
    time_ms = round(1000 * (time.monotonic() - began))
    held: dict[str, bool] = answer["claims"]
    claims = {claim: held.get(claim) for claim in (shown.claims | written.claims).values()}
    error = _error_of(answer)
    return CellRun(
        ok=error is None and all(claims.values()),
        cell=shown.name,
        stdout=answer["stdout"],
        claims=claims,
        error=error,
        isolation=isolation(),
        time_ms=time_ms,
    )


def _cells(topic: Topic, number: str, name: str | None) -> tuple[tuple[DemoCell, ...], DemoCell]:
    """Return the cells that run first, and the requested one."""
    cells = (*topic.demo.setup, *topic.demo.of(number))
    own = topic.demo.of(number)
    if name is None and len(own) == 1:
        name = own[0].name
    for place, cell in enumerate(cells):
        if cell.name == name:
            return cells[:place], cell
    known = ", ".join(cell.name for cell in own)
    if name is None:
        raise BadInput("app.cell_unnamed", question=number, known=known)
    raise NotFound("app.cell_unknown", name=name[:60], question=number, known=known)


def _error_of(answer: Mapping[str, Any]) -> CellError | None:
    if answer["end"] != "done":
        return CellError(kind=answer["end"])
    raised = answer["error"]
    return None if raised is None else CellError(kind="raised", **raised)
