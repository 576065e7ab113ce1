"""``Refusal``: the error of a distributed program that its user can correct, in both languages.

The sentences are in ``messages/en.toml`` and ``zh.toml``: each code has a ``message``, which states
what was found and what was expected, and a ``hint``, which suggests what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from torchstone.core.i18n import Lang, text


class Phrase(str):
    """Translatable part of a sentence; as a string it is the English text.

    Attributes:
        key: The key among the phrases of ``messages``.
        values: The values of its placeholders.

    >>> Phrase("nothing").told("en")
    'nothing'
    """

    __slots__ = ("key", "values")

    key: str
    values: dict[str, object]

    def __new__(cls, key: str, /, **values: object) -> Phrase:
        """Create the phrase of a key, with a value for each of its placeholders."""
        self = super().__new__(cls, text(f"distributed.phrase.{key}", "en", **said(values, "en")))
        self.key, self.values = key, values
        return self

    def __reduce__(self) -> tuple[Callable[[], Phrase], tuple[()]]:
        """Copy and pickle by key and values."""
        return partial(Phrase, self.key, **self.values), ()

    def told(self, lang: Lang) -> str:
        """Return the phrase in a language."""
        return text(f"distributed.phrase.{self.key}", lang, **said(self.values, lang))


class Refusal(ValueError):
    """Raised when a program cannot start, or cannot continue.

    Attributes:
        code: The key of its sentences.
        values: The values of their placeholders: numbers and names, which need no translation,
            phrases, and tuples of these.
    """

    def __init__(self, code: str, /, **values: object) -> None:
        self.code = code
        self.values = values
        super().__init__(f"{self.message('en')} {self.hint('en')}")

    def __reduce__(self) -> tuple[Callable[[], Refusal], tuple[()]]:
        """Copy and pickle by code and values; the default would call ``__init__`` with ``args``."""
        return partial(Refusal, self.code, **self.values), ()

    def message(self, lang: Lang) -> str:
        """Return the message: what was found and what was expected."""
        return text(f"distributed.refusal.{self.code}.message", lang, **said(self.values, lang))

    def hint(self, lang: Lang) -> str:
        """Return the hint: what the user can do."""
        return text(f"distributed.refusal.{self.code}.hint", lang, **said(self.values, lang))


def refusal_of(error: RuntimeError) -> Refusal | None:
    """Convert an error of the collectives to a refusal; return None for other errors.

    The errors of ``comm`` are not translated, because it does not import other packages.
    """
    from torchstone.distributed.comm.protocol import Deadlock, Mismatch, RankLost

    if isinstance(error, Mismatch):
        return Refusal("collectives_differ", where=str(error))
    if isinstance(error, Deadlock):
        return Refusal("collectives_stuck", where=str(error).removeprefix("Deadlock: "))
    if isinstance(error, RankLost):
        return Refusal("rank_lost", where=str(error))
    return None


def said(values: Mapping[str, object], lang: Lang) -> dict[str, object]:
    """Return values formatted for a sentence in a language."""
    return {name: _say(value, lang) for name, value in values.items()}


def _say(value: object, lang: Lang) -> object:
    if isinstance(value, Phrase):
        return value.told(lang)
    if isinstance(value, tuple):
        comma = Phrase("comma").told(lang)
        return comma.join(str(_say(each, lang)) for each in value)
    return value


def packed(value: object) -> Any:
    """Convert a value of a refusal to JSON, to be sent to another rank."""
    if isinstance(value, Phrase):
        return {"phrase": value.key, "values": packed(value.values)}
    if isinstance(value, Mapping):
        return {name: packed(each) for name, each in value.items()}
    if isinstance(value, tuple):
        return [packed(each) for each in value]
    return value if isinstance(value, int | float) else str(value)


def unpacked(value: Any) -> Any:
    """Invert ``packed``; values other than numbers, phrases and tuples become strings."""
    if isinstance(value, list):
        return tuple(unpacked(each) for each in value)
    if isinstance(value, dict) and "phrase" in value:
        return Phrase(value["phrase"], **unpacked(value["values"]))
    if isinstance(value, dict):
        return {name: unpacked(each) for name, each in value.items()}
    return value
