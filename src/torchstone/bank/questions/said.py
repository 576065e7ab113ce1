"""How people say it who look for a question: symptoms, everyday words, error messages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from torchstone.bank.loader import CONTENT
from torchstone.bank.schema import Name, QuestionId
from torchstone.bank.table import read_table
from torchstone.core.i18n import Lang

_Phrases = Annotated[tuple[Name, ...], Meta(min_length=1)]


class Said(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The words of one question in both languages; neither translates the other."""

    en: _Phrases
    zh: _Phrases

    def said_in(self, lang: Lang) -> tuple[str, ...]:
        """Return the words of a language."""
        return self.zh if lang == "zh" else self.en


class _SaidFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The content of ``said.toml``."""

    said: dict[QuestionId, Said]


@cache
def load_said(path: Path = CONTENT / "questions/said.toml") -> Mapping[str, Said]:
    """Return what people say who look for a question, by its id.

    Raises:
        TorchstoneError: The file is missing or violates its schema.
    """
    return read_table(path, _SaidFile).said
