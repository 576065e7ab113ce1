"""``Refusal``: an unusable input or impossible operation, with a hint for the user."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from torchstone.core.i18n import Lang, text


class Refusal(ValueError):
    """Raised when a diagnosis is not possible.

    Attributes:
        code: Key of its sentences in ``messages``.
        values: Values of their placeholders: numbers and names, the same in all languages.
    """

    def __init__(self, code: str, /, **values: object) -> None:
        self.code = code
        self.values = values
        super().__init__(f"{self.message('en')} {self.hint('en')}")

    def __reduce__(self) -> tuple[Callable[[], Refusal], tuple[()]]:
        """Pickle by code and values; the default would call ``__init__`` with ``args``."""
        return partial(Refusal, self.code, **self.values), ()

    def message(self, lang: Lang) -> str:
        """Return the message: where the error is, what was found and what was expected."""
        return text(f"doctor.refusal.{self.code}.message", lang, **self.values)

    def hint(self, lang: Lang) -> str:
        """Return the hint: what the user can do."""
        return text(f"doctor.refusal.{self.code}.hint", lang, **self.values)
