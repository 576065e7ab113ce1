"""The questions that a wrong answer of a problem shows to be not known."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from torchstone.bank.loader import CONTENT
from torchstone.bank.schema import Name, ProblemId, QuestionId
from torchstone.bank.table import read_table


class _Mistaken(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The content of ``mistaken.toml``: problem -> misconception -> questions."""

    questions: dict[ProblemId, dict[Name, Annotated[tuple[QuestionId, ...], Meta(min_length=1)]]]


@cache
def load_mistaken(
    path: Path = CONTENT / "mistaken.toml",
) -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return the questions of each misconception of a problem, by the problem's id and its name.

    Raises:
        TorchstoneError: The file is missing or violates its schema.
    """
    return read_table(path, _Mistaken).questions
