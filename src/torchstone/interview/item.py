"""``Item``: what an interview can ask, and ``Pool``: all items of one bank."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import pairwise

import msgspec

from torchstone.core.errors import NotFound
from torchstone.interview.ability import DAMPING, Response, Vector

# The model solution of a program answers more than one key point of prose.
CODE_POINTS = 8


class Kind(StrEnum):
    """What an item asks for, and thereby what scores it."""

    CONCEPT = "concept"
    PREDICT = "predict"
    CODE = "code"
    OPEN = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Something to ask.

    Args:
        section: The number of its section, 1 to 6.
        topic: What it is about; an interview asks no topic twice, except to go deeper.
        points: The points of the outline that it covers.
        loads: The share of each dimension.
        b: The difficulty on the scale of the ability.
        rung: The depth, 1 to 4.
        num_points: The number of key points, criteria, claims or groups of cases.
        source: What it is in the bank: the id of a question, problem or open item.
        family: The family of a code task; empty for other kinds.
        group: Which of the four kinds of program the family belongs to.
        practice: The problem that practises what a code task asks for.
    """

    id: str
    kind: Kind
    section: int
    topic: str
    points: tuple[str, ...]
    loads: Vector
    b: float
    minutes: float
    rung: int
    num_points: int
    source: str
    family: str = ""
    group: str = ""
    practice: str = ""

    def response(self, score: float, *, weight: float = 1.0) -> Response:
        """Return a score of this item as evidence on the ability."""
        return Response(
            loads=self.loads, b=self.b, n=DAMPING * self.num_points * weight, score=score
        )


@dataclass(frozen=True, kw_only=True)
class Pool:
    """All items, by id.

    Args:
        content: Hashes of what the items take from the bank, so that a plan names its bank.
    """

    items: tuple[Item, ...]
    content: str = ""

    def __iter__(self) -> Iterator[Item]:
        """Iterate over the items in the order of their ids."""
        return iter(self.items)

    def of_section(self, section: int) -> tuple[Item, ...]:
        """Return the items of a section."""
        return tuple(item for item in self.items if item.section == section)

    def get(self, name: str) -> Item:
        """Return an item.

        Raises:
            NotFound: There is no such item.
        """
        found = self.find(name)
        if found is None:
            raise NotFound("interview.item_unknown", came=name[:60], near=self._near(name))
        return found

    def find(self, name: str) -> Item | None:
        """Return an item; None if there is none."""
        return self._by_id.get(name)

    @cached_property
    def hash(self) -> str:
        """Return the hash of all items and of what they take from the bank."""
        text = msgspec.json.encode([self.content, self.items], order="deterministic")
        return hashlib.sha256(text).hexdigest()

    @cached_property
    def _by_id(self) -> Mapping[str, Item]:
        return {item.id: item for item in self.items}

    def _near(self, name: str) -> str:
        from difflib import get_close_matches

        return ", ".join(get_close_matches(name[:60], list(self._by_id), n=3, cutoff=0.3)) or "-"


def make_pool(items: Iterable[Item], content: str) -> Pool:
    """Return a pool in the order of the ids.

    Raises:
        ValueError: Two items have one id.
    """
    ordered = sorted(items, key=lambda item: item.id)
    for one, other in pairwise(ordered):
        if one.id == other.id:
            raise ValueError(f"make_pool: the id {one.id} belongs to two items")
    return Pool(items=tuple(ordered), content=content)
