"""Claiming asserts of a cell, wrapped in place, so that a false one does not end the run.

Only the standard library is imported, because the sandbox in which learners run cells has nothing
else.
"""

import ast
from collections.abc import Mapping

HELD, FAILED = "__claim_held__", "__claim_failed__"


class BadClaim(Exception):
    """Raised when the mark of a claim is not on the last line of an assert."""


def wrap_claims(source: str, claims: Mapping[int, str], first_line: int = 1) -> ast.Module:
    """Parse a cell with its file's line numbers and wrap its claiming asserts.

    Args:
        source: The text of the cell.
        claims: The claims by line number in the cell, from 1.
        first_line: The line number of the cell's first line in its file.

    Raises:
        SyntaxError: The cell is not valid Python.
        ValueError: It contains a null byte.
        BadClaim: The mark of a claim is not on the last line of an assert.
    """
    tree = ast.parse(source)
    wrapper = _Wrapper(claims)
    wrapper.visit(tree)
    if lost := sorted(set(claims.values()) - wrapper.found):
        raise BadClaim(f"no assert ends where `claim: {lost[0]}` stands")
    ast.fix_missing_locations(tree)
    ast.increment_lineno(tree, first_line - 1)
    return tree


class _Wrapper(ast.NodeTransformer):
    def __init__(self, claims: Mapping[int, str]) -> None:
        self._claims = claims
        self.found: set[str] = set()

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        claims = [self._claims[line] for line in lines if line in self._claims]
        if not claims:
            return node
        self.found.update(claims)
        wrapped = ast.Try(
            body=[node],
            handlers=[
                ast.ExceptHandler(
                    type=ast.Name("AssertionError", ast.Load()),
                    name=None,
                    body=[_note(FAILED, claim) for claim in claims],
                )
            ],
            orelse=[_note(HELD, claim) for claim in claims],
            finalbody=[],
        )
        return ast.copy_location(wrapped, node)


def _note(function: str, claim: str) -> ast.stmt:
    call = ast.Call(ast.Name(function, ast.Load()), [ast.Constant(claim)], [])
    return ast.Expr(call)
