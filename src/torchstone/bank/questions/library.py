"""Lines of the library that a name stands for, found without importing it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, TypeAlias

from msgspec import Meta

PACKAGE = Path(__file__).resolve().parents[2]
CodeName = Annotated[str, Meta(pattern=r"^torchstone(\.\w+)+:\w+(\.\w+)*\Z")]
_Definition: TypeAlias = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryLines:
    """A class or function of the library.

    Args:
        name: Its name, as MODULE:NAME.
        file: Its file, below the folder of the package.
        line: Its first line, with its decorators.
        source: Its text.
    """

    name: str
    file: str
    line: int
    source: str


def find_module(module: str) -> Path | None:
    """Return where the file of a module would be; None for one of another package."""
    parts = module.split(".")
    file = PACKAGE.joinpath(*parts[1:])
    if parts[0] != PACKAGE.name:
        return None
    return file / "__init__.py" if file.is_dir() else file.with_suffix(".py")


@cache
def find_lines(name: str) -> LibraryLines | None:
    """Find a class or function; None if the library has none of that name.

    Args:
        name: ``torchstone.models.masks:Mask``, a method with a dot behind the class.
    """
    module, _, qualified = name.partition(":")
    path = find_module(module)
    if path is None or not path.is_file():
        return None
    text = path.read_text(encoding="utf-8")
    body: list[ast.stmt] = ast.parse(text).body
    found: _Definition | None = None
    for each in qualified.split("."):
        nodes = (node for node in body if isinstance(node, _Definition) and node.name == each)
        found = next(nodes, None)
        if found is None:
            return None
        body = found.body
    assert found is not None, "split returns at least one name"
    first = min([found.lineno, *(each.lineno for each in found.decorator_list)])
    return LibraryLines(
        name=name,
        file=path.relative_to(PACKAGE.parent).as_posix(),
        line=first,
        source="\n".join(text.splitlines()[first - 1 : found.end_lineno]) + "\n",
    )
