"""Shrinking: propose smaller parameters for a failing case."""

from __future__ import annotations

from collections.abc import Iterator

from torchstone.judge.child.protocol.records import Params

KEPT = ("seed", "dim", "dtype", "group")


def shrink(params: Params) -> Iterator[Params]:
    """Yield parameters that are simpler in one entry, simplest first.

    Sizes in lists of integers (shapes) shrink, integers decrease towards 1, layouts become
    contiguous. Entries that are no size (``dim``, ``dtype``...) stay. The caller skips candidates
    that ``build`` refuses with ValueError or IndexError.
    """
    for key, value in params.items():
        if key in KEPT:
            continue
        if key == "layout" and value != "contiguous":
            yield params | {key: "contiguous"}
        elif isinstance(value, list) and value and all(type(item) is int for item in value):
            for smaller in _smaller_shapes(value):
                yield params | {key: smaller}
        elif type(value) is int and value > 1:
            for number in _smaller_numbers(value):
                yield params | {key: number}


def _smaller_shapes(shape: list[int]) -> Iterator[list[int]]:
    if any(size > 3 for size in shape):
        yield [min(size, 3) for size in shape]
    if any(size > 2 for size in shape):
        yield [min(size, 2) for size in shape]
    for position, size in enumerate(shape):
        for number in _smaller_numbers(size):
            yield [*shape[:position], number, *shape[position + 1 :]]


def _smaller_numbers(number: int) -> Iterator[int]:
    seen = {number}
    for candidate in (1, 2, 3, number // 2, number - 1):
        if 0 < candidate < number and candidate not in seen:
            seen.add(candidate)
            yield candidate
