"""The architecture of PyTorch as data: components in layers, and edges with their evidence."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from torchstone.bank.loader import CONTENT
from torchstone.bank.table import read_table

Id = Annotated[str, Meta(pattern=r"^[a-z0-9_]+\Z")]
Kind = Literal["calls", "owns", "registers", "data"]
KINDS: tuple[Kind, ...] = ("calls", "owns", "registers", "data")


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    pass


class Title(_Part, frozen=True, kw_only=True):
    """A sentence in both languages."""

    en: str
    zh: str


class Layer(_Part, frozen=True, kw_only=True):
    """A layer of the map; the first is on top."""

    id: Id
    title: Title


class Component(_Part, frozen=True, kw_only=True):
    """A part of PyTorch.

    Attributes:
        home: The file of the pinned release in which it lives.
        question: The topic of the questions about it.
        problem: The problem in which it is written by hand, if there is one.
    """

    id: Id
    layer: Id
    name: str
    home: str
    about: Title
    question: str
    problem: str | None = None


class Edge(_Part, frozen=True, kw_only=True, rename={"source": "from", "target": "to"}):
    """What one component has to do with another, and why that is known.

    Attributes:
        claim: A program that ends with an assert, run after the prelude.
        cited: A file of the pinned release, where no claim can run.
    """

    source: Id
    target: Id
    kind: Kind
    claim: str | None = None
    cited: str | None = None

    def __post_init__(self) -> None:
        """Check that there is one kind of evidence."""
        if (self.claim is None) == (self.cited is None):
            raise ValueError("an edge has a `claim` or a file that is `cited`")


class Architecture(_Part, frozen=True, kw_only=True):
    """The map; the claims run on this version of torch, each by itself after the prelude."""

    torch: str
    prelude: str
    layer: tuple[Layer, ...]
    component: tuple[Component, ...]
    edge: tuple[Edge, ...]

    def __post_init__(self) -> None:
        """Check that names are unique and known."""
        layers, known = {each.id for each in self.layer}, [each.id for each in self.component]
        if len({*known}) < len(known):
            raise ValueError("each component has an id of its own")
        odd = {each.layer for each in self.component} - layers
        odd |= {end for each in self.edge for end in (each.source, each.target)} - {*known}
        if odd:
            raise ValueError(f"there is no {sorted(odd)[0]!r}")


@cache
def load_architecture(root: Path = CONTENT) -> Architecture:
    """Load the map.

    Raises:
        TorchstoneError: The file is missing or broken.
    """
    return read_table(root / "explain" / "architecture.toml", Architecture)
