"""``OpenItem``: a question about experience or design, with five criteria and level anchors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from torchstone.bank.loader import CONTENT
from torchstone.bank.questions import Say
from torchstone.bank.schema import Words
from torchstone.bank.table import read_table
from torchstone.interview.ability import Vector
from torchstone.interview.outline import FOLDER, PointId

NUM_CRITERIA = 5
NUM_ANCHORS = 4
Label = Annotated[str, Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*\Z", max_length=60)]


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A TOML table: immutable, without unknown keys."""


class Criterion(_Table, frozen=True, kw_only=True):
    """Criterion of a good answer, with the patterns by which the marker finds it."""

    id: Label
    en: str
    zh: str
    say: Say
    weight: Annotated[int, Meta(ge=1, le=3)] = 1

    def __post_init__(self) -> None:
        """Check both languages as ``Words`` does."""
        Words(en=self.en, zh=self.zh)


class OpenItem(_Table, frozen=True, kw_only=True):
    """Content of ``open/<id>.toml``.

    Attributes:
        points: Covered points of the outline.
        anchors: Description of an answer of level 0, 1, 2 and 3.
        probes: Follow-up questions if the answer stays general.
        loads: Weights of the dimensions, if they differ from the section's.
    """

    id: Label
    points: Annotated[tuple[PointId, ...], Meta(min_length=1)]
    level: Annotated[int, Meta(ge=1, le=4)]
    minutes: Annotated[float, Meta(ge=2, le=10)]
    en: str
    zh: str
    criteria: tuple[Criterion, ...] = msgspec.field(name="criterion")
    anchors: tuple[Words, ...] = msgspec.field(name="anchor")
    probes: Annotated[tuple[Words, ...], Meta(min_length=1)] = msgspec.field(name="probe")
    loads: Vector | None = None

    def __post_init__(self) -> None:
        """Check both languages, and the numbers of criteria and anchors."""
        Words(en=self.en, zh=self.zh)
        ids = {criterion.id for criterion in self.criteria}
        if len(self.criteria) != NUM_CRITERIA or len(ids) != NUM_CRITERIA:
            raise ValueError(f"`{self.id}` needs {NUM_CRITERIA} criteria of different ids")
        if len(self.anchors) != NUM_ANCHORS:
            raise ValueError(f"`{self.id}` needs {NUM_ANCHORS} anchors; got {len(self.anchors)}")

    @property
    def section(self) -> int:
        """Return the section of its first point."""
        return int(self.points[0].partition(".")[0])

    @property
    def words(self) -> dict[str, str]:
        """Return the question in both languages."""
        return {"en": self.en, "zh": self.zh}


def load_open_items(root: Path = CONTENT) -> tuple[OpenItem, ...]:
    """Read the open items, sorted by name.

    Raises:
        TorchstoneError: A file cannot be read, or its name differs from its id.
    """
    folder = root / FOLDER / "open"
    found = []
    for path in sorted(folder.glob("*.toml")):
        item = read_table(path, OpenItem)
        if path.stem != item.id:
            raise ValueError(f"load_open_items: {path.name} has the id {item.id}")
        found.append(item)
    return tuple(found)
