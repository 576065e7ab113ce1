"""Base class of the store's sections: transactions and translated errors."""

from abc import ABC
from collections.abc import Callable, Iterator
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
