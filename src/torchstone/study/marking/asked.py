"""Input of the marker: a question's key points, misconceptions and patterns."""

from collections.abc import Mapping
from dataclasses import dataclass, field

Wordings = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """Key point, and the patterns that find it in either language.

    Args:
        weight: Weight in the coverage, relative to the other points.
        say: Patterns by language.
        words: Sentence by language.
    """

    id: str
    weight: int
    say: Mapping[str, Wordings]
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """Misconception, its sentence, and the patterns that find it in either language."""

    id: str
    say: Mapping[str, Wordings]
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asked:
    """Question in the marker's form; compared by identity, because its patterns are cached by it.

    Args:
        words: The question in each language.
        subjects: Name of a subject -> pattern of its names.
    """

    id: str
    words: Mapping[str, str]
    points: tuple[Point, ...]
    mistakes: tuple[Mistake, ...] = ()
    subjects: Mapping[str, str]
