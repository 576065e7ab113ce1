"""Case groups of a problem, read from ``cases.py`` without running it."""

import ast

from torchstone.bank.problem import Problem
from torchstone.core.errors import BadInput
from torchstone.core.syntax import parse


def declared_groups(problem: Problem) -> tuple[str, ...]:
    """Read ``GROUPS`` from ``cases.py``.

    Raises:
        BadInput: The file has no such tuple of literal texts.
    """
    tree = parse(problem.cases.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "GROUPS":
            try:
                groups = tuple(ast.literal_eval(node.value))
            except (ValueError, TypeError):
                break
            if all(isinstance(group, str) for group in groups):
                return groups
    raise BadInput("bank.no_groups", problem=problem.path.name)
