"""Glossary: terms in English and Chinese, and their names in code."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from torchstone.bank.loader import CONTENT
from torchstone.bank.schema import Words
from torchstone.bank.table import read_table
from torchstone.bank.tokens import spelling_key
from torchstone.core.i18n import Lang

Form = Annotated[str, Meta(min_length=1, max_length=60)]
Identifier = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*\Z")]
_GAP = re.compile(r"[^a-z0-9]+")


class Term(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A term: its words in both languages, the preferred one first, and its names in code."""

    zh: Annotated[tuple[Form, ...], Meta(min_length=1)]
    en: Annotated[tuple[Form, ...], Meta(min_length=1)]
    identifiers: tuple[Identifier, ...] = ()

    def __post_init__(self) -> None:
        """Check the language of each word, and that no two forms have the same spelling key."""
        latin = [form for form in self.zh if not _has_han(form)]
        if latin:
            raise ValueError(f"`zh` must be Chinese; got {latin[0]!r}")
        han = [form for form in self.en if _has_han(form)]
        if han:
            raise ValueError(f"`en` must be English; got {han[0]!r}")
        for forms in (self.zh, self.en, self.identifiers):
            if len({form.casefold() for form in forms}) < len(forms):
                raise ValueError(f"each form must occur once; got {list(forms)}")

    @property
    def id(self) -> str:
        """Return the name of the term in a URL, made of its preferred English word."""
        return _GAP.sub("-", self.en[0].lower()).strip("-")

    @property
    def title(self) -> Words:
        """Return the preferred word in both languages."""
        return Words(en=self.en[0], zh=self.zh[0])

    @property
    def forms(self) -> tuple[str, ...]:
        """Return every word and name of the term."""
        return (*self.zh, *self.en, *self.identifiers)

    def said_in(self, lang: Lang) -> tuple[str, ...]:
        """Return the names of the term in a text of one language, and those in code."""
        return (*(self.zh if lang == "zh" else self.en), *self.identifiers)


class _GlossaryFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The content of ``glossary.toml``."""

    terms: Annotated[tuple[Term, ...], Meta(min_length=1)]

    def __post_init__(self) -> None:
        """Check that no two terms have the same id; other words may have several meanings."""
        ids = [term.id for term in self.terms]
        twice = sorted({name for name in ids if ids.count(name) > 1})
        if twice:
            raise ValueError(f"each preferred English word must occur once; got {twice} twice")


@dataclass(frozen=True, kw_only=True)
class Glossary:
    """The terms in order, and the meanings of each spelling."""

    terms: tuple[Term, ...]

    def __iter__(self) -> Iterator[Term]:
        """Iterate over the terms in the order of the file."""
        return iter(self.terms)

    def __len__(self) -> int:
        """Count the terms."""
        return len(self.terms)

    def meaning(self, key: str) -> tuple[Term, ...]:
        """Return the terms that a spelling can mean; see ``tokens.spelling_key``."""
        return self._meanings.get(key, ())

    @cached_property
    def longest_key(self) -> int:
        """Return the number of characters of the longest spelling."""
        return max(map(len, self._meanings), default=0)

    @cached_property
    def _meanings(self) -> Mapping[str, tuple[Term, ...]]:
        meanings: dict[str, dict[str, Term]] = {}
        for term in self.terms:
            for form in term.forms:
                meanings.setdefault(spelling_key(form), {})[term.id] = term
        return {key: tuple(terms.values()) for key, terms in meanings.items()}


def load_glossary(path: Path = CONTENT / "glossary.toml") -> Glossary:
    """Load the glossary of the package.

    Raises:
        TorchstoneError: The file is missing or violates its schema.
    """
    return Glossary(terms=read_table(path, _GlossaryFile).terms)


def _has_han(form: str) -> bool:
    return any(unicodedata.name(char, "").startswith("CJK UNIFIED") for char in form)
