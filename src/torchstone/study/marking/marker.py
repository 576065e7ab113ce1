"""Marker: find the key points and misconceptions that an answer states, with quotes."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from torchstone.core.i18n import LANGS, Lang
from torchstone.study.marking.asked import Asked, Point, Wordings
from torchstone.study.marking.clauses import Subjects
from torchstone.study.marking.credit import Touch, is_earned
from torchstone.study.marking.nearness import Nearness
from torchstone.study.marking.normal import HAN, language_of, normalise
from torchstone.study.marking.patterns import (
    Pattern,
    compile_pattern,
    compile_words,
    split_alternatives,
)
from torchstone.study.marking.phrases import Phrases, load_phrases
from torchstone.study.marking.reading import Reading, Refusal

MAX_CHARS = 6000
_HAN = re.compile(f"[{HAN}]")
_CAPITAL = re.compile(r"(?<!\\)[A-Z]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Key point or misconception with a quote: ``answer[start:end] == quote``."""

    id: str
    quote: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Result of marking an answer.

    Args:
        lang: Main language of the answer.
        coverage: Share of the points' weights that was found.
        refusal: Reason why the answer was not marked; None if it was.
    """

    lang: str
    found: tuple[Found, ...] = ()
    not_found: tuple[str, ...] = ()
    misconceptions: tuple[Found, ...] = ()
    coverage: float = 0.0
    refusal: Refusal | None = None


def mark(answer: str, question: Asked, phrases: Phrases | None = None) -> Mark:
    """Mark an answer in either language.

    A clause that states a misconception earns no key point. Text added to an answer never removes
    points, except that very long answers are not marked. The phrases default to those of the
    package.

    Raises:
        ValueError: A pattern of the question cannot be compiled.
    """
    known = phrases or _phrases()
    lang = language_of(answer)
    every = tuple(point.id for point in question.points)
    if len(answer) > MAX_CHARS:
        return Mark(lang=lang, not_found=every, refusal=Refusal.TOO_LONG)
    reading = Reading(normalise(answer), _subjects(question, known))
    if refusal := reading.refuse(question.words.values()):
        return Mark(lang=lang, not_found=every, refusal=refusal)
    read = _read(answer)
    mistakes = {
        mistake.id: index
        for mistake in question.mistakes
        if (index := _stated(reading, _patterns(mistake.say, read, known))) is not None
    }
    reading.void.update(mistakes.values())
    # The language is determined per sentence, so that added text in the other one has no effect.
    near = {each: Nearness(question, each) for each in LANGS}
    # A point without a sentence has no similarity.
    unsaid = {point.id for point in question.points if not point.words}
    touched = {
        point.id: touches
        for point in question.points
        if (touches := _touches(reading, point, _patterns(point.say, read, known), near))
    }
    points = {
        name: max(touches, key=lambda each: each.strength).index
        for name, touches in touched.items()
        if name in unsaid or is_earned(touches, num_others=len(touched) - 1)
    }
    total = sum(point.weight for point in question.points)
    earned = sum(point.weight for point in question.points if point.id in points)
    return Mark(
        lang=lang,
        found=_quotes(answer, reading, points),
        not_found=tuple(name for name in every if name not in points),
        misconceptions=_quotes(answer, reading, mistakes),
        coverage=earned / total if total else 0.0,
    )


def _subjects(question: Asked, phrases: Phrases) -> Subjects:
    named = question.subjects
    # torch.Tensor and torch.tensor: if a name has capitals, matching is case-sensitive.
    counts_case = any(_CAPITAL.search(words) for words in named.values())
    return Subjects(
        {
            name: compile_words(_by_case(words) if counts_case else words, phrases)
            for name, words in named.items()
        }
    )


def _by_case(words: str) -> str:
    return "|".join(f"(?-i:{part})" if "." in part else part for part in split_alternatives(words))


def _read(answer: str) -> tuple[str, ...]:
    # A Chinese answer may contain English names. An English answer is not matched with Chinese
    # wordings, for which its names would be overrated.
    return ("en", "zh") if _HAN.search(answer) else ("en",)


def _patterns(
    say: Mapping[str, Wordings], langs: Iterable[str], phrases: Phrases
) -> Iterator[Pattern]:
    for lang in langs:
        yield from (compile_pattern(source, phrases) for source in say.get(lang, ()))


def _stated(reading: Reading, patterns: Iterable[Pattern]) -> int | None:
    return next((i for each in patterns if (i := reading.states(each)) is not None), None)


def _touches(
    reading: Reading, point: Point, patterns: Iterable[Pattern], near: Mapping[Lang, Nearness]
) -> list[Touch]:
    """Return for each wording of a point its best matching clause, if any."""
    found = []
    for pattern in patterns:
        touches = []
        for index in reading.touches(pattern):
            clause, sentence = reading.words(index)
            own, others = near[language_of(sentence)].of(point.id, clause, sentence)
            touches.append(
                Touch(
                    index=index,
                    num_slots=pattern.num_slots,
                    is_telling=pattern.is_telling,
                    is_whole=reading.is_whole(pattern, index),
                    is_condition=reading.is_condition(pattern, index),
                    nearness=own,
                    lead=own - others,
                )
            )
        if touches:
            found.append(max(touches, key=lambda each: each.strength))
    return found


def _quotes(answer: str, reading: Reading, clauses: Mapping[str, int]) -> tuple[Found, ...]:
    found = []
    for name, index in clauses.items():
        start, end = reading.span(index)
        start -= answer[:start].endswith("`")
        end += answer[end:].startswith("`")
        found.append(Found(id=name, quote=answer[start:end], start=start, end=end))
    return tuple(found)


@cache
def _phrases() -> Phrases:
    return load_phrases()
