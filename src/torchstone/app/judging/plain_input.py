"""Inputs that may be evaluated beside the reference, because they cannot read its source.

The expected value of an own input is the value that the model solution returns for it. The
statements run in the same sandbox as that solution, so only names and methods that return values
are allowed: no import, no attribute of a function, no introspection. Neither printed output nor the
location of an exception is shown.
"""

import ast
from collections.abc import Collection

from torchstone.bank import Problem
from torchstone.bank.schema import Kind, Language, Starter
from torchstone.core.syntax import parse

_NODES = (
    *(ast.Module, ast.Expr, ast.Assign, ast.Call, ast.Name, ast.Load, ast.Store, ast.Attribute),
    *(ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.keyword, ast.Starred, ast.Subscript),
    *(ast.Slice, ast.UnaryOp, ast.BinOp, ast.Compare, ast.unaryop, ast.operator, ast.cmpop),
)
_BUILTINS = frozenset(
    {"range", "len", "float", "int", "bool", "list", "tuple", "abs", "min", "max", "sum", "slice"}
)
_OF_TORCH = frozenset(
    {
        *("tensor", "arange", "zeros", "ones", "full", "linspace", "eye", "stack", "cat", "where"),
        *("zeros_like", "ones_like", "full_like", "manual_seed", "rand", "randn", "randint"),
        *("randperm", "rand_like", "randn_like", "float16", "bfloat16", "float32", "float64"),
        *("half", "float", "double", "int8", "uint8", "int16", "int32", "int64", "int", "long"),
        *("bool", "complex64", "complex128", "inf", "nan", "pi", "triu", "tril", "outer"),
    }
)
_OF_VALUES = frozenset(
    {
        *("to", "half", "float", "double", "bfloat16", "long", "int", "bool", "view", "reshape"),
        *("expand", "permute", "transpose", "T", "mT", "t", "unsqueeze", "squeeze", "flatten"),
        *("contiguous", "clone", "detach", "requires_grad_", "repeat", "flip", "abs", "exp", "log"),
        *("sum", "mean", "max", "min", "sqrt", "masked_fill", "triu", "tril", "shape", "dtype"),
        *("backward", "grad", "apply", "item", "tolist", "eval", "train", "chunk", "split"),
        *("div", "mul", "add", "sub", "matmul", "normal_", "uniform_", "fill_", "zero_", "size"),
    }
)
_RANDOM = frozenset(
    {"rand", "randn", "randint", "randperm", "rand_like", "randn_like", "normal_", "uniform_"}
)
# Modules whose constructors draw random weights.
_WITH_STATE = (Kind.MODULE, Kind.CLASS)


def refuse_reference(problem: Problem, text: str) -> str | None:
    """Return why an input cannot be evaluated beside the reference; None if it can.

    Returns:
        The key of a sentence in ``app.expected``: ``command``, ``language``, ``names``, ``random``.
    """
    if problem.spec.entry.started_by is Starter.TORCHRUN:
        return "command"
    if problem.spec.language is not Language.PYTHON:
        return "language"
    try:
        tree = parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "names"
    fixed = {"torch", *problem.spec.entry.names}
    known = {*_BUILTINS, *fixed}
    # The statements are checked in order, and a name is known only after its assignment: with `eval
    # = eval` it would be the builtin.
    for statement in tree.body:
        nodes = [*ast.walk(statement)]
        stored = {node.id for node in nodes if isinstance(node, ast.Name) and _is_stored(node)}
        if not all(_is_plain(each, known) for each in nodes):
            return "names"
        if stored & fixed or any(name.startswith("_") for name in stored):
            return "names"
        known |= stored
    used = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    draws = used & _RANDOM or problem.spec.entry.kind in _WITH_STATE
    return "random" if draws and not _is_seeded(tree) else None


def _is_seeded(tree: ast.Module) -> bool:
    """Return whether the first statement is a call of ``torch.manual_seed``."""
    first = tree.body[0] if tree.body else None
    return (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Call)
        and isinstance(first.value.func, ast.Attribute)
        and first.value.func.attr == "manual_seed"
    )


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _is_plain(node: ast.AST, allowed: Collection[str]) -> bool:
    if isinstance(node, ast.Name):
        return _is_stored(node) or node.id in allowed
    if isinstance(node, ast.Attribute):
        is_torch = isinstance(node.value, ast.Name) and node.value.id == "torch"
        return isinstance(node.ctx, ast.Load) and node.attr in (
            _OF_TORCH if is_torch else _OF_VALUES
        )
    if isinstance(node, ast.Constant):
        # A name is never needed as a string, and a string may be a format that reads attributes.
        return not isinstance(node.value, str) or node.value.isalnum()
    return isinstance(node, _NODES)
