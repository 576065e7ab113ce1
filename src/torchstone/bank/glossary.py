"""Glossary: terms in English and Chinese, their names in code, and a sentence about each."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from torchstone.bank.handbook import ChapterId
from torchstone.bank.loader import CONTENT
from torchstone.bank.schema import ProblemId, Words
from torchstone.bank.table import read_table
from torchstone.bank.tokens import spelling_key
from torchstone.core.i18n import Lang

Form = Annotated[str, Meta(min_length=1, max_length=60)]
Abbreviation = Annotated[str, Meta(pattern=r"^[0-9]?[A-Za-z]+\Z", max_length=8)]
Identifier = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*\Z")]
_GAP = re.compile(r"[^a-z0-9]+")


class Term(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A term: its words in both languages, the preferred one first, and its names in code.

    Args:
        abbreviations: Short names that a query can use. Texts are not searched for them, because
            the same letters can mean something else there.
        problems: The problems that teach the term, best first.
        chapters: The chapters of the handbook that explain it.
    """

    zh: Annotated[tuple[Form, ...], Meta(min_length=1)]
    en: Annotated[tuple[Form, ...], Meta(min_length=1)]
    identifiers: tuple[Identifier, ...] = ()
    abbreviations: tuple[Abbreviation, ...] = ()
    problems: tuple[ProblemId, ...] = ()
    chapters: tuple[ChapterId, ...] = ()

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
    def token(self) -> str:
        """Return the word of the search index for the term itself, which no text contains."""
        return f"term{spelling_key(self.en[0])}"

    @property
    def title(self) -> Words:
        """Return the preferred word in both languages."""
        return Words(en=self.en[0], zh=self.zh[0])

    @property
    def forms(self) -> tuple[str, ...]:
        """Return every word and name of the term, without its abbreviations."""
        return (*self.zh, *self.en, *self.identifiers)

    def said_in(self, lang: Lang) -> tuple[str, ...]:
        """Return the names of the term in one language, those in code, and the abbreviations."""
        words = self.zh if lang == "zh" else self.en
        return (*words, *self.identifiers, *self.abbreviations)


class _GlossaryFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The content of ``glossary.toml``."""

    terms: Annotated[tuple[Term, ...], Meta(min_length=1)]
    sentences: dict[str, Words] = {}

    def __post_init__(self) -> None:
        """Check that each id occurs once, and that each sentence is about a term.

        Words other than the preferred English one may have several meanings.
        """
        ids = [term.id for term in self.terms]
        twice = sorted({name for name in ids if ids.count(name) > 1})
        if twice:
            raise ValueError(f"each preferred English word must occur once; got {twice} twice")
        lost = sorted(self.sentences.keys() - set(ids))
        if lost:
            raise ValueError(f"each sentence must have the id of a term; got {lost}")


@dataclass(frozen=True, kw_only=True)
class Glossary:
    """The terms in order, and the meanings of each spelling."""

    terms: tuple[Term, ...]
    sentences: Mapping[str, Words] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Term]:
        """Iterate over the terms in the order of the file."""
        return iter(self.terms)

    def __len__(self) -> int:
        """Count the terms."""
        return len(self.terms)

    def sentence(self, term: Term) -> Words | None:
        """Return the sentence that says what a term is; None if it has none."""
        return self.sentences.get(term.id)

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
            for form in (*term.forms, *term.abbreviations):
                meanings.setdefault(spelling_key(form), {})[term.id] = term
        return {key: tuple(terms.values()) for key, terms in meanings.items()}


def load_glossary(path: Path = CONTENT / "glossary.toml") -> Glossary:
    """Load the glossary of the package.

    Raises:
        TorchstoneError: The file is missing or violates its schema.
    """
    file = read_table(path, _GlossaryFile)
    return Glossary(terms=file.terms, sentences=file.sentences)


def _has_han(form: str) -> bool:
    return any(unicodedata.name(char, "").startswith("CJK UNIFIED") for char in form)
