"""``Item``: a possible question of an interview, and ``Pool``: all items of one bank."""

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

# A program's solution covers more than one key point of prose.
CODE_POINTS = 8


class Kind(StrEnum):
    """Kind of an item, which determines how it is scored."""

    CONCEPT = "concept"
    PREDICT = "predict"
    CODE = "code"
    OPEN = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Question, problem or prediction that an interview can ask.

    Args:
        section: Number of its section, 1 to 6.
        topic: Topic; an interview asks each topic once, except to go deeper.
        points: Covered points of the outline.
        loads: Weight of each dimension.
        b: Difficulty on the ability scale.
        rung: Depth, 1 to 4.
        num_points: Number of key points, criteria, claims or groups of cases.
        source: Id in the bank, of a question, problem or open item.
        family: Family of a code task; empty for other kinds.
        group: Kind of program of the family, one of four.
        practice: Problem that practises the skill of a code task.
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
        """Return a score of this item as input of the estimate."""
        return Response(
            loads=self.loads, b=self.b, n=DAMPING * self.num_points * weight, score=score
        )


@dataclass(frozen=True, kw_only=True)
class Pool:
    """All items, by id.

    Args:
        content: Hashes of the items' sources in the bank, so that a plan identifies its bank.
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
        """Return the hash of all items and of their sources in the bank."""
        text = msgspec.json.encode([self.content, self.items], order="deterministic")
        return hashlib.sha256(text).hexdigest()

    @cached_property
    def _by_id(self) -> Mapping[str, Item]:
        return {item.id: item for item in self.items}

    def _near(self, name: str) -> str:
        from difflib import get_close_matches

        return ", ".join(get_close_matches(name[:60], list(self._by_id), n=3, cutoff=0.3)) or "-"


def make_pool(items: Iterable[Item], content: str) -> Pool:
    """Create a pool, sorted by id.

    Raises:
        ValueError: Two items have the same id.
    """
    ordered = sorted(items, key=lambda item: item.id)
    for one, other in pairwise(ordered):
        if one.id == other.id:
            raise ValueError(f"make_pool: the id {one.id} belongs to two items")
    return Pool(items=tuple(ordered), content=content)
