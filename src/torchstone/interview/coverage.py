"""Coverage of the outline by items, and the points for which only open items exist."""

from __future__ import annotations

from dataclasses import dataclass

from torchstone.interview.item import Kind, Pool
from torchstone.interview.outline import Outline


@dataclass(frozen=True, slots=True, kw_only=True)
class PointCoverage:
    """Items of one point of the outline, by kind."""

    id: str
    words: dict[str, str]
    items: dict[str, int]
    stands_in: bool

    @property
    def num_items(self) -> int:
        """Return the number of items."""
        return sum(self.items.values())


def cover(pool: Pool, outline: Outline) -> tuple[PointCoverage, ...]:
    """Return the coverage of each point in order."""
    found: dict[str, dict[str, int]] = {}
    for item in pool:
        for name in item.points:
            kinds = found.setdefault(name, {})
            kinds[str(item.kind)] = kinds.get(str(item.kind), 0) + 1
    covered = []
    for point in outline.points:
        items = found.get(point.id, {})
        only_open = set(items) == {str(Kind.OPEN)}
        covered.append(
            PointCoverage(
                id=point.id,
                words=point.words,
                items=dict(sorted(items.items())),
                stands_in=only_open,
            )
        )
    return tuple(covered)
