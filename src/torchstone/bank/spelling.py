"""Spelling correction of queries: the names that differ from a misspelt word by few characters."""

import heapq
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from torchstone.bank.tokens import normalise

# Three letters with an error resemble too many other words; so do two Chinese characters, but they
# are mostly whole words, and there are fewer of them.
_DISTANCES_OF_LETTERS = ((6, 2), (4, 1))
_DISTANCES_OF_HAN = ((6, 2), (2, 1))
_SURE_LENGTH_OF_HAN = 3
_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD_OF_NAME = re.compile(r"[A-Za-z]{4,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """A name that is near to a text.

    Args:
        is_sure: Whether its results can be shown in place of those of the text.
    """

    name: str
    is_sure: bool


class Speller:
    """The names that a misspelt text can mean."""

    def __init__(self, names: Iterable[str]) -> None:
        """Store names; the words of a name can be meant alone.

        Args:
            names: The names as written, in order of preference.
        """
        by_key: dict[str, str] = {}
        whole = tuple(names)
        words = (word for name in whole for word in _WORD_OF_NAME.findall(name))
        for name in (*whole, *words):
            key = _key(name)
            if key and not key.isdigit():
                by_key.setdefault(key, name)
        self._by_length: dict[int, list[tuple[str, str]]] = defaultdict(list)
        for key, name in by_key.items():
            self._by_length[len(key)].append((key, name))

    def nearest(self, text: str, *, limit: int = 3) -> tuple[Nearest, ...]:
        """Return the names near to a text, the nearest first; the text itself is none of them.

        A name has the script and the digits of the text, and nearly its first letter.
        """
        key = _key(text)
        farthest = _farthest(key)
        found = (
            (distance, name)
            for length in range(len(key) - farthest, len(key) + farthest + 1)
            for other, name in self._by_length.get(length, ())
            if _is_alike(key, other) and 0 < (distance := _distance(key, other)) <= farthest
        )
        # The order of the names decides between equal distances.
        best = heapq.nsmallest(limit, found, key=lambda pair: pair[0])
        is_sure = not _HAN.search(key) or len(key) >= _SURE_LENGTH_OF_HAN
        return tuple(Nearest(name=name, is_sure=is_sure) for _, name in best)


def _key(text: str) -> str:
    return "".join(char for char in normalise(text).lower() if char.isalnum())


def _farthest(key: str) -> int:
    table = _DISTANCES_OF_HAN if _HAN.search(key) else _DISTANCES_OF_LETTERS
    return next((distance for length, distance in table if len(key) >= length), 0)


def _is_alike(key: str, other: str) -> bool:
    # An error at the first letter is rare, except that it is missing or swapped with the second.
    return (
        (key[0] in other[:2] or other[0] in key[:2])
        and bool(_HAN.search(key)) == bool(_HAN.search(other))
        and _digits(key) == _digits(other)
    )


def _digits(key: str) -> str:
    return "".join(char for char in key if char.isdigit())


def _distance(first: str, second: str) -> int:
    """Count the insertions, deletions, substitutions and swaps of neighbours between two words.

    This is the optimal string alignment distance: no part is edited twice.
    """
    before: list[int] = []
    row = list(range(len(second) + 1))
    for i, char in enumerate(first, start=1):
        before, last, row = row, before, [i]
        for j, other in enumerate(second, start=1):
            cost = min(row[j - 1] + 1, before[j] + 1, before[j - 1] + (char != other))
            if i > 1 and j > 1 and char == second[j - 2] and other == first[i - 2]:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]
