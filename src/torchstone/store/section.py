"""The ground the sections of the store stand on: transactions whose failures are explained."""

import json
from abc import ABC
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, Engine

from torchstone.store import sqlite

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Read the clock."""
    return datetime.now(UTC)


class Section(ABC):  # noqa: B024 - abstract: a section alone is of no use
    """A group of queries of the store; ``Store`` unites them over one engine."""

    def __init__(self, engine: Engine, path: Path, *, clock: Clock = utc_now) -> None:
        """Stand on an engine whose database is at the current revision."""
        self._engine = engine
        self._path = path
        self._clock = clock

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with sqlite.explained(self._path), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        locking = self._engine.execution_options(**sqlite.WRITE_LOCK)
        with sqlite.explained(self._path), locking.begin() as connection:
            yield connection


def encode_json(value: Mapping[str, object], *, what: str) -> str:
    """Write a JSON object in its one canonical form.

    Raises:
        ValueError: The value is not plain JSON, or holds NaN or an infinity.
    """
    if not isinstance(value, Mapping):
        raise TypeError(f"{what}: {type(value).__name__} came; a JSON object is wanted.")
    try:
        encoded = json.dumps(
            value, allow_nan=False, ensure_ascii=False, sort_keys=True, separators=(",", ":")
        )
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what}: not a JSON object: {error}; give plain finite JSON.") from error
    return storable_text(encoded, what=what)


def storable_text(value: str, *, what: str) -> str:
    """Refuse text that no database can hold.

    Raises:
        ValueError: A lone surrogate, which has no UTF-8 form.
    """
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{what}: not Unicode text: {error}; decode the file as UTF-8.") from error
    return value


def aware(value: datetime, *, what: str) -> datetime:
    """Refuse a moment without a time zone.

    Raises:
        ValueError: The moment has no time zone.
    """
    if value.tzinfo is None:
        raise ValueError(f"{what}: {value} has no time zone; give a moment in UTC.")
    return value
