"""Record which names of torch the right answers of the bank use, each with its problems.

A name is a chain of attributes that begins with ``torch`` or with what an answer imports from it.
Methods of tensors have no such name and are not recorded.

Usage: ``python -m tests.judge.native.torch_used [--write]``
"""

import argparse
import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from torchstone.bank.loader import CONTENT

RECORDED = Path(__file__).with_name("torch_used.txt")
ANSWERS = ("solution*.py", "good/*.py")


def used_names(source: str) -> set[str]:
    """Return the full names of torch that a program uses; an imported module is one of them.

    >>> sorted(used_names("from torch import nn as n\\nn.init.zeros_(n.Linear(1, 1).weight)"))
    ['torch.nn', 'torch.nn.Linear', 'torch.nn.init.zeros_']
    """
    tree = ast.parse(source)
    imported = dict(each for node in ast.walk(tree) for each in _imported(node))
    finder = _Finder({name: full for name, full in imported.items() if "." not in name})
    finder.visit(tree)
    return finder.found | set(imported.values())


def _imported(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield what an import statement binds: the local name and the full one."""
    if isinstance(node, ast.Import):
        for each in node.names:
            if _is_of_torch(each.name):
                # `import torch.nn` binds `torch`; the dotted name is no local one.
                yield each.asname or each.name, each.name
                if each.asname is None:
                    yield "torch", "torch"
    elif isinstance(node, ast.ImportFrom) and not node.level and _is_of_torch(node.module or ""):
        for each in node.names:
            yield each.asname or each.name, f"{node.module}.{each.name}"


def _is_of_torch(module: str) -> bool:
    return module.partition(".")[0] == "torch"


class _Finder(ast.NodeVisitor):
    def __init__(self, local: dict[str, str]) -> None:
        self._local = local
        self.found: set[str] = set()

    def visit_Attribute(self, node: ast.Attribute) -> None:
        parts: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and inner.id in self._local:
            self.found.add(".".join([self._local[inner.id], *reversed(parts)]))
        else:
            self.visit(inner)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in self._local:
            self.found.add(self._local[node.id])


def census() -> dict[str, list[str]]:
    """Return the problems, by each name that a right answer to them uses."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for pattern in ANSWERS:
        for path in (CONTENT / "problems").glob(f"*/{pattern}"):
            folder = path.relative_to(CONTENT / "problems").parts[0]
            for name in used_names(path.read_text(encoding="utf-8")):
                found[name].add(folder.partition("_")[0])
    return {name: sorted(problems) for name, problems in sorted(found.items())}


def as_text(names: dict[str, list[str]]) -> str:
    """Return the record: a line for each name, with its problems."""
    return "".join(f"{name} {' '.join(problems)}\n" for name, problems in names.items())


def main() -> int:
    """Print the record, or write it."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--write", action="store_true", help=f"write {RECORDED.name}")
    text = as_text(census())
    if parser.parse_args().write:
        RECORDED.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
