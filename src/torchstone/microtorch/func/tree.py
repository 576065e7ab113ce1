"""Pytrees: flatten, unflatten and map over nested tuples, lists and dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

LEAF = "*"


def flatten(tree: Any) -> tuple[list[Any], Any]:
    """Return the leaves of a tree and a description of its structure.

    Returns:
        The leaves, and a description that is equal for trees of equal structure.
    """
    if not isinstance(tree, dict | tuple | list):
        return [tree], LEAF
    keys: tuple[Any, ...] = tuple(tree) if isinstance(tree, dict) else ()
    children: Iterable[Any] = tree.values() if isinstance(tree, dict) else tree
    leaves: list[Any] = []
    parts = []
    for child in children:
        below, part = flatten(child)
        leaves += below
        parts.append(part)
    return leaves, (type(tree), keys, tuple(parts))


def leaves_of(tree: Any) -> list[Any]:
    """Return the leaves of a tree."""
    return flatten(tree)[0]


def unflatten(leaves: Iterable[Any], spec: Any) -> Any:
    """Rebuild a tree from its leaves and its description."""
    following = iter(leaves)
    if spec == LEAF:
        return next(following)
    kind, keys, parts = spec
    children = [unflatten(following, part) for part in parts]
    if issubclass(kind, dict):
        return kind(zip(keys, children, strict=True))
    return kind(*children) if hasattr(kind, "_fields") else kind(children)


def mapped(function: Callable[[Any], Any], tree: Any) -> Any:
    """Apply a function to every leaf."""
    leaves, spec = flatten(tree)
    return unflatten([function(each) for each in leaves], spec)


def spread(prefix: Any, spec: Any) -> list[Any] | None:
    """Broadcast a prefix of a tree to the leaves of the whole tree.

    Returns:
        One value for each leaf; None if ``prefix`` is not a prefix of the tree.
    """
    own = flatten(prefix)[1]
    if own == LEAF:
        return [prefix] * _count(spec)
    if spec == LEAF or own[0] is not spec[0] or own[1] != spec[1] or len(own[2]) != len(spec[2]):
        return None
    found: list[Any] = []
    children = prefix.values() if isinstance(prefix, dict) else prefix
    for child, part in zip(children, spec[2], strict=True):
        below = spread(child, part)
        if below is None:
            return None
        found += below
    return found


def _count(spec: Any) -> int:
    return 1 if spec == LEAF else sum(_count(part) for part in spec[2])


def shown(spec: Any) -> str:
    """Format a description as text."""
    if spec == LEAF:
        return LEAF
    kind, keys, parts = spec
    texts = [shown(part) for part in parts]
    if keys:
        texts = [f"{key!r}: {text}" for key, text in zip(keys, texts, strict=True)]
    return f"{kind.__name__}[{', '.join(texts)}]"
