"""Run of one cell, which a learner may have edited, in the sandbox.

The process is one of ``judge.observing``: it has torch, and only the mounted modules of this
package. The cells before the requested one run first, with their output discarded.
"""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import os
import sys
import traceback
import types
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch

from torchstone.judge.questions.claims import FAILED, HELD, BadClaim, wrap_claims
from torchstone.xray.passes import Limits, run_pass

_MOST_WORDS = 400


def serve(
    asked: Mapping[str, Any],
    write: Callable[[Mapping[str, Any]], None],
    confine: Callable[[str], None],
) -> int:
    """Run the last of some cells, and write its result; return 0.

    Args:
        asked: ``file``, the name in tracebacks; ``cells``, each with ``source line claims``;
            ``limits``, those of a pass.
        write: Writes an answer.
        confine: Drops privileges.
    """
    torch.set_num_threads(1)
    run = partial(_Script(asked["file"]).run, asked["cells"])
    outcome = run_pass(run, Limits(**asked["limits"]), partial(confine, "cell"))
    answer = {"claims": {}, "error": None, "seconds": [], **outcome.answer}
    write({"event": "cell", "end": outcome.end, "stdout": outcome.output, **answer})
    return 0


def _processor_seconds() -> float:
    # Includes the compilers that it has waited for.
    return sum(os.times()[:4])


def _silence() -> contextlib.AbstractContextManager[object]:
    return contextlib.redirect_stdout(io.StringIO())


class _Script:
    """The cells of a topic, as one script."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._claims: dict[str, bool] = {}
        self._module = types.ModuleType("__main__")
        self._module.__dict__.update({"__file__": file, HELD: self._hold, FAILED: self._fail})

    def run(self, cells: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the claims of the last cell, and the exception that ended the run.

        ``seconds`` has the CPU time of each cell that ran, including the one that raised; a limit
        applies to it, and other programs hardly affect it.
        """
        sys.modules["__main__"] = self._module
        warnings.simplefilter("ignore")
        error, seconds = None, []
        for place, cell in enumerate(cells):
            began = _processor_seconds()
            if is_last := place == len(cells) - 1:
                self._claims.clear()
            silence = contextlib.nullcontext() if is_last else _silence()
            with silence:
                error = self._run_cell(cell)
            seconds.append(_processor_seconds() - began)
            if error is not None:
                break
        return {"claims": self._claims, "error": error, "seconds": seconds}

    def _run_cell(self, cell: Mapping[str, Any]) -> dict[str, Any] | None:
        source, first = str(cell["source"]), int(cell["line"])
        text = "\n" * (first - 1) + source
        # Without a time, `linecache` does not compare the entry with a file.
        linecache.cache[self._file] = (len(text), None, text.splitlines(True), self._file)
        try:
            # JSON objects have no numbers as keys.
            tree = wrap_claims(
                source, {int(line): claim for line, claim in cell["claims"].items()}, first
            )
            for statement in tree.body:
                exec(
                    compile(ast.Module([statement], []), self._file, "exec"),
                    self._module.__dict__,
                )
        except SystemExit as error:
            return None if error.code in (None, 0) else self._describe(error, first)
        # Any exception of a cell is a result.
        except BaseException as error:  # noqa: BLE001
            return self._describe(error, first)
        return None

    def _describe(self, error: BaseException, first: int) -> dict[str, Any]:
        said = " ".join(str(error).split())[:_MOST_WORDS]
        frames = traceback.extract_tb(error.__traceback__)
        lines = [each.lineno or 0 for each in frames if each.filename == self._file]
        if isinstance(error, SyntaxError):
            lines = [(error.lineno or 1) + first - 1]
        is_ours = isinstance(error, BadClaim)
        return {
            "type": "SyntaxError" if is_ours else type(error).__name__,
            "message": said,
            "line": lines[0] - first + 1 if lines else None,
        }

    def _hold(self, claim: str) -> None:
        self._claims.setdefault(claim, True)

    def _fail(self, claim: str) -> None:
        """Record a false claim, unless a nested call raised."""
        _, _, trace = sys.exc_info()
        if trace is None or trace.tb_next is not None:
            raise
        self._claims[claim] = False
