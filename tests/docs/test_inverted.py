"""The tutorials prove what they say: each of their assertions is reached, and fails inverted."""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from torchstone.bank.markdown import Cell, python_cells

PAGES = Path(__file__).resolve().parents[2] / "docs" / "handbook" / "en"
# A row of the table of places at which the analogy breaks, and the paragraph about it.
_PLACE = re.compile(r"^\| (\d+)\. ", re.MULTILINE)
_PARAGRAPH = re.compile(r"^\*\*(\d+)\. .*?(?=^\*\*\d+\. |^## |\Z)", re.MULTILINE | re.DOTALL)


def cells_of(chapter: str) -> tuple[Cell, ...]:
    return python_cells((PAGES / f"{chapter}.md").read_text(encoding="utf-8"))


@pytest.mark.torch
@pytest.mark.gate("memory-cells")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("chapter", ["one-call", "memory-cells", "compile-analogy"])
def test_each_assertion_of_a_tutorial_fails_when_it_is_inverted(chapter: str) -> None:
    importlib.import_module("torchstone.kernels").load()
    assert survivors(cells_of(chapter)) == []


@pytest.mark.pure
def test_each_place_where_the_analogy_breaks_has_a_cell_that_shows_it() -> None:
    text = (PAGES / "compile-analogy.md").read_text(encoding="utf-8")
    shown = {found[1]: python_cells(found[0]) for found in _PARAGRAPH.finditer(text)}
    places = _PLACE.findall(text)
    assert len(places) >= 5
    for place in places:
        assert any(asserts_of(ast.parse(cell.source)) for cell in shown[place]), place


def survivors(cells: Sequence[Cell]) -> list[str]:
    """Run cells with each assertion tried inverted and as it stands.

    Returns:
        The assertions that hold inverted, or are not reached.
    """
    refused: set[int] = set()
    scope: dict[str, Any] = {"__name__": "__main__", "_refused": refused}
    written: dict[int, str] = {}
    for cell in cells:
        tree = ast.parse("\n" * cell.line + cell.source)
        written |= {each.lineno: ast.unparse(each.test) for each in asserts_of(tree)}
        tried = ast.fix_missing_locations(_Inverting().visit(tree))
        with contextlib.redirect_stdout(io.StringIO()):
            # Without the annotations of this file, which are strings.
            exec(compile(tried, "cell", "exec", dont_inherit=True), scope)
    return [f"line {line}: {test}" for line, test in written.items() if line not in refused]


def asserts_of(tree: ast.AST) -> Iterator[ast.Assert]:
    return (each for each in ast.walk(tree) if isinstance(each, ast.Assert))


class _Inverting(ast.NodeTransformer):
    """Put before each assertion the attempt to hold its opposite."""

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        (attempt,) = ast.parse(
            f"try:\n    assert not ({ast.unparse(node.test)})\n"
            f"except AssertionError:\n    _refused.add({node.lineno})\n"
        ).body
        for each in ast.walk(attempt):
            ast.copy_location(each, node)
        return [attempt, node]
