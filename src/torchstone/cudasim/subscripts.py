"""Name and subscripts of the element that a finding is about, from its offset and the source."""

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass

from torchstone.cudasim.findings import Finding

# Element type -> its size in bytes.
_BYTES = {
    "bool": 1, "char": 1, "half": 2, "__half": 2, "short": 2, "int": 4, "unsigned": 4, "float": 4,
    "double": 8, "int2": 8, "float2": 8, "int4": 16, "float4": 16,
}  # fmt: skip
_OPERATORS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}
# Programs may be hostile: every repetition is bounded, and each line is matched separately.
_CONSTANT = re.compile(
    r"(?:\bconst(?:expr)?[ \t]{1,20}(?:[A-Za-z_]\w{0,99}[ \t]{1,20}){0,4}?"
    r"(?P<name>[A-Za-z_]\w{0,99})[ \t]{0,20}="
    r"|#[ \t]{0,20}define[ \t]{1,20}(?P<macro>\w{1,100})[ \t])(?P<value>[^;,]{1,100})"
)
_SUBSCRIPTED = re.compile(r"\b([A-Za-z_]\w*)\s*\[")
_ASSIGNED = re.compile(r"(?<![=!<>])=(?!=)|\+\+|--")
_MOST_DIMS = 4
_MOST_OF_LINE = 300
_MOST_VALUE = 1 << 31
_MOST_LENGTH = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """Element of an array.

    Attributes:
        array: The name of the array in the source; empty if unknown.
        index: One index per dimension; empty if unknown.
        shape: The sizes of these dimensions; empty if the index is.
    """

    array: str
    index: tuple[int, ...] = ()
    shape: tuple[int, ...] = ()


def find_element(finding: Finding, source: str) -> Element:
    """Return the element at the finding's offset.

    The shape comes from the declaration in the source, and is used only if it matches the size of
    the allocation. Without such a declaration, the element size is that of the access, or of the
    pointers on the line.
    """
    total = finding.allocation_bytes
    if finding.variable.isidentifier():
        found = _declared(finding.variable, source)
        if found is not None and total and math.prod(found[0]) * found[1] == total:
            shape, each = found
            index = _unravel(finding.offset // each, shape)
            return Element(array=finding.variable, index=index, shape=shape)
    names = set() if finding.variable else _subscripted(finding, source)
    name = finding.variable or (min(names) if len(names) == 1 else "")
    size = finding.access_bytes or _pointed_bytes(names, source)
    if size and total and total % size == 0 and finding.offset % size == 0:
        return Element(array=name, index=(finding.offset // size,), shape=(total // size,))
    return Element(array=name)


def _pointed_bytes(names: Set[str], source: str) -> int:
    """Return the element size in bytes that the pointers share; 0 if there is none."""
    sizes = set()
    for name in names:
        match = re.search(rf"\b(\w+)\s*\*\s*(?:__restrict__\s+)?{re.escape(name)}\b", source)
        sizes.add(_BYTES.get(match[1], 0) if match else 0)
    return sizes.pop() if len(sizes) == 1 else 0


def _declared(name: str, source: str) -> tuple[tuple[int, ...], int] | None:
    """Return the shape of an array and its element size in bytes; None if unknown."""
    types = "|".join(map(re.escape, _BYTES))
    others = r"(?:[^;(){}]{0,200}?,\s{0,20})?"
    sizes = r"((?:\s{0,20}\[[^\]]{0,100}\]){1,4})\s{0,20}[;,]"
    pattern = rf"\b({types})\s{{1,20}}{others}{re.escape(name)}{sizes}"
    match = re.search(pattern, source)
    if match is None:
        return None
    type_name = match[1]
    texts = re.findall(r"\[([^\]]*)\]", match[2])[:_MOST_DIMS]
    values = _constants(source)
    shape = [_evaluate(text, values) for text in texts]
    if not all(size and size > 0 for size in shape):
        return None
    return tuple(size for size in shape if size), _BYTES[type_name]


def _constants(source: str) -> dict[str, int]:
    values: dict[str, int] = {}
    for line in source.split("\n"):
        code = line.partition("//")[0]
        for match in _CONSTANT.finditer(code) if len(code) <= _MOST_OF_LINE else ():
            value = _evaluate(match["value"], values)
            if value is not None:
                values[match["name"] or match["macro"]] = value
    return values


def _evaluate(text: str, values: Mapping[str, int]) -> int | None:
    """Return the value of an integer expression; None for any other text."""
    if len(text) > _MOST_LENGTH:
        return None
    try:
        return _value_of(ast.parse(text.strip().replace("/", "//"), mode="eval").body, values)
    except (SyntaxError, ValueError, KeyError, ZeroDivisionError, RecursionError, MemoryError):
        return None


def _value_of(node: ast.expr, values: Mapping[str, int]) -> int:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        value = _OPERATORS[type(node.op)](
            _value_of(node.left, values), _value_of(node.right, values)
        )
        if abs(value) < _MOST_VALUE:
            return value
    raise ValueError("not an integer expression")


def _unravel(offset: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the indices of an element; beyond the array, the first one is out of range."""
    index: list[int] = []
    for size in reversed(shape[1:]):
        offset, inner = divmod(offset, size)
        index.append(inner)
    return (offset, *reversed(index))


def _subscripted(finding: Finding, source: str) -> set[str]:
    """Return the subscripted pointers on the side of the assignment that contains the access."""
    at = finding.at
    lines = source.split("\n")
    if at is None or at.place is None or not 0 < at.place.line <= len(lines):
        return set()
    line = re.sub(r"//.*", "", lines[at.place.line - 1])
    left, *rest = _ASSIGNED.split(line, maxsplit=1)
    if at.is_write and rest:
        # The assigned array comes first; the others are in its subscripts.
        return set(_SUBSCRIPTED.findall(left)[:1])
    return set(_SUBSCRIPTED.findall(rest[0] if rest else line))
