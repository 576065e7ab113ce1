"""Loader of the question bank."""

from __future__ import annotations

import re
from pathlib import Path

from torchstone.bank.loader import CONTENT
from torchstone.bank.questions.files import broken, read_toml
from torchstone.bank.questions.schema import TopicSpec
from torchstone.bank.questions.topic import QuestionBank, Topic
from torchstone.core.errors import BrokenTopic

FOLDER = "questions"
_NAME = re.compile(r"(?P<id>[0-9]+(\.[0-9]+){3})_(?P<slug>[a-z0-9_]+)")


def load_questions(root: Path = CONTENT) -> QuestionBank:
    """Return the question bank below ``root/questions``.

    Folders are listed at once, and read when they are first asked for. A broken folder affects its
    topic only: ``QuestionBank.broken`` holds its error.
    """
    folders: dict[str, Path] = {}
    unusable: list[BrokenTopic] = []
    for path in _folders(root / FOLDER):
        name = _NAME.fullmatch(path.name)
        if name is None:
            unusable.append(broken(path, "", "a folder is called <id>_<slug>"))
        elif name["id"] in folders:
            other = folders[name["id"]].name
            unusable.append(broken(path, "topic.toml", f"the id belongs to {other}"))
        else:
            folders[name["id"]] = path
    ordered = sorted(folders, key=lambda number: [int(part) for part in number.split(".")])
    return QuestionBank(
        folders={number: folders[number] for number in ordered},
        unusable=tuple(unusable),
        read=load_topic,
    )


def load_topic(path: Path) -> Topic:
    """Load one topic from its folder; its texts are read when they are first used.

    Raises:
        BrokenTopic: ``topic.toml`` is missing, cannot be read or violates its schema.
    """
    spec = read_toml(path, "topic.toml", TopicSpec)
    name = f"{spec.id}_{spec.slug}"
    if path.name != name:
        raise broken(path, "topic.toml", f"id and slug need the folder {name}")
    return Topic(path=path, spec=spec)


def _folders(root: Path) -> list[Path]:
    if not root.is_dir():
        return []
    return sorted(path for path in root.iterdir() if path.is_dir() and path.name[0] not in "._")
