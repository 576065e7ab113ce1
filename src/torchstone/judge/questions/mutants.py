"""Mutants of a cell; a claim or an output should notice each of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

_NAMES = {
    "clone": "detach",
    "detach": "clone",
    "sum": "mean",
    "mean": "sum",
    "unsqueeze": "squeeze",
    "squeeze": "unsqueeze",
    "no_grad": "enable_grad",
    "zeros": "ones",
    "ones": "zeros",
    "mul_": "add_",
    "add_": "mul_",
    "reshape": "view",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CellMutant:
    """A cell with one edit: the rule and line of the edit, and the cell's text."""

    rule: str
    line: int
    source: str


def mutate(source: str) -> Iterator[CellMutant]:
    """Yield a cell with one constant, flag, operator or name changed, or one statement dropped.

    Asserts and print calls stay unchanged. Each edit replaces text within its lines, so that the
    marks of claims keep their lines.
    """
    lines = source.splitlines(keepends=True)
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Assert) or _is_print(statement):
            continue
        if isinstance(statement, ast.Expr | ast.AugAssign):
            yield _edited("drop", lines, statement, "pass")
        for node in ast.walk(statement):
            if isinstance(node, ast.expr):
                yield from _changes(node, lines)


def _changes(node: ast.expr, lines: list[str]) -> Iterator[CellMutant]:
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield _edited("flip", lines, node, str(not node.value))
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield _edited("plus", lines, node, repr(node.value + 1))
    elif isinstance(node, ast.BinOp):
        operator: ast.operator = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        swapped = ast.BinOp(left=node.left, op=operator, right=node.right)
        yield _edited("operator", lines, node, f"({ast.unparse(swapped)})")
    elif isinstance(node, ast.Attribute) and node.attr in _NAMES:
        renamed = f"{ast.unparse(node.value)}.{_NAMES[node.attr]}"
        yield _edited("name", lines, node, renamed)


def _edited(rule: str, lines: list[str], node: ast.expr | ast.stmt, text: str) -> CellMutant:
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    # `ast` counts columns in bytes.
    head = lines[first].encode()[: node.col_offset].decode()
    tail = lines[last].encode()[node.end_col_offset or 0 :].decode()
    source = "".join([*lines[:first], head + text + tail, *lines[last + 1 :]])
    return CellMutant(rule=rule, line=node.lineno, source=source)


def _is_print(statement: ast.stmt) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    return (
        isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "print"
    )
