"""Make wrong programs by rule from right ones, to measure how many of them the judge refuses.

Each mutant differs from its parent in one place: a term dropped, an operator exchanged, a number
off by one, a comparison shifted, a keyword forgotten, a condition turned round, a statement left
out, a result detached or cast to half precision. Some mutants are right programs (a detached
maximum is), so survivors are looked at by a person and explained in the problem's
``survivors.toml``.
"""

from __future__ import annotations

import ast
import copy
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_PASSED_OVER = ("annotation", "returns", "decorator_list", "type_params")
_EXCHANGED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}
_SHIFTED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """Hold one mutant: which rule made it, where, and its source."""

    rule: str
    line: int
    source: str

    @property
    def key(self) -> str:
        """Name the mutant by its rule and its text, so that an explanation survives moved lines."""
        return hashlib.sha256(f"{self.rule}\0{self.source}".encode()).hexdigest()[:10]


def make_mutants(source: str, *, at_most: int) -> list[Mutant]:
    """Make the mutants of a program, spread evenly over it when there are more than wanted."""
    tree = ast.parse(source)
    found: dict[str, Mutant] = {}
    original = ast.unparse(tree)
    for rule, path, change in _changes(tree):
        mutated = copy.deepcopy(tree)
        change(_follow(mutated, path))
        text = ast.unparse(ast.fix_missing_locations(mutated))
        node = _follow(tree, path)
        if text not in found and text != original:
            found[text] = Mutant(rule=rule, line=getattr(node, "lineno", 0), source=text)
    mutants = list(found.values())
    if len(mutants) <= at_most:
        return mutants
    step = len(mutants) / at_most
    return [mutants[int(position * step)] for position in range(at_most)]


Path = tuple[tuple[str, int | None], ...]
Change = Callable[[ast.AST], None]


def _changes(tree: ast.AST) -> Iterator[tuple[str, Path, Change]]:
    for path, node in _walk(tree, ()):
        for rule, change in _rules(node):
            yield rule, path, change


def _walk(node: ast.AST, path: Path) -> Iterator[tuple[Path, ast.AST]]:
    yield path, node
    for name, value in ast.iter_fields(node):
        if name in _PASSED_OVER or isinstance(node, ast.Raise):
            continue  # annotations do nothing, and the words of an error are not judged
        if isinstance(value, ast.AST):
            yield from _walk(value, (*path, (name, None)))
        elif isinstance(value, list):
            for position, item in enumerate(value):
                if isinstance(item, ast.AST):
                    yield from _walk(item, (*path, (name, position)))


def _follow(tree: ast.AST, path: Path) -> ast.AST:
    node = tree
    for name, position in path:
        value = getattr(node, name)
        node = value if position is None else value[position]
    return node


def _rules(node: ast.AST) -> Iterator[tuple[str, Change]]:
    if isinstance(node, ast.expr):
        yield from _rules_of_expressions(node)
    elif isinstance(node, ast.If):
        yield "turn condition", _negate
    elif isinstance(node, ast.Assign | ast.Return):
        if isinstance(node.value, ast.Call | ast.BinOp):
            yield "detach", _wrap("{}.detach()")
            yield "cast", _wrap("(lambda t: t.half().to(t.dtype))({})")
    elif isinstance(node, ast.AugAssign) or (
        isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)
    ):
        yield "leave out", _leave_out


def _rules_of_expressions(node: ast.expr) -> Iterator[tuple[str, Change]]:
    if isinstance(node, ast.BinOp):
        if type(node.op) in _EXCHANGED:
            yield "exchange operator", _set("op", _EXCHANGED[type(node.op)]())
        yield "drop right term", _become("left")
        yield "drop left term", _become("right")
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in _SHIFTED:
        yield "shift comparison", _set("ops", [_SHIFTED[type(node.ops[0])](), *node.ops[1:]])
    elif isinstance(node, ast.Constant):
        yield from _rules_of_constants(node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "drop sign", _become("operand")
    elif isinstance(node, ast.IfExp):
        yield "turn condition", _negate
    elif isinstance(node, ast.Call) and node.keywords:
        yield "forget keyword", _set("keywords", node.keywords[:-1])


def _rules_of_constants(node: ast.Constant) -> Iterator[tuple[str, Change]]:
    if type(node.value) is int:
        yield "one more", _set("value", node.value + 1)
        yield "one less", _set("value", node.value - 1)
    elif type(node.value) is bool:
        yield "turn flag", _set("value", not node.value)


def _set(name: str, value: object) -> Change:
    return lambda node: setattr(node, name, copy.deepcopy(value))


def _become(name: str) -> Change:
    def change(node: ast.AST) -> None:
        kept = getattr(node, name)
        node.__class__ = kept.__class__
        node.__dict__ = kept.__dict__

    return change


def _negate(node: ast.AST) -> None:
    assert isinstance(node, ast.If | ast.IfExp), "only conditions are negated"
    node.test = ast.UnaryOp(op=ast.Not(), operand=node.test)


def _wrap(template: str) -> Change:
    def change(node: ast.AST) -> None:
        assert isinstance(node, ast.Assign | ast.Return), "only results are wrapped"
        assert node.value is not None, "a bare return has no result"
        text = template.format(f"({ast.unparse(node.value)})")
        node.value = ast.parse(text, mode="eval").body

    return change


def _leave_out(node: ast.AST) -> None:
    node.__class__ = ast.Pass
    node.__dict__ = {}
