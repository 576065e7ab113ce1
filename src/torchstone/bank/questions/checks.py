"""Check of a topic as text: everything that needs no run of its cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path

from torchstone.bank.concepts import Concepts, load_concepts
from torchstone.bank.glossary import load_glossary
from torchstone.bank.loader import CONTENT
from torchstone.bank.questions.copied import check_copied, load_seeds
from torchstone.bank.questions.finding import Finding
from torchstone.bank.questions.form import check_length, check_parity, check_parts
from torchstone.bank.questions.links import check_claims, check_links, problem_concepts
from torchstone.bank.questions.prose import check_numbers
from torchstone.bank.questions.stale import check_stale, load_stale
from torchstone.bank.questions.syllabus import load_syllabus
from torchstone.bank.questions.topic import Topic
from torchstone.core.errors import BrokenTopic


@dataclass(frozen=True, kw_only=True)
class TextCheck:
    """Check topics against what the rest of the content says.

    Args:
        content: The folder of the content, with the problems and the glossary.
        today: The day on which pages are judged; by default the day of ``stale.toml``.
    """

    content: Path = CONTENT
    today: date | None = None

    def findings(self, topic: Topic) -> tuple[Finding, ...]:
        """Return what is refused in a topic; its broken files are a finding, too."""
        try:
            return tuple(self._all(topic))
        except BrokenTopic as error:
            return (broken_topic(error, topic.id),)

    def _all(self, topic: Topic) -> Iterator[Finding]:
        stale = load_stale()
        yield from check_parts(topic, self._concepts, self._syllabus)
        yield from check_claims(topic)
        yield from check_parity(topic)
        yield from check_length(topic)
        yield from check_numbers(topic)
        yield from check_stale(topic, stale, self.today or stale.as_of)
        yield from check_copied(topic, load_seeds())
        yield from check_links(
            topic,
            terms=self._terms,
            problems=problem_concepts(self.content),
            syllabus=self._syllabus,
        )

    @cached_property
    def _concepts(self) -> Concepts:
        return load_concepts()

    @cached_property
    def _syllabus(self) -> Mapping[str, int]:
        return load_syllabus()

    @cached_property
    def _terms(self) -> frozenset[str]:
        return frozenset(form.lower() for term in load_glossary() for form in term.forms)


def broken_topic(error: BrokenTopic, topic: str = "") -> Finding:
    """Return the finding of a topic that cannot be read."""
    return Finding(
        code="TS-Q01",
        topic=topic or str(error.values["topic"]),
        key="bank.topic_broken.message",
        values=error.values,
    )
