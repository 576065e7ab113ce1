"""``Topic`` and ``QuestionBank``: the topics of questions, read when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path

from torchstone.bank.questions.demo import Demo, parse_demo
from torchstone.bank.questions.files import read_text, read_toml
from torchstone.bank.questions.schema import AnswerFile, Question, TopicSpec, WrittenAnswer
from torchstone.bank.questions.texts import Section, TopicText, parse_text
from torchstone.core.errors import BrokenTopic, NotFound
from torchstone.core.i18n import LANGS, Lang


@dataclass(frozen=True, kw_only=True)
class Topic:
    """A topic: some questions that share a demonstration and a text.

    The texts, the cells and the written answers are read when they are first used.

    Raises:
        BrokenTopic: Such a file is missing, or cannot be read.
    """

    path: Path
    spec: TopicSpec

    def __iter__(self) -> Iterator[Question]:
        """Iterate over the questions in order."""
        return iter(self.spec.questions)

    @property
    def id(self) -> str:
        """Return the number of the topic, such as ``2.1.2.1``."""
        return self.spec.id

    @property
    def questions(self) -> tuple[Question, ...]:
        """Return the questions in order."""
        return self.spec.questions

    @cached_property
    def demo(self) -> Demo:
        """Return the cells."""
        return parse_demo(read_text(self.path, "demo.py"))

    @cached_property
    def texts(self) -> Mapping[Lang, TopicText]:
        """Return the text in both languages."""
        return {lang: parse_text(read_text(self.path, f"{lang}.md"), lang) for lang in LANGS}

    @cached_property
    def answers(self) -> tuple[WrittenAnswer, ...]:
        """Return the written answers to all questions of the topic."""
        return read_toml(self.path, "answers.toml", AnswerFile).answers

    def answers_to(self, question: str) -> tuple[WrittenAnswer, ...]:
        """Return the written answers to one question."""
        return tuple(answer for answer in self.answers if answer.question == question)

    def section(self, question: str, lang: Lang) -> Section | None:
        """Return the text of a question in one language; None if there is none."""
        return self.texts[lang].of(question)


@dataclass(frozen=True, kw_only=True)
class QuestionBank:
    """The topics below a folder; each is read when it is first asked for.

    Args:
        folders: Id of a topic -> its folder, in the order of the numbers.
        unusable: Errors of folders whose names are no topic's.
        read: What reads a folder.
    """

    folders: Mapping[str, Path]
    unusable: tuple[BrokenTopic, ...] = ()
    read: Callable[[Path], Topic]
    _kept: dict[str, Topic | BrokenTopic] = field(default_factory=dict, repr=False)

    @property
    def topics(self) -> tuple[Topic, ...]:
        """Return the topics that can be read, in the order of their numbers."""
        return tuple(found for found in self._all() if isinstance(found, Topic))

    @property
    def broken(self) -> tuple[BrokenTopic, ...]:
        """Return the errors of the folders that cannot be read."""
        return (*self.unusable, *(each for each in self._all() if not isinstance(each, Topic)))

    @property
    def questions(self) -> tuple[Question, ...]:
        """Return the questions of all topics in order."""
        return tuple(question for topic in self.topics for question in topic)

    def topic(self, number: str) -> Topic:
        """Return a topic; only its folder is read.

        Raises:
            NotFound: No topic has this number.
            BrokenTopic: Its folder cannot be read.
        """
        if number not in self.folders:
            raise _unknown("bank.topic_unknown", number, self.folders)
        found = self._get(number)
        if not isinstance(found, Topic):
            raise found
        return found

    def question(self, number: str) -> Question:
        """Return a question; only the folder of its topic is read.

        Raises:
            NotFound: No question has this number.
            BrokenTopic: The folder of its topic cannot be read.
        """
        above = number.rpartition(".")[0]
        if above in self.folders:
            questions = {question.id: question for question in self.topic(above)}
            if number in questions:
                return questions[number]
            raise _unknown("bank.question_unknown", number, questions)
        raise _unknown("bank.question_unknown", number, [f"{each}.1" for each in self.folders])

    def _all(self) -> Iterator[Topic | BrokenTopic]:
        return (self._get(number) for number in self.folders)

    def _get(self, number: str) -> Topic | BrokenTopic:
        if number not in self._kept:
            try:
                self._kept[number] = self.read(self.folders[number])
            except BrokenTopic as error:
                self._kept[number] = error
        return self._kept[number]


def _unknown(code: str, number: str, known: Mapping[str, object] | list[str]) -> NotFound:
    near = get_close_matches(number, list(known), n=3, cutoff=0.0)
    return NotFound(code, id=number, near=", ".join(near) or "-")
