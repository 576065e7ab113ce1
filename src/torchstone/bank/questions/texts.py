"""Texts of a topic: the lead, and per question five sections that call the cells of ``demo.py``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from torchstone.bank.markdown import outline
from torchstone.core.i18n import Lang

# What the five sections of a question are called, in order.
PARTS = ("short", "mechanism", "demonstration", "misconception", "follow_up")
HEADINGS: dict[Lang, tuple[str, ...]] = {
    "en": ("In short", "Mechanism", "Demonstration", "Misconception", "Follow-up"),
    "zh": ("简答", "机制", "演示", "误区", "追问"),
}
CALL = "cell"
_QUESTION = re.compile(
    r"^## (?P<id>\d+(?:\.\d+){4}) (?P<title>.+?)[ \t]*$(?P<body>.*?)(?=^## |\Z)",
    re.MULTILINE | re.DOTALL,
)
_PART = re.compile(r"^### (.+?)[ \t]*$", re.MULTILINE)
_TITLE = re.compile(r"\A# (?P<title>.+?)[ \t]*$(?P<lead>.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Section:
    """The text of one question in one language.

    Attributes:
        id: The question.
        title: The question in words, as the heading has it.
        headings: The headings of its parts in order.
        parts: Name of `PARTS` -> Markdown; a part whose heading is missing is absent.
        body: Everything below the heading.
    """

    id: str
    title: str
    headings: tuple[str, ...]
    parts: dict[str, str]
    body: str

    @property
    def short(self) -> str:
        """Return the short answer, as one would say it."""
        return self.parts.get("short", "")

    @cached_property
    def calls(self) -> tuple[str, ...]:
        """Return the names of the cells that the text calls, in order."""
        cells = outline(self.body).cells
        return tuple(cell.source.strip() for cell in cells if cell.info == CALL)

    @cached_property
    def prose(self) -> str:
        """Return the text without its fenced blocks."""
        return outline(self.body).prose


@dataclass(frozen=True, kw_only=True)
class TopicText:
    """The whole text of a topic in one language."""

    title: str
    lead: str
    sections: tuple[Section, ...]
    markdown: str

    def of(self, question: str) -> Section | None:
        """Return the text of a question; None if there is none."""
        return next((section for section in self.sections if section.id == question), None)


def parse_text(markdown: str, lang: Lang) -> TopicText:
    """Split ``en.md`` or ``zh.md``; what is missing is left out, and the check says so."""
    top = _TITLE.search(markdown)
    return TopicText(
        title=top["title"] if top else "",
        lead=top["lead"].strip() if top else "",
        sections=tuple(_section(match, lang) for match in _QUESTION.finditer(markdown)),
        markdown=markdown,
    )


def _section(match: re.Match[str], lang: Lang) -> Section:
    pieces = _PART.split(match["body"])
    headings, bodies = tuple(pieces[1::2]), [piece.strip() for piece in pieces[2::2]]
    names = dict(zip(HEADINGS[lang], PARTS, strict=True))
    return Section(
        id=match["id"],
        title=match["title"],
        headings=headings,
        parts={
            names[heading]: body
            for heading, body in zip(headings, bodies, strict=True)
            if heading in names
        },
        body=match["body"],
    )
