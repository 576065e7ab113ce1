"""Syntax trees of Python, one at a time.

The interpreter counts how deep it is in a tree that it builds, and until Python 3.11.7 and 3.12.0
all threads share that count (CPython issue 106905). Where the collector runs in the middle of one
tree, a second thread may begin another, and one of them ends with ``SystemError: AST constructor
recursion depth mismatch``. The judge reads sources in several threads, so it reads them here.
"""

import ast
from threading import Lock
from typing import Literal, overload

_ONE_AT_A_TIME = Lock()


@overload
def parse(source: str, name: str = ..., *, mode: Literal["exec"] = ...) -> ast.Module: ...
@overload
def parse(source: str, name: str = ..., *, mode: Literal["eval"]) -> ast.Expression: ...


def parse(
    source: str, name: str = "<unknown>", *, mode: Literal["exec", "eval"] = "exec"
) -> ast.Module | ast.Expression:
    """Return the syntax tree of a source, as ``ast.parse`` does, whatever other threads read.

    Args:
        source: The text of a module, or of one expression.
        name: What errors name as its file.
        mode: ``exec`` for a module, ``eval`` for an expression.

    Raises:
        SyntaxError: It is no Python.
        ValueError: It holds a null character.
    """
    with _ONE_AT_A_TIME:
        tree = ast.parse(source, name, mode)
    assert isinstance(tree, ast.Module | ast.Expression)
    return tree
