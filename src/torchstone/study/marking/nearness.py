"""Whether a clause of an answer sounds like a key point, or rather like what stands beside it."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping

from torchstone.study.marking.asked import Asked
from torchstone.study.marking.normal import HAN

_WORD = re.compile(rf"[A-Za-z_][A-Za-z0-9_]*|\d+(?:\.\d+)?|[{HAN}]+")
_ENDING = re.compile(r"(?<=[a-z]{3})(?:ations?|ings?|ies|ied|es|ed|ly|s|e)$")
Vector = Mapping[str, float]


class Nearness:
    """The sentences of a question in one language, as the words that tell them apart.

    A word weighs the more the fewer of the sentences have it; a word of the question itself weighs
    nothing, since any answer has it.
    """

    def __init__(self, question: Asked, lang: str) -> None:
        self._asked = frozenset(_words(question.words.get(lang, "")))
        points = {point.id: point.words.get(lang, "") for point in question.points}
        mistakes = (mistake.words.get(lang, "") for mistake in question.mistakes)
        said = {name: frozenset(_words(text)) for name, text in points.items()}
        wrong = tuple(frozenset(_words(text)) for text in mistakes)
        self._num = len(said) + len(wrong) + 1.5
        self._spread: dict[str, int] = {}
        for words in (*said.values(), *wrong):
            for word in words:
                self._spread[word] = self._spread.get(word, 0) + 1
        self._points = {name: self._weigh(words) for name, words in said.items()}
        self._mistakes = tuple(self._weigh(words) for words in wrong)

    def of(self, point: str, clause: str, sentence: str) -> tuple[float, float]:
        """Return how near a clause is to a point, and to the nearest other point or misconception.

        Cosines. The sentence around the clause counts as much as the clause.
        """
        spoken = [self._weigh(frozenset(_words(text))) for text in (clause, sentence)]

        def cosine(vector: Vector) -> float:
            return sum(_cosine(words, vector) for words in spoken) / len(spoken)

        others = [vector for name, vector in self._points.items() if name != point]
        others += self._mistakes
        return cosine(self._points[point]), max(map(cosine, others), default=0.0)

    def _weigh(self, words: Iterable[str]) -> Vector:
        return {
            word: math.log(self._num / self._spread.get(word, 1))
            for word in words
            if word not in self._asked
        }


def _words(text: str) -> Iterator[str]:
    """Yield the words of a text without their endings, and Han characters in pairs."""
    for word in _WORD.findall(text):
        if re.match(f"[{HAN}]", word):
            yield from (word[i : i + 2] for i in range(max(1, len(word) - 1)))
        else:
            yield _ENDING.sub("", word.lower())


def _cosine(some: Vector, other: Vector) -> float:
    product = sum(weight * other[word] for word, weight in some.items() if word in other)
    if not product:
        return 0.0
    return product / math.hypot(*some.values()) / math.hypot(*other.values())
