"""Numbers and identifiers in the prose of an answer, and where the numbers come from."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from torchstone.bank.questions.finding import Finding
from torchstone.bank.questions.schema import Question
from torchstone.bank.questions.topic import Topic
from torchstone.core.i18n import LANGS

_NUMBER = re.compile(r"(?<![A-Za-z0-9_.\-])\d+(?:[.,]\d+)*(?:e[+-]?\d+)?")
_IN_CODE = re.compile(r"\d+(?:_\d+)*(?:\.\d+)*(?:[eE][+-]?\d+)?")
_TICKED = re.compile(r"`([^`\n]+)`")
_FORMULA = re.compile(r"\$[^$]*\$")
# Numbers that count nothing: one thing, or two.
_SMALL = frozenset({0.0, 1.0, 2.0})


def numbers(prose: str) -> frozenset[str]:
    """Return the numbers of a text, those in code and in formulas left out."""
    plain = _FORMULA.sub(" ", _TICKED.sub(" ", prose))
    found = (each.replace(",", "") for each in _NUMBER.findall(plain))
    return frozenset(each for each in found if _value(each) not in _SMALL)


def identifiers(prose: str) -> frozenset[str]:
    """Return what stands in backticks."""
    return frozenset(_TICKED.findall(prose))


def check_numbers(topic: Topic) -> Iterator[Finding]:
    """Yield the numbers in prose that neither the cells nor the cited sources have."""
    for question in topic:
        known = _known(topic, question)
        for lang in LANGS:
            section = topic.section(question.id, lang)
            if section is None:
                continue
            loose = sorted(each for each in numbers(section.prose) if not _is_known(each, known))
            if loose:
                yield Finding(
                    code="TS-Q07",
                    topic=topic.id,
                    question=question.id,
                    key="bank.question_numbers_loose",
                    values={"lang": lang, "numbers": ", ".join(loose)},
                )


def _known(topic: Topic, question: Question) -> frozenset[float | str]:
    cells = (*topic.demo.setup, *topic.demo.of(question.id))
    texts = [cell.source for cell in cells]
    texts += [
        str(msgspec.to_builtins(source))
        for source in topic.spec.sources
        if source.id in question.cited
    ]
    words = (*question.see, question.id, topic.spec.torch, topic.spec.torch.rpartition(".")[0])
    found = {_value(each) for text in texts for each in _IN_CODE.findall(text)}
    # A share of 0.95 may be written as 95 %.
    shares = {round(value * 100, 6) for value in found if isinstance(value, float)}
    return frozenset(found | shares | {_value(word) for word in words})


def _is_known(number: str, known: frozenset[float | str]) -> bool:
    """Return whether a number is known; a power of ten may be a rounded one."""
    value = _value(number)
    head, has_power, _ = number.partition("e")
    if value in known or not has_power:
        return value in known
    digits = len(head.replace(".", "")) - 1
    return any(float(f"{each:.{digits}e}") == value for each in known if isinstance(each, float))


def _value(number: str) -> float | str:
    """Return a number as itself, so that 500 and 500.0 are the same; a version stays a text."""
    try:
        return float(number.replace("_", ""))
    except ValueError:
        return number
