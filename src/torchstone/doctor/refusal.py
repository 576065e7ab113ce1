"""``Refusal``: what the doctor cannot read or do, and what its user can do about it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from torchstone.core.i18n import Lang, text


class Refusal(ValueError):
    """Raised when there is nothing to diagnose.

    Attributes:
        code: The key of its sentences in ``messages``.
        values: The values in them: numbers and names, which all languages share.
    """

    def __init__(self, code: str, /, **values: object) -> None:
        self.code = code
        self.values = values
        super().__init__(f"{self.message('en')} {self.hint('en')}")

    def __reduce__(self) -> tuple[Callable[[], Refusal], tuple[()]]:
        """Copy and pickle by code and values; the default would call ``__init__`` with ``args``."""
        return partial(Refusal, self.code, **self.values), ()

    def message(self, lang: Lang) -> str:
        """Return where it is, what came and what was wanted."""
        return text(f"doctor.refusal.{self.code}.message", lang, **self.values)

    def hint(self, lang: Lang) -> str:
        """Return what the user can do."""
        return text(f"doctor.refusal.{self.code}.hint", lang, **self.values)
