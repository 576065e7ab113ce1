"""Question bank: schema and loader of ``content/questions``; it reads Python only as text."""

from torchstone.bank.questions.demo import Demo, DemoCell
from torchstone.bank.questions.loader import load_questions, load_topic
from torchstone.bank.questions.schema import (
    Backing,
    Change,
    KeyPoint,
    Misconception,
    Question,
    Say,
    Source,
    WrittenAnswer,
)
from torchstone.bank.questions.texts import Section, TopicText
from torchstone.bank.questions.topic import QuestionBank, Topic

__all__ = [
    "Backing",
    "Change",
    "Demo",
    "DemoCell",
    "KeyPoint",
    "Misconception",
    "Question",
    "QuestionBank",
    "Say",
    "Section",
    "Source",
    "Topic",
    "TopicText",
    "WrittenAnswer",
    "load_questions",
    "load_topic",
]
