"""``Finding``: what a check refuses in a topic, with its code."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from torchstone.core.i18n import LANGS, Lang, text

CODES = tuple(f"TS-Q{number:02d}" for number in range(1, 13))


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What is refused.

    Args:
        code: The public code, one of `CODES`.
        topic: The id of the topic, or the name of its folder.
        key: The catalogue key of the message.
        question: The question; empty for the whole topic.
        values: The values of the placeholders in the message.
    """

    code: str
    topic: str
    key: str
    question: str = ""
    values: dict[str, object] = field(default_factory=dict)

    def said_in(self, lang: Lang) -> str:
        """Describe the finding for the author."""
        return text(self.key, lang, **self.values)

    @property
    def where(self) -> str:
        """Return the question, or else the topic."""
        return self.question or self.topic

    def plain(self) -> dict[str, Any]:
        """Return the finding as JSON."""
        return {
            "code": self.code,
            "topic": self.topic,
            "question": self.question,
            **{lang: self.said_in(lang) for lang in LANGS},
        }
