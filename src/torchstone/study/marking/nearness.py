"""Similarity of a clause to a key point, relative to other sentences of the question."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping

from torchstone.study.marking.asked import Asked
from torchstone.study.marking.normal import HAN

_WORD = re.compile(rf"[A-Za-z_][A-Za-z0-9_]*|\d+(?:\.\d+)?|[{HAN}]+")
_ENDING = re.compile(r"(?<=[a-z]{3})(?:ations?|ings?|ies|ied|es|ed|ly|s|e)$")
Vector = Mapping[str, float]


class Nearness:
    """Weighted word vectors of a question's sentences in one language.

    A word's weight decreases with the number of sentences that contain it; words of the question
    itself have weight zero, because any answer contains them.
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
        """Return the similarity of a clause to a point, and to the nearest other one.

        Similarities are cosines. The sentence around the clause has the same weight as the clause.
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
    """Yield the stems of a text's words, and bigrams of Han characters."""
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
