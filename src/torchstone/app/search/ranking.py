"""Ranking of questions by title, colloquial descriptions and answer.

The full-text index finds the questions with words of the query, and this module sorts them. It
differs from the index in three ways. Words are compared by stem, so that "exploding" matches
"explodes". Function words are ignored, because symptoms are described in sentences. And a question
scores by its best phrase, its title or one description, regardless of how many others it has; two
further phrases and the topic name add a little.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from torchstone.app.search.documents import Findable
from torchstone.bank.tokens import index_tokens
from torchstone.store.search_index import Match

# Weights of title, descriptions and answer; tuned on the queries of
# tests/app/search/question_queries.toml.
_WEIGHTS = (4.0, 2.0, 0.5)
# Length normalization, as in BM25.
_LENGTH = 0.75
# Term frequency saturation, as in BM25.
_SATURATION = 2.0
_PHRASE = 2.0
# Weight and number of the next best phrases.
_NEXT_PHRASES, _NUM_NEXT = 0.3, 2
# A topic has several questions.
_TOPIC = 0.25
# Minimum score relative to the best question.
_LEAST_NEARNESS = 0.2
# A single Chinese character is part of many words.
_ONE_CHARACTER = 0.3
_GRAMMAR = frozenset(
    "a an the of to in on for with without and or is are was were be been being do does did doing"
    " done how what why when where which who whom by it its i my me mine we our you your he she"
    " they them their this that these those there here am at as from into onto than then so too"
    " also just very really can could should would will shall may might must have has had having"
    " get gets got let if not no nor but because while about after before again once any all each"
    " both some such only own same up down out off over under problem question vs"
    " 的 了 吗 呢 与 和 第 题 题目 怎么 怎样 如何 什么 哪些 哪个 多少 我 你 它 是 在 有 会 就 都 也"
    " 要 把 被 给 让 这 那 个 里 上 下 到 得 着 过 还 又 再 很 最 用 能".split()
)
_ENDINGS = (
    ("ies", "y"),
    ("sses", "ss"),
    *((f"i{letter}{end}", "iz") for letter in "sz" for end in ("ation", "ing", "ed", "es", "e")),
    *((f"at{end}", "at") for end in ("ion", "ing", "ed", "es", "e")),
    ("ing", ""),
    ("ed", ""),
    ("es", ""),
    ("s", ""),
    ("e", ""),
)
_DOUBLED = re.compile(r"([bdfgmnprt])\1$")
_LEAST_STEM = 3
# Cache size above the number of different tokens in the bank.
_KEPT = 30_000


class QuestionRanker:
    """Stemmed texts of questions; immutable and thread-safe."""

    def __init__(self, questions: Iterable[Findable]) -> None:
        """Index the texts of questions, with both languages as one."""
        fields = {question.id: _fields(question) for question in questions}
        means = [_mean_length(each[field] for each in fields.values()) for field in range(3)]
        self._held: dict[str, dict[str, float]] = defaultdict(dict)
        for name, counts in fields.items():
            shares = [
                weight / (1 - _LENGTH + _LENGTH * counts[field].total() / means[field])
                for field, weight in enumerate(_WEIGHTS)
            ]
            for word in set().union(*counts):
                often = sum(
                    share * count[word] for share, count in zip(shares, counts, strict=True)
                )
                self._held[word][name] = often * (_SATURATION + 1) / (often + _SATURATION)
        self._rarity = {
            word: _rarity(word, len(holders), len(fields)) for word, holders in self._held.items()
        }
        self._phrases = _Phrases(self._rarity)
        self._topics = _Phrases(self._rarity)
        for question in questions:
            for text in question.texts.values():
                for phrase in (text.title, *text.said):
                    self._phrases.add(question.id, phrase)
                self._topics.add(question.id, text.topic)

    def scores(self, query: str) -> Mapping[str, float]:
        """Return the score of each question for a query; questions without a match are missing."""
        words = {word: self._rarity[word] for word in _stems(query) if word in self._rarity}
        scores: dict[str, float] = defaultdict(float)
        for word, rarity in words.items():
            for name, share in self._held[word].items():
                scores[name] += rarity * share
        for name, (nearest, *others) in self._phrases.near(words).items():
            scores[name] += _PHRASE * (nearest + _NEXT_PHRASES * sum(others[:_NUM_NEXT]))
        for name, (nearest, *_) in self._topics.near(words).items():
            scores[name] += _PHRASE * _TOPIC * nearest
        return scores

    def rank(
        self, query: str, found: Sequence[Match], *, needs_all: bool = False
    ) -> tuple[Match, ...]:
        """Sort the matches of the index by their score.

        Args:
            query: Normalised query.
            found: Questions with words of the query, in the order of the index.
            needs_all: Whether to keep questions with much lower scores than the best.

        Returns:
            The questions, nearest first, with the scores of ``found`` in its order: by these they
            stand in one list with problems.
        """
        scores = self.scores(query)
        least = 0.0 if needs_all else _LEAST_NEARNESS * max(scores.values(), default=0.0)
        near = [match for match in found if scores.get(match.id, 0.0) >= least]
        ranked = sorted(near, key=lambda match: -scores.get(match.id, 0.0))
        return tuple(
            replace(match, score=of_index.score)
            for match, of_index in zip(ranked, near, strict=True)
        )


class _Phrases:
    """Short texts, each naming a question, scored by similarity to a query."""

    def __init__(self, rarity: Mapping[str, float]) -> None:
        self._rarity = rarity
        self._sizes: list[tuple[str, float]] = []
        self._numbers: dict[str, list[int]] = defaultdict(list)

    def add(self, name: str, phrase: str) -> None:
        words = {word for word in _stems(phrase) if word in self._rarity}
        for word in words:
            self._numbers[word].append(len(self._sizes))
        self._sizes.append((name, sum(self._rarity[word] for word in words)))

    def near(self, words: Mapping[str, float]) -> Mapping[str, Sequence[float]]:
        """Return the phrase scores of each question, in descending order.

        The score of a phrase is its cosine with the query, times the weight of the shared words.

        Args:
            words: Words of the query with their inverse document frequency.
        """
        shared: dict[int, float] = defaultdict(float)
        for word, rarity in words.items():
            for number in self._numbers[word]:
                shared[number] += rarity
        asked = sum(words.values())
        near: dict[str, list[float]] = defaultdict(list)
        for number, common in shared.items():
            name, size = self._sizes[number]
            near[name].append(common * common / math.sqrt(asked * size))
        return {name: sorted(each, reverse=True) for name, each in near.items()}


def _fields(question: Findable) -> tuple[Counter[str], Counter[str], Counter[str]]:
    title, said, answer = Counter[str](), Counter[str](), Counter[str]()
    for text in question.texts.values():
        title.update(_stems(text.title))
        for phrase in text.said:
            said.update(set(_stems(phrase)))
        answer.update(_stems(text.keywords))
    return title, said, answer


def _mean_length(counts: Iterable[Counter[str]]) -> float:
    lengths = [count.total() for count in counts]
    return max(1.0, sum(lengths) / max(1, len(lengths)))


def _rarity(word: str, num_holders: int, num_questions: int) -> float:
    rarity = math.log(1 + (num_questions - num_holders + 0.5) / (num_holders + 0.5))
    return rarity * (_ONE_CHARACTER if len(word) == 1 and not word.isascii() else 1.0)


def _stems(text: str) -> list[str]:
    return [_stem(token) for token in index_tokens(text) if token not in _GRAMMAR]


@lru_cache(_KEPT)
def _stem(token: str) -> str:
    if not (token.isascii() and token.isalpha()):
        return token
    for ending, instead in _ENDINGS:
        if token.endswith(ending) and len(token) - len(ending) >= _LEAST_STEM:
            if not token.endswith("ss") or ending == "sses":
                token = token.removesuffix(ending) + instead
            break
    return _DOUBLED.sub(r"\1", token.removesuffix("e") if len(token) > _LEAST_STEM + 1 else token)
