"""What the marker is told of a question: its points, its misconceptions and their patterns."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Wordings = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A key point, and the patterns that find it in either language.

    Args:
        weight: Its share of the coverage, relative to the other points.
        say: Patterns by language.
        words: Its sentence by language.
    """

    id: str
    weight: int
    say: Mapping[str, Wordings]
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """A misconception, its sentence, and the patterns that find it in either language."""

    id: str
    say: Mapping[str, Wordings]
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asked:
    """A question as the marker sees it; compared by identity, since its patterns are kept by it.

    Args:
        words: The question in each language.
        subjects: Name of a thing that is asked about -> pattern of its names.
    """

    id: str
    words: Mapping[str, str]
    points: tuple[Point, ...]
    mistakes: tuple[Mistake, ...] = ()
    subjects: Mapping[str, str]
