"""Programs that the page of the x-ray offers."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from torchstone.bank.loader import CONTENT
from torchstone.bank.schema import Words
from torchstone.bank.table import read_table

SceneName = Literal["dispatch", "graph", "storage", "compile", "memory"]


class Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A program, and the scenes in which there is something to see."""

    id: Annotated[str, Meta(pattern=r"^[a-z]+\Z")]
    title: Words
    scenes: Annotated[tuple[SceneName, ...], Meta(min_length=1)]
    text: Annotated[str, Meta(min_length=1)]


class _ExampleFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    example: tuple[Example, ...]


@cache
def load_examples(root: Path = CONTENT) -> tuple[Example, ...]:
    """Load the programs.

    Raises:
        TorchstoneError: The file is missing or broken.
    """
    return read_table(root / "explain" / "examples.toml", _ExampleFile).example
