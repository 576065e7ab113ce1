"""Mutation testing: derive wrong programs from correct ones by rules.

Each mutant differs from its parent in one place: a term dropped, an operator or a connective
exchanged, operands, arguments or axes swapped, a number off by one, a comparison shifted, a keyword
omitted, a condition negated, a statement removed, a result detached or cast to half precision. Some
mutants are correct programs (a detached maximum is), so a person reviews the survivors and explains
them in the problem's ``survivors.toml``.

Mutants that would equal their parent, or be no valid program, are not generated:

- Inside ``raise``: messages of errors are not judged. Inside ``assert``, and ``strict`` of ``zip``:
assertions of a correct program hold. Annotations and decorators.
- A result is not detached if it never had a graph: in the forward of a Function, a mask, an
integer. It is not cast if there is nothing to round: no tensor of float32 or wider, uninitialized
memory, zeros and ones, a tensor without elements under a condition on its size. These facts are
recorded while the parent runs (``Sight``); a statement that never ran is changed in every way, so
that it shows up as a survivor.
- The index 0 does not become -1, which is the same for a single element. Nor does the dimension 0
of a flat tensor, which has no other.
- A keyword that is True or False is negated, and not omitted: that would equal one of the two. If
``==`` or ``is`` is a whole condition, negating the condition covers it.
- Operands or arguments whose order does not matter: ``abs(a - b)``, ``max(a, b)``.
"""

from __future__ import annotations

import ast
import copy
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from torchstone.core.syntax import parse

