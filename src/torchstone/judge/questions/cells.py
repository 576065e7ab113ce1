"""Run cells statement by statement, and record which claims hold.

Each claiming assert is wrapped in place, so that a false one neither ends the run nor hides other
claims of its block. Only an AssertionError of the assert itself makes its claim false; one from a
nested call ends the run, as any other exception does.
"""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import sys
import traceback
import types
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torchstone.bank.questions.demo import DemoCell
from torchstone.judge.questions.claims import FAILED, HELD, BadClaim, wrap_claims
from torchstone.judge.questions.facts import Failure, Output, Run

_MOST_WORDS = 400


@dataclass(kw_only=True)
class Stage:
    """Namespace in which the cells of a topic run, as those of one script.

    Attributes:
        file: ``demo.py``, the name in tracebacks and for ``inspect``.
        text: The text of the file, possibly edited, in which ``inspect`` finds sources.
        claims: Claim -> whether it has held so far.
    """

    file: Path
    text: str
    claims: dict[str, bool] = field(default_factory=dict)
    outputs: list[Output] = field(default_factory=list)
    module: types.ModuleType = field(init=False)

    def __post_init__(self) -> None:
        """Create the module of the script, and make its text available to tracebacks."""
        self.module = types.ModuleType("__main__")
        self.module.__file__ = str(self.file)
        self.module.__dict__[HELD] = self._hold
        self.module.__dict__[FAILED] = self._fail
        sys.modules["__main__"] = self.module
        self.read(self.text)

    def read(self, text: str) -> None:
        """Set another text of the file for the cells that run from now on."""
        self.text = text
        name = str(self.file)
        # Without a time, `linecache` does not compare the entry with the file.
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)

    def run(self, cells: Iterable[DemoCell]) -> Run:
        """Run cells in order until one raises."""
        failure = None
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            for cell in cells:
                failure = self._run_cell(cell)
                if failure is not None:
                    break
        return Run(
            claims=dict(self.claims),
            failure=failure,
            outputs=tuple(self.outputs),
            warned=tuple(dict.fromkeys(filter(None, map(_deprecation, warned)))),
        )

    def _run_cell(self, cell: DemoCell) -> Failure | None:
        try:
            tree = wrap_claims(cell.source, cell.claims, cell.line)
        except (SyntaxError, BadClaim) as error:
            line = getattr(error, "lineno", None) or 1
            return Failure(cell=cell.name, line=line, error=_words(error))
        for statement in tree.body:
            ends = (statement.end_lineno or statement.lineno) - cell.line + 1
            said = io.StringIO()
            try:
                with contextlib.redirect_stdout(said):
                    self._execute(statement)
            # Any exception of a cell is a result, SystemExit included.
            except BaseException as error:  # noqa: BLE001
                return Failure(cell=cell.name, line=self._line(error, cell), error=_words(error))
            if text := said.getvalue():
                lines = tuple(line.rstrip() for line in text.rstrip("\n").split("\n"))
                self.outputs.append(Output(cell=cell.name, line=ends, lines=lines))
        return None

    def _execute(self, statement: ast.stmt) -> None:
        code = compile(ast.Module([statement], []), str(self.file), "exec")
        exec(code, self.module.__dict__)

    def _line(self, error: BaseException, cell: DemoCell) -> int:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [each.lineno or 0 for each in frames if each.filename == str(self.file)]
        return (lines[0] if lines else cell.line) - cell.line + 1

    def _hold(self, claim: str) -> None:
        self.claims.setdefault(claim, True)

    def _fail(self, claim: str) -> None:
        """Record a false claim, unless a nested call raised."""
        _, _, trace = sys.exc_info()
        if trace is None or trace.tb_next is not None:
            raise
        self.claims[claim] = False


def _deprecation(warning: Any) -> str:
    said = str(warning.message)
    kinds = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)
    is_one = issubclass(warning.category, kinds) or "deprecat" in said.lower()
    return f"{warning.category.__name__}: {said[:_MOST_WORDS]}" if is_one else ""


def _words(error: BaseException) -> str:
    said = " ".join(str(error).split())[:_MOST_WORDS]
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
