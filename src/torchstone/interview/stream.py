"""``Stream``: a random number generator with the same output on every version of Python."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
_BITS = 53


class Stream:
    """A SHA-256 counter stream.

    Python's ``random`` does not guarantee equal sequences across versions; a plan must be
    reproducible byte for byte years later.

    Args:
        key: Seed of the stream, such as an interview's seed and a step number.

    >>> Stream(7, "plan").integer(100) == Stream(7, "plan").integer(100)
    True
    """

    def __init__(self, *key: object) -> None:
        self._key = "/".join(str(part) for part in key).encode()
        self._count = 0

    def uniform(self) -> float:
        """Return a uniform number in [0, 1)."""
        digest = hashlib.sha256(self._key + b"/" + str(self._count).encode()).digest()
        self._count += 1
        return (int.from_bytes(digest[:8], "big") >> (64 - _BITS)) / (1 << _BITS)

    def integer(self, bound: int) -> int:
        """Return a uniform integer in [0, ``bound``)."""
        return int(self.uniform() * bound)

    def pick(self, among: Sequence[T]) -> T:
        """Return a random element."""
        return among[self.integer(len(among))]

    def normal(self) -> float:
        """Return a sample of the standard normal distribution (Box and Muller)."""
        radius = math.sqrt(-2 * math.log(1 - self.uniform()))
        return radius * math.cos(2 * math.pi * self.uniform())

    def shuffled(self, among: Sequence[T]) -> list[T]:
        """Return the elements in random order (Fisher and Yates)."""
        drawn = list(among)
        for last in range(len(drawn) - 1, 0, -1):
            other = self.integer(last + 1)
            drawn[last], drawn[other] = drawn[other], drawn[last]
        return drawn
