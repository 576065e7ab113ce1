"""``Refusal``: an error that the user of a nested tensor can correct, in both languages.

The sentences are in ``messages/en.toml`` and ``zh.toml``: each code has a ``message``, which says
where, what came and what was wanted, and a ``hint``, which says what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import torch

from torchstone.core.i18n import Lang, text


class Refusal(Exception):
    """Raised when an argument or a file cannot be taken.

    Attributes:
        code: The key of its sentences.
        values: The values in them; one that is a refusal is said in the language of the sentence.
    """

    def __init__(self, code: str, /, **values: str | int | float | Refusal) -> None:
        self.code = code
        self.values = values
        super().__init__(f"{self.message('en')} {self.hint('en')}")

    def __reduce__(self) -> tuple[Callable[[], Refusal], tuple[()]]:
        """Copy and pickle by code and values; the default would call ``__init__`` with ``args``."""
        return partial(type(self), self.code, **self.values), ()

    def message(self, lang: Lang) -> str:
        """Return where it is, what came and what was wanted."""
        return text(f"nested.refusal.{self.code}.message", lang, **self.said(lang))

    def hint(self, lang: Lang) -> str:
        """Return what the user can do."""
        return text(f"nested.refusal.{self.code}.hint", lang, **self.said(lang))

    def said(self, lang: Lang) -> dict[str, str | int | float]:
        """Return the values as a sentence of a language has them."""
        return {
            name: each.message(lang) if isinstance(each, Refusal) else each
            for name, each in self.values.items()
        }


class BadValue(Refusal, ValueError):
    """Raised for an argument of the right type that does not fit."""


class BadType(Refusal, TypeError):
    """Raised for an argument of another type or dtype."""


def name_of(dtype: torch.dtype | torch.layout) -> str:
    """Return a dtype or a layout as torch's users write it, without ``torch.``."""
    return str(dtype).removeprefix("torch.")


def listed(names: Iterable[object]) -> str:
    """Return names beside each other."""
    return ", ".join(map(str, names))
