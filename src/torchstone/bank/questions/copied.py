"""Near-duplicates: runs of words that an answer shares with an outline, or with another answer."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from torchstone.bank.loader import CONTENT
from torchstone.bank.questions.finding import Finding
from torchstone.bank.questions.texts import Section
from torchstone.bank.questions.topic import QuestionBank, Topic
from torchstone.core.errors import BrokenTopic
from torchstone.core.i18n import LANGS, Lang

SEEDS = CONTENT / "questions/seeds.bin"
_BYTES = 6
_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")
_WORD = re.compile(r"[a-z0-9_]+")
_NUM_HAN, _NUM_WORDS = 10, 7
# Answers are compared by runs of so many words, or so many Han characters.
_SHINGLE: Mapping[Lang, int] = {"en": 5, "zh": 8}
_MOST_SHARED = 0.3
_FEW = 20
# What makes a sentence a question, but says nothing of what it is about.
_ASKING = re.compile(
    r"什么时候|为什么|是什么|什么|怎么样|怎么|怎样|如何|哪些|哪个|哪种|是否|有何|有哪|区别|吗|呢|的|是|有|"
    r"\b(?:what|how|why|when|which|where|is|are|do|does|did|the|a|an|of|to|in|it|you|can|should)\b"
)
_NO_WORD = re.compile(r"[\W_]+")


def check_copied(topic: Topic, seeds: frozenset[bytes]) -> Iterator[Finding]:
    """Yield what a topic shares with the outlines."""
    for question in topic:
        for lang in LANGS:
            section = topic.section(question.id, lang)
            if section is None:
                continue
            shared = next((run for run in runs(section.prose) if digest(run) in seeds), None)
            if shared is not None:
                yield _finding(topic, question.id, "copied", lang=lang, run=shared)
            title = question.words.said_in(lang)
            key = question_key(title)
            if key and digest(key) in seeds:
                yield _finding(topic, question.id, "same_question", lang=lang, title=title)


def check_alike(bank: QuestionBank, chosen: Iterable[str]) -> Iterator[Finding]:
    """Yield the questions of chosen topics whose answers are too much like others of the bank."""
    wanted = set(chosen)
    for lang in LANGS:
        answers = {
            section.id: _shingles(section.prose, lang)
            for topic in bank.topics
            for section in _sections(topic, lang)
        }
        places: dict[str, list[str]] = {}
        for number, shingles in answers.items():
            for shingle in shingles:
                places.setdefault(shingle, []).append(number)
        for number, shingles in answers.items():
            topic_id = number.rpartition(".")[0]
            if topic_id not in wanted or len(shingles) < _FEW:
                continue
            other, share = _most_alike(number, shingles, places)
            if share > _MOST_SHARED:
                values = {"lang": lang, "other": other, "share": round(100 * share)}
                yield _finding(bank.topic(topic_id), number, "alike", **values)


def runs(text: str) -> Iterator[str]:
    """Yield every run of ten Han characters, and of seven words, of a text."""
    for line in unicodedata.normalize("NFKC", text).lower().splitlines():
        for run in _HAN_RUN.findall(line):
            for start in range(len(run) - _NUM_HAN + 1):
                yield run[start : start + _NUM_HAN]
        words = _WORD.findall(line)
        for start in range(len(words) - _NUM_WORDS + 1):
            yield " ".join(words[start : start + _NUM_WORDS])


def fingerprints(text: str) -> set[bytes]:
    """Return the hashes of the runs of a text."""
    return {digest(run) for run in runs(text)}


def question_key(words: str) -> str:
    """Return what a question is about: without punctuation and the words that ask.

    >>> question_key("What is a view?") == question_key("a view")
    True
    """
    plain = _ASKING.sub(" ", unicodedata.normalize("NFKC", words).lower())
    key = _NO_WORD.sub("", plain)
    return f"?{key}" if len(key) > 1 else ""


def digest(run: str) -> bytes:
    """Hash a run of words."""
    return hashlib.blake2b(run.encode(), digest_size=_BYTES).digest()


@cache
def load_seeds(path: Path = SEEDS) -> frozenset[bytes]:
    """Read the hashes that the package ships."""
    data = path.read_bytes()
    return frozenset(data[start : start + _BYTES] for start in range(0, len(data), _BYTES))


def _sections(topic: Topic, lang: Lang) -> tuple[Section, ...]:
    try:
        return topic.texts[lang].sections
    except BrokenTopic:
        # The check of that topic says so.
        return ()


def _shingles(text: str, lang: Lang) -> set[str]:
    size = _SHINGLE[lang]
    if lang == "zh":
        found = _HAN_RUN.findall(text)
        return {run[at : at + size] for run in found for at in range(len(run) - size + 1)}
    words = _WORD.findall(text.lower())
    return {" ".join(words[at : at + size]) for at in range(len(words) - size + 1)}


def _most_alike(
    number: str, shingles: set[str], places: Mapping[str, list[str]]
) -> tuple[str, float]:
    counts: dict[str, int] = {}
    for shingle in shingles:
        for other in places[shingle]:
            if other != number:
                counts[other] = counts.get(other, 0) + 1
    other = max(counts, key=lambda each: counts[each], default="")
    return other, counts.get(other, 0) / len(shingles)


def _finding(topic: Topic, question: str, fault: str, **values: object) -> Finding:
    return Finding(
        code="TS-Q10",
        topic=topic.id,
        question=question,
        key=f"bank.question_{fault}",
        values=values,
    )
