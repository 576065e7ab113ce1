"""``Stream``: random numbers that are the same on every version of Python."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
_BITS = 53


class Stream:
    """A SHA-256 counter stream.

    Python's ``random`` does not promise the same numbers across versions; a plan must be drawn
    again, byte for byte, years later.

    Args:
        key: What the stream belongs to, such as a seed and the number of a step.

    >>> Stream(7, "plan").integer(100) == Stream(7, "plan").integer(100)
    True
    """

    def __init__(self, *key: object) -> None:
        self._key = "/".join(str(part) for part in key).encode()
        self._count = 0

    def uniform(self) -> float:
        """Return a number from 0 up to, but not including, 1."""
        digest = hashlib.sha256(self._key + b"/" + str(self._count).encode()).digest()
        self._count += 1
        return (int.from_bytes(digest[:8], "big") >> (64 - _BITS)) / (1 << _BITS)

    def integer(self, bound: int) -> int:
        """Return a whole number from 0 up to, but not including, ``bound``."""
        return int(self.uniform() * bound)

    def pick(self, among: Sequence[T]) -> T:
        """Return one element."""
        return among[self.integer(len(among))]

    def normal(self) -> float:
        """Return a draw from the standard normal distribution (Box and Muller)."""
        radius = math.sqrt(-2 * math.log(1 - self.uniform()))
        return radius * math.cos(2 * math.pi * self.uniform())

    def shuffled(self, among: Sequence[T]) -> list[T]:
        """Return the elements in another order (Fisher and Yates)."""
        drawn = list(among)
        for last in range(len(drawn) - 1, 0, -1):
            other = self.integer(last + 1)
            drawn[last], drawn[other] = drawn[other], drawn[last]
        return drawn