# Function that receives the number and the value of a result, and returns the value.
WATCHER = "__torchstone_watch__"
_PASSED_OVER = ("annotation", "returns", "decorator_list", "type_params")
_EXCHANGED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_ORDERED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)
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
_FRESH = {
    f"{prefix}{name}{suffix}"
    for name in ("empty", "zeros", "ones")
    for prefix, suffix in (("", ""), ("", "_like"), ("new_", ""))
} | {"empty_strided", "new_empty_strided"}
_REORDERING = {"t", "transpose", "swapaxes", "swapdims", "permute", "movedim", "moveaxis"}
# Calls that return the same with their first two arguments swapped, or fail.
_NOT_SWAPPED = {
    *("max", "min", "maximum", "minimum", "add", "mul", "equal", "broadcast_shapes"),
    *("transpose", "swapaxes", "swapdims", "isinstance", "issubclass"),
}
_EVEN = {"abs", "square"}
_FLAT = (".flatten()", ".ravel()", ".reshape(-1)", ".view(-1)")
_SIZES = {"numel", "shape", "size"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One mutant: the rule that made it, its line, and its source."""

    rule: str
    line: int
    source: str

    @property
    def key(self) -> str:
        """Return a hash of rule and text, so that explanations stay valid when lines move."""
        return hashlib.sha256(f"{self.rule}\0{self.source}".encode()).hexdigest()[:10]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """Facts about the values of one statement in the parent, over all cases of a plan.

    Attributes:
        has_graph: Whether one was a tensor with a graph, or a leaf, which detaching replaces.
        is_wide: Whether one was a tensor of float32 or wider, which half precision could round.
        has_elements: Whether one was a non-empty tensor.
    """

    has_graph: bool = False
    is_wide: bool = False
    has_elements: bool = False

    def __or__(self, other: Sight) -> Sight:
        """Return the union of two observations."""
        return Sight(
            has_graph=self.has_graph or other.has_graph,
            is_wide=self.is_wide or other.is_wide,
            has_elements=self.has_elements or other.has_elements,
        )


_UNSEEN = Sight(has_graph=True, is_wide=True, has_elements=True)


def make_mutants(source: str, *, sights: Mapping[int, Sight] | None = None) -> list[Mutant]:
    """Return the mutants of a program, in an order whose prefixes are representative samples.

    One mutant of each rule comes first, then a second of each, and so on; within a rule they are
    ordered by key, a hash. A smaller number of mutants is always a subset of a larger one, so that
    explanations of survivors stay valid.

    Args:
        source: The correct program.
        sights: Facts about its statements, by the numbers of ``watch``; missing ones never ran.
            None generates all mutants.
    """
    tree = parse(source)
    found: dict[str, Mutant] = {}
    original = ast.unparse(tree)
    for rule, path, change in _changes(tree, sights):
        mutated = _copy_statement(tree, path)
        change(_follow(mutated, path))
        text = ast.unparse(mutated)
        node = _follow(tree, path)
        if text not in found and text != original:
            found[text] = Mutant(rule=rule, line=getattr(node, "lineno", 0), source=text)
    rank: Counter[str] = Counter()
    ordered = []
    for mutant in sorted(found.values(), key=lambda each: each.key):
        ordered.append((rank[mutant.rule], mutant.key, mutant))
        rank[mutant.rule] += 1
    return [mutant for _, _, mutant in sorted(ordered, key=lambda each: each[:2])]


def watch(source: str) -> str:
    """Return the program with every result passed through ``WATCHER(number, value)``."""
    tree = parse(source)
    for number, path in enumerate(_results(tree)):
        _wrap(f"{WATCHER}({number}, {{}})")(_follow(tree, path))
    return ast.unparse(ast.fix_missing_locations(tree))


def no_tensors(source: str) -> dict[int, Sight]:
    """Return the sights of a program without tensors that could be detached or rounded."""
    return {number: Sight() for number, _ in enumerate(_results(parse(source)))}


Path = tuple[tuple[str, int | None], ...]
Change = Callable[[ast.AST], None]


def _copy_statement(tree: ast.Module, path: Path) -> ast.Module:
    """Return the module with a copy of the path's first statement; other statements are shared."""
    _, at = path[0]
    assert at is not None, "a path in a module begins with one of its statements"
    body = [*tree.body[:at], copy.deepcopy(tree.body[at]), *tree.body[at + 1 :]]
    return ast.Module(body=body, type_ignores=[])


def _changes(
    tree: ast.Module, sights: Mapping[int, Sight] | None
) -> Iterator[tuple[str, Path, Change]]:
    for path, node in _walk(tree, ()):
        for rule, change in _rules(node):
            if rule not in _SAYS_NOTHING or not _SAYS_NOTHING[rule](tree, path):
                yield rule, path, change
    for number, path in enumerate(_results(tree)):
        # A statement that never ran may be mutated in every way.
        sight = _UNSEEN if sights is None else sights.get(number, _UNSEEN)
        node = _follow(tree, path)
        assert isinstance(node, ast.Assign | ast.Return), "only results are detached and cast"
        if sight.has_graph:
            yield "detach", path, _wrap("{}.detach()")
        is_empty = not sight.has_elements and _asks_for_size(_follow(tree, path[:-1]))
        if sight.is_wide and not is_empty and not _is_fresh(node.value):
            yield "cast", path, _wrap("(lambda t: t.half().to(t.dtype))({})")


def _is_first(tree: ast.AST, path: Path) -> bool:
    """Return whether the node is the 0 of ``x[0]``, ``x[:, 0]`` or ``x.flatten().method(0)``."""
    node, parent = _follow(tree, path), _follow(tree, path[:-1])
    steps = [name for name, _ in path[-2:]]
    is_index = steps[-1:] == ["slice"] or steps == ["slice", "elts"]
    called = parent.func if isinstance(parent, ast.Call) else None
    is_flat = isinstance(called, ast.Attribute) and ast.unparse(called.value).endswith(_FLAT)
    return isinstance(node, ast.Constant) and node.value == 0 and (is_index or is_flat)


def _is_condition(tree: ast.AST, path: Path) -> bool:
    """Return whether the node is a whole condition whose mutation would be its negation."""
    node, opposed = _follow(tree, path), ast.Eq | ast.NotEq | ast.Is | ast.IsNot
    is_negated = isinstance(node, ast.Compare) and isinstance(node.ops[0], opposed)
    return is_negated and path[-1] == ("test", None)


def _is_even(tree: ast.AST, path: Path) -> bool:
    """Return whether the node is the difference in ``(a - b).abs()`` or ``abs(a - b)``."""
    node, parent = _follow(tree, path), _follow(tree, path[:-1])
    called = parent.func if isinstance(parent, ast.Call) else parent
    name = getattr(called, "attr", getattr(called, "id", ""))
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and name in _EVEN


_SAYS_NOTHING = {
    "one less": _is_first,
    "shift comparison": _is_condition,
    "swap operands": _is_even,
}


def _is_fresh(value: ast.expr | None) -> bool:
    """Return whether a call creates uninitialized memory, zeros or ones, which half represents."""
    called = value.func if isinstance(value, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr in _FRESH


def _asks_for_size(node: ast.AST) -> bool:
    """Return whether the node is an ``if`` whose condition reads a size."""
    return isinstance(node, ast.If) and any(
        isinstance(each, ast.Attribute) and each.attr in _SIZES for each in ast.walk(node.test)
    )


def _walk(node: ast.AST, path: Path) -> Iterator[tuple[Path, ast.AST]]:
    yield path, node
    if isinstance(node, ast.Raise | ast.Assert):
        return  # error messages are not judged, and a correct program's assertions hold
    for name, value in ast.iter_fields(node):
        if name in _PASSED_OVER or (name == "keywords" and _is_zip(node)):
            continue
        if isinstance(value, ast.AST):
            yield from _walk(value, (*path, (name, None)))
        elif isinstance(value, list):
            for position, item in enumerate(value):
                if isinstance(item, ast.AST):
                    yield from _walk(item, (*path, (name, position)))


def _is_zip(node: ast.AST) -> bool:
    """Return whether the node calls zip, whose only keyword, strict, is an assertion."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip"


def _results(tree: ast.AST) -> list[Path]:
    """Return the paths of the statements whose result can be detached or cast."""
    return [
        path
        for path, node in _walk(tree, ())
        if isinstance(node, ast.Assign | ast.Return)
        and isinstance(node.value, ast.Call | ast.BinOp)
    ]


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
    elif isinstance(node, ast.AugAssign) or (
        isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant)
    ):
        yield "leave out", _leave_out


def _rules_of_expressions(node: ast.expr) -> Iterator[tuple[str, Change]]:
    if isinstance(node, ast.BinOp):
        yield from _rules_of_operators(node)
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "exchange connective", _set("op", other)
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in _SHIFTED:
        yield "shift comparison", _set("ops", [_SHIFTED[type(node.ops[0])](), *node.ops[1:]])
    elif isinstance(node, ast.Constant):
        yield from _rules_of_constants(node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "drop sign", _become("operand")
    elif isinstance(node, ast.IfExp):
        yield "turn condition", _negate
    elif isinstance(node, ast.Attribute) and node.attr in ("T", "mT"):
        yield "swap axes", _become("value")
    elif isinstance(node, ast.Call):
        yield from _rules_of_calls(node)


def _rules_of_operators(node: ast.BinOp) -> Iterator[tuple[str, Change]]:
    if type(node.op) in _EXCHANGED:
        yield "exchange operator", _set("op", _EXCHANGED[type(node.op)]())
    if isinstance(node.op, _ORDERED):
        yield "swap operands", _swap_operands
    yield "drop right term", _become("left")
    yield "drop left term", _become("right")


def _rules_of_calls(node: ast.Call) -> Iterator[tuple[str, Change]]:
    if node.keywords and not _is_zip(node) and not _is_flag(node.keywords[-1].value):
        yield "forget keyword", _set("keywords", node.keywords[:-1])
    if isinstance(node.func, ast.Attribute) and node.func.attr in _REORDERING:
        yield "swap axes", _become_receiver
    if _can_swap_arguments(node):
        yield "swap arguments", _set("args", [node.args[1], node.args[0], *node.args[2:]])


def _is_flag(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is bool


def _can_swap_arguments(node: ast.Call) -> bool:
    first_two = node.args[:2]
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    return (
        len({ast.dump(each) for each in first_two}) == 2
        and not any(isinstance(each, ast.Starred) for each in first_two)
        and name not in _NOT_SWAPPED
    )


def _rules_of_constants(node: ast.Constant) -> Iterator[tuple[str, Change]]:
    if type(node.value) is int:
        yield "one more", _set("value", node.value + 1)
        yield "one less", _set("value", node.value - 1)
    elif _is_flag(node):
        yield "turn flag", _set("value", not node.value)


def _set(name: str, value: object) -> Change:
    return lambda node: setattr(node, name, copy.deepcopy(value))


def _become(name: str) -> Change:
    def change(node: ast.AST) -> None:
        kept = getattr(node, name)
        node.__class__ = kept.__class__
        node.__dict__ = kept.__dict__

    return change


def _become_receiver(node: ast.AST) -> None:
    assert isinstance(node, ast.Call), "only calls have a receiver"
    _become("func")(node)
    _become("value")(node)


def _swap_operands(node: ast.AST) -> None:
    assert isinstance(node, ast.BinOp), "only binary operators have operands"
    node.left, node.right = node.right, node.left


def _negate(node: ast.AST) -> None:
    assert isinstance(node, ast.If | ast.IfExp), "only conditions are negated"
    node.test = ast.UnaryOp(op=ast.Not(), operand=node.test)


def _wrap(template: str) -> Change:
    def change(node: ast.AST) -> None:
        assert isinstance(node, ast.Assign | ast.Return), "only results are wrapped"
        assert node.value is not None, "a bare return has no result"
        text = template.format(f"({ast.unparse(node.value)})")
        node.value = parse(text, mode="eval").body

    return change


def _leave_out(node: ast.AST) -> None:
    node.__class__ = ast.Pass
    node.__dict__ = {}
