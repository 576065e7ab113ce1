"""Names of the chapters, sections, subsections and topics of the questions."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from torchstone.bank.loader import CONTENT
from torchstone.bank.schema import Words
from torchstone.bank.table import read_table

ConceptId = Annotated[str, Meta(pattern=r"^[1-9][0-9]*(\.[1-9][0-9]*){0,3}\Z")]


class _ConceptFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The content of ``concepts.toml``."""

    names: Annotated[dict[ConceptId, Words], Meta(min_length=1)]

    def __post_init__(self) -> None:
        """Check that every concept has its parent, and that the numbers have no gap."""
        for concept in self.names:
            above, _, number = concept.rpartition(".")
            before = f"{above}.{int(number) - 1}".lstrip(".")
            if above and above not in self.names:
                raise ValueError(f"`{concept}` needs `{above}`; there is none")
            if int(number) > 1 and before not in self.names:
                raise ValueError(f"`{concept}` needs `{before}`; there is none")


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """A chapter, section, subsection or topic, with its number, such as ``4.2.2``, and its name."""

    id: str
    name: Words

    @property
    def chapter(self) -> int:
        """Return the number of its chapter."""
        return int(self.id.partition(".")[0])


@dataclass(frozen=True, kw_only=True)
class Concepts:
    """All concepts in the order of their numbers; each concept precedes those below it."""

    concepts: tuple[Concept, ...]

    def __iter__(self) -> Iterator[Concept]:
        """Iterate over all concepts in order."""
        return iter(self.concepts)

    def __len__(self) -> int:
        """Count the concepts."""
        return len(self.concepts)

    @property
    def chapters(self) -> tuple[Concept, ...]:
        """Return the chapters in order."""
        return tuple(concept for concept in self if "." not in concept.id)

    def path(self, number: str) -> tuple[Concept, ...]:
        """Return the concepts from the chapter down to the given one.

        Args:
            number: The number of a concept, or of a question, which belongs to its topic. Unknown
                parts are left out, because another bank may use other numbers.
        """
        parts = number.split(".")
        places = (".".join(parts[:depth]) for depth in range(1, len(parts) + 1))
        return tuple(self._by_id[place] for place in places if place in self._by_id)

    def chapters_of(self, numbers: Iterable[str]) -> tuple[int, ...]:
        """List the chapter numbers of some concepts, each once, in order."""
        return tuple(sorted({path[0].chapter for path in map(self.path, numbers) if path}))

    @cached_property
    def _by_id(self) -> Mapping[str, Concept]:
        return {concept.id: concept for concept in self.concepts}


@cache
def load_concepts(path: Path = CONTENT / "concepts.toml") -> Concepts:
    """Load the names in the package, once.

    Raises:
        TorchstoneError: The file is missing or violates its schema.
    """
    names = read_table(path, _ConceptFile).names
    ordered = sorted(names, key=lambda number: [int(part) for part in number.split(".")])
    return Concepts(concepts=tuple(Concept(id=number, name=names[number]) for number in ordered))
