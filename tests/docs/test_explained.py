"""The chapters on what PyTorch does: each assertion holds, and fails when it is inverted."""

from __future__ import annotations

import ast
import contextlib
import io
from pathlib import Path
from typing import Any

import pytest

from torchstone.bank.markdown import python_cells

pytestmark = [pytest.mark.torch, pytest.mark.full]

HANDBOOK = Path(__file__).resolve().parents[2] / "docs" / "handbook" / "en"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["one-call", "memory-cells", "compile-analogy"])
def test_every_assertion_fails_when_it_is_inverted(name: str) -> None:
    page = HANDBOOK / f"{name}.md"
    space: dict[str, Any] = {"__name__": "__main__"}
    tried = 0
    for cell in python_cells(page.read_text(encoding="utf-8")):
        # The lines of a cell are those of the page, as a compiled function knows them.
        for statement in ast.parse("\n" * cell.line + cell.source).body:
            run([statement], page, space)
            if isinstance(statement, ast.Assert):
                inverted = ast.UnaryOp(op=ast.Not(), operand=statement.test)
                with pytest.raises(AssertionError):
                    run([ast.copy_location(ast.Assert(test=inverted), statement)], page, space)
                tried += 1
    assert tried >= 10


def run(body: list[ast.stmt], page: Path, space: dict[str, Any]) -> None:
    tree = ast.fix_missing_locations(ast.Module(body=body, type_ignores=[]))
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(tree, str(page), "exec"), space)
