"""Base class of all parts of a report, and a text in both languages."""

from __future__ import annotations

import msgspec

from torchstone.core.i18n import Lang


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a report; a field that another version stored is ignored."""


class Words(Part, frozen=True, kw_only=True):
    """A text in both languages."""

    en: str
    zh: str

    def said_in(self, lang: Lang) -> str:
        """Return the text in one language."""
        return self.zh if lang == "zh" else self.en
