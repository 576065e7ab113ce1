"""Readers of the files of a topic; their errors name the topic, the file and what is wrong."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TypeVar

import msgspec

from torchstone.bank.loader import place_first
from torchstone.core.errors import BrokenTopic

T = TypeVar("T")


def read_text(folder: Path, name: str) -> str:
    """Read a text file of a topic.

    Raises:
        BrokenTopic: It is missing, or cannot be read.
    """
    try:
        return (folder / name).read_text(encoding="utf-8")
    except OSError as error:
        raise broken(folder, name, str(error.strerror)) from error
    except UnicodeDecodeError as error:
        raise broken(folder, name, str(error)) from error


def read_toml(folder: Path, name: str, shape: type[T]) -> T:
    """Read a TOML file of a topic and convert it.

    Raises:
        BrokenTopic: It is missing, cannot be read, or violates its schema.
    """
    content = read_text(folder, name)
    try:
        return msgspec.convert(tomllib.loads(content), shape)
    except msgspec.ValidationError as error:
        raise broken(folder, name, place_first(str(error))) from error
    # RecursionError: too deeply nested brackets are an error of the file, not of the program.
    except (ValueError, RecursionError) as error:
        raise broken(folder, name, str(error)) from error


def broken(folder: Path, file: str, reason: str) -> BrokenTopic:
    """Return the error of a file of a topic."""
    return BrokenTopic("bank.topic_broken", topic=folder.name, file=file, reason=reason)
