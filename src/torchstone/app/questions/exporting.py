"""Export of questions: Anki cards as text, and a folder of Markdown."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

from torchstone.app.home import Home
from torchstone.bank.questions.loader import load_questions
from torchstone.bank.questions.schema import Question
from torchstone.bank.questions.texts import CALL
from torchstone.bank.questions.topic import Topic
from torchstone.core.errors import BadInput
from torchstone.core.i18n import LANGS, Lang
from torchstone.study.marking.checks import unwrap

_HEAD = (
    "#separator:tab",
    "#html:true",
    "#guid column:1",
    "#notetype column:2",
    "#deck column:3",
    "#tags column:6",
)
_TICKED = re.compile(r"`([^`]+)`")
_CALL = re.compile(rf"^```{CALL}\n(.+?)\n```$", re.MULTILINE)


def export_cards(home: Home, file: Path) -> int:
    """Write a card for each question and language; return their number.

    The guid of a card identifies its question and language, so a later import updates it.

    Raises:
        BadInput: The file cannot be written.
        BrokenTopic: A topic cannot be read.
    """
    cards = [
        "\t".join(_card(topic, question, lang))
        for topic in _topics(home)
        for question in topic
        for lang in LANGS
    ]
    _write(file, "\n".join((*_HEAD, *cards)) + "\n")
    return len(cards)


def export_texts(home: Home, folder: Path) -> int:
    """Write the texts of all topics, including cells, into a new folder; return their number.

    Raises:
        BadInput: The folder is not empty, or cannot be written.
        BrokenTopic: A topic cannot be read.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput("bank.folder_not_empty", path=folder)
    count = 0
    for topic in _topics(home):
        for lang in LANGS:
            _write(folder / lang / f"{topic.path.name}.md", _text(topic, lang))
            count += 1
        for figure in topic.path.glob("figure_*.svg"):
            for lang in LANGS:
                _write(folder / lang / figure.name, figure.read_text(encoding="utf-8"))
    return count


def _topics(home: Home) -> Iterator[Topic]:
    bank = load_questions(home.bank_root)
    return (bank.topic(number) for number in bank.folders)


def _card(topic: Topic, question: Question, lang: Lang) -> tuple[str, ...]:
    section = topic.section(question.id, lang)
    short = unwrap(section.short) if section else ""
    points = "".join(f"<li>{_html(p.words.said_in(lang))}</li>" for p in question.key_points)
    answer = f"<p>{_html(short)}</p><ul>{points}</ul>"
    tags = f"torchstone level-{question.level} topic-{topic.id}"
    guid = f"torchstone-{question.id}-{lang}"
    asked = _html(question.words.said_in(lang))
    return guid, "Basic", f"Torchstone::{lang}", asked, answer, tags


def _html(text: str) -> str:
    plain = _TICKED.sub(r"<code>\1</code>", html.escape(" ".join(text.split("\t"))))
    return plain.replace("\n\n", "</p><p>").replace("\n", " ")


def _text(topic: Topic, lang: Lang) -> str:
    cells = {cell.name: cell.source.strip("\n") for cell in topic.demo.cells}
    return _CALL.sub(
        lambda call: f"```python\n{cells[call[1]]}\n```" if call[1] in cells else call[0],
        topic.texts[lang].markdown,
    )


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput("bank.unwritable", path=file, reason=error.strerror) from error
