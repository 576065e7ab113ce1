"""Form of a topic: its parts, the same in both languages, and a short answer that can be said."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from torchstone.bank.concepts import Concepts
from torchstone.bank.markdown import outline
from torchstone.bank.parity import compare_texts
from torchstone.bank.questions.demo import DemoCell
from torchstone.bank.questions.finding import Finding
from torchstone.bank.questions.prose import identifiers, numbers
from torchstone.bank.questions.schema import Question
from torchstone.bank.questions.texts import CALL, HEADINGS, Section
from torchstone.bank.questions.topic import Topic
from torchstone.bank.schema import Words
from torchstone.core.i18n import LANGS, Lang

SHORTEST_SECONDS, LONGEST_SECONDS = 25, 90
MOST_LINES = 25
# How fast one speaks: English words and Han characters a second.
_WORDS_A_SECOND, _HAN_A_SECOND = 2.4, 4.2
_HAN = re.compile(r"[\u3400-\u9fff]")
_SPOKEN = re.compile(r"[A-Za-z0-9_]+(?:[.'\u2019][A-Za-z0-9_]+)*")
_LIST = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s", re.MULTILINE)


def check_parts(topic: Topic, concepts: Concepts, syllabus: Mapping[str, int]) -> Iterator[Finding]:
    """Yield what is missing: a name, a question, or the question of a cell or an answer."""
    yield from _check_cells(topic)
    if topic.id not in {concept.id for concept in concepts}:
        yield _finding(topic, "TS-Q01", "no_concept", id=topic.id)
    asked = [f"{topic.id}.{number}" for number in range(1, syllabus.get(topic.id, 0) + 1)]
    has = [question.id for question in topic]
    if has != asked:
        yield _finding(
            topic, "TS-Q01", "not_in_syllabus", has=", ".join(has), asked=", ".join(asked)
        )
    for answer in topic.answers:
        if answer.question not in has:
            yield _finding(topic, "TS-Q01", "answer_to_none", id=answer.question)


def _check_cells(topic: Topic) -> Iterator[Finding]:
    has = [question.id for question in topic]
    names = Counter(cell.name for cell in topic.demo.cells)
    for name in sorted(name for name, count in names.items() if count > 1):
        yield _finding(topic, "TS-Q01", "cell_twice", cell=name)
    for cell in topic.demo.cells:
        if cell.question not in {"", *has}:
            yield _finding(topic, "TS-Q01", "cell_of_none", cell=cell.name, id=cell.question)
        if cell.question and cell.num_lines > MOST_LINES:
            yield _finding(topic, "TS-Q02", "cell_long", cell=cell.name, most=MOST_LINES)


def check_parity(topic: Topic) -> Iterator[Finding]:
    """Yield the differences between the languages, and from what ``topic.toml`` says."""
    texts = topic.texts
    words = Words(en=texts["en"].markdown, zh=texts["zh"].markdown)
    for mismatch in compare_texts("text", words, same_code=True):
        values = {"file": mismatch.file, **mismatch.values}
        yield Finding(code="TS-Q05", topic=topic.id, key=mismatch.code, values=values)
    for lang in LANGS:
        if not texts[lang].title or not texts[lang].lead:
            yield _finding(topic, "TS-Q05", "no_lead", lang=lang)
        for question in topic:
            yield from _check_section(topic, question, lang)
    for question in topic:
        yield from _compare_prose(topic, question.id)


def check_length(topic: Topic) -> Iterator[Finding]:
    """Yield the short answers that one would not say so."""
    for question in topic:
        for lang in LANGS:
            section = topic.section(question.id, lang)
            if section is None or not section.short:
                continue
            seconds = spoken_seconds(section.short)
            if not SHORTEST_SECONDS <= seconds <= LONGEST_SECONDS:
                values = {"lang": lang, "seconds": round(seconds)}
                yield _finding(topic, "TS-Q06", "short_length", question.id, **values)
            if outline(section.short).cells or _LIST.search(section.short):
                yield _finding(topic, "TS-Q06", "short_block", question.id, lang=lang)


def spoken_seconds(text: str) -> float:
    """Return how long it takes to say a text.

    >>> round(spoken_seconds("A view shares the storage of its base.") * 2.4)
    8
    """
    num_words, num_han = len(_SPOKEN.findall(text)), len(_HAN.findall(text))
    return num_words / _WORDS_A_SECOND + num_han / _HAN_A_SECOND


def _check_section(topic: Topic, question: Question, lang: Lang) -> Iterator[Finding]:
    section = topic.section(question.id, lang)
    if section is None:
        yield _finding(topic, "TS-Q05", "no_section", question.id, lang=lang)
        return
    if section.headings != HEADINGS[lang]:
        values = {"lang": lang, "came": ", ".join(section.headings)}
        yield _finding(topic, "TS-Q05", "headings", question.id, **values)
    if section.title != question.words.said_in(lang):
        yield _finding(topic, "TS-Q05", "title", question.id, lang=lang, title=section.title)
    own = topic.demo.of(question.id)
    yield from _check_calls(topic, question.id, section, own, lang)


def _check_calls(
    topic: Topic, question: str, section: Section, own: tuple[DemoCell, ...], lang: Lang
) -> Iterator[Finding]:
    calls, cells = Counter(section.calls), Counter(cell.name for cell in own)
    for name in sorted((calls - cells) + (cells - calls)):
        yield _finding(topic, "TS-Q05", "cell_calls", question, lang=lang, cell=name)
    for cell in outline(section.body).cells:
        if cell.info != CALL:
            yield _finding(topic, "TS-Q05", "fence", question, lang=lang, info=cell.info or "-")


def _compare_prose(topic: Topic, question: str) -> Iterator[Finding]:
    english, chinese = topic.section(question, "en"), topic.section(question, "zh")
    if english is None or chinese is None:
        return
    for fault, parts in (("numbers_differ", numbers), ("identifiers_differ", identifiers)):
        en, zh = parts(english.prose), parts(chinese.prose)
        if en != zh:
            values = {
                "en": ", ".join(sorted(en - zh)) or "-",
                "zh": ", ".join(sorted(zh - en)) or "-",
            }
            yield _finding(topic, "TS-Q05", fault, question, **values)


def _finding(topic: Topic, code: str, fault: str, question: str = "", **values: object) -> Finding:
    return Finding(
        code=code, topic=topic.id, question=question, key=f"bank.question_{fault}", values=values
    )
