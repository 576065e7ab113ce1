"""Families of synonyms for patterns: those of the glossary and of phrases.toml."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from torchstone.bank.glossary import Glossary, load_glossary
from torchstone.bank.loader import CONTENT
from torchstone.bank.table import read_table

# Classes, escapes, braces, terms and families in a pattern.
_NO_WORDS = re.compile(r"(\[\^?\]?(?:\\.|[^\]\\])*\]|\\.|\{[^}]*\}|<[^>]*>|\(\?<?[!=:][^)]*\))")

Expressions = Annotated[tuple[str, ...], Meta(min_length=1)]


class Family(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Synonyms in both languages, as regular expressions.

    Args:
        heads: Plain words that represent the family: a pattern with one of them matches the whole
            family. None if the family applies only where a pattern names it.
    """

    heads: tuple[str, ...] = ()
    en: Expressions
    zh: Expressions


class _PhrasesFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The content of ``phrases.toml``."""

    families: dict[str, Family]


@dataclass(frozen=True, kw_only=True, eq=False)
class Phrases:
    """Expansions of ``{term}`` and ``<family>`` in patterns; compared by identity."""

    glossary: Glossary
    families: Mapping[str, Family] = field(default_factory=dict)

    def term(self, form: str) -> str:
        """Return the expression of all forms of a term; the word itself if it is not a term."""
        forms = self._terms.get(form.lower(), (form,))
        words = sorted({re.escape(word) for word in forms}, key=lambda word: (-len(word), word))
        return f"(?:{'|'.join(words)})(?:e?s)?"

    def family(self, name: str) -> str:
        """Return the expression of a family.

        Raises:
            ValueError: There is no such family.
        """
        if name not in self.families:
            raise ValueError(f"<{name}> is no family of phrases.toml; it has {list(self.families)}")
        return f"(?:{'|'.join(self._parts(name))})"

    def wider(self, slot: re.Pattern[str]) -> str:
        """Return the families that a slot matches by one of their heads; may be empty."""
        return "|".join(
            part
            for name, family in self.families.items()
            if any(slot.fullmatch(head) for head in family.heads)
            for part in self._parts(name)
        )

    def spread(self, pattern: str) -> str:
        """Return a pattern in which each plain head word is replaced by its family.

        Text in classes, braces and escapes is not a word; nor is a word whose last letter is
        optional or repeated.
        """
        return "".join(
            piece if place % 2 else self._head.sub(lambda head: self._whole[head[1].lower()], piece)
            for place, piece in enumerate(_NO_WORDS.split(pattern))
        )

    @cached_property
    def _head(self) -> re.Pattern[str]:
        heads = sorted(self._whole, key=len, reverse=True)
        # Without heads, an expression that never matches.
        latin = "|".join(head for head in heads if head.isascii()) or "(?!)"
        han = "|".join(head for head in heads if not head.isascii()) or "(?!)"
        return re.compile(
            rf"((?<![\w\\?:!])(?:{latin})(?![\w?*+{{(])|(?:{han})(?![?*+{{]))", re.I | re.A
        )

    @cached_property
    def _whole(self) -> Mapping[str, str]:
        return {
            head: f"(?:{'|'.join((re.escape(head), *self._parts(name)))})"
            for name, family in self.families.items()
            for head in family.heads
        }

    def _parts(self, name: str) -> tuple[str, ...]:
        family = self.families[name]
        return (*(rf"(?<![A-Za-z])(?:{word})(?![A-Za-z])" for word in family.en), *family.zh)

    @cached_property
    def _terms(self) -> Mapping[str, tuple[str, ...]]:
        terms: dict[str, tuple[str, ...]] = {}
        for term in self.glossary:
            for form in term.forms:
                terms.setdefault(form.lower(), term.forms)
        return terms


def load_phrases(path: Path = CONTENT / "questions" / "phrases.toml") -> Phrases:
    """Load the families of the package, and its glossary.

    Raises:
        TorchstoneError: The file is missing or violates its schema.
    """
    return Phrases(glossary=load_glossary(), families=read_table(path, _PhrasesFile).families)
