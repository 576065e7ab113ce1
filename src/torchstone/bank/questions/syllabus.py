"""How many questions each topic has, written or not."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from torchstone.bank.loader import CONTENT
from torchstone.bank.questions.schema import TopicId
from torchstone.bank.table import read_table


class _Syllabus(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The content of ``syllabus.toml``."""

    questions: dict[TopicId, Annotated[int, Meta(ge=1)]]


@cache
def load_syllabus(path: Path = CONTENT / "questions/syllabus.toml") -> Mapping[str, int]:
    """Return the number of questions of each topic.

    Raises:
        TorchstoneError: The file is missing or violates its schema.
    """
    return read_table(path, _Syllabus).questions
