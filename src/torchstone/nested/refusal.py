"""``Refusal``: an error that the user of a nested tensor can correct, in both languages.

The sentences are in ``messages/en.toml`` and ``zh.toml``: each code has a ``message``, which states
what was found and what was expected, and a ``hint``, which suggests what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import torch

from torchstone.core.i18n import Lang, text


class Refusal(Exception):
    """Raised for an invalid argument or file.

    Attributes:
        code: The key of its sentences.
        values: The values of their placeholders; a value that is a refusal is translated.
    """

    def __init__(self, code: str, /, **values: str | int | float | Refusal) -> None:
        self.code = code
        self.values = values
        super().__init__(f"{self.message('en')} {self.hint('en')}")

    def __reduce__(self) -> tuple[Callable[[], Refusal], tuple[()]]:
        """Copy and pickle by code and values; the default would call ``__init__`` with ``args``."""
        return partial(type(self), self.code, **self.values), ()

    def message(self, lang: Lang) -> str:
        """Return the message: what was found and what was expected."""
        return text(f"nested.refusal.{self.code}.message", lang, **self.said(lang))

    def hint(self, lang: Lang) -> str:
        """Return the hint: what the user can do."""
        return text(f"nested.refusal.{self.code}.hint", lang, **self.said(lang))

    def said(self, lang: Lang) -> dict[str, str | int | float]:
        """Return the values formatted for a sentence in a language."""
        return {
            name: each.message(lang) if isinstance(each, Refusal) else each
            for name, each in self.values.items()
        }


class BadValue(Refusal, ValueError):
    """Raised for an argument of the right type with an invalid value."""


class BadType(Refusal, TypeError):
    """Raised for an argument of the wrong type or dtype."""


def name_of(dtype: torch.dtype | torch.layout) -> str:
    """Return the name of a dtype or a layout without ``torch.``."""
    return str(dtype).removeprefix("torch.")


def listed(names: Iterable[object]) -> str:
    """Join names by commas."""
    return ", ".join(map(str, names))
