"""Base class of the store's sections: transactions and error translation."""

from abc import ABC
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Connection, Engine

from torchstone.store import sqlite

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


class Section(ABC):  # noqa: B024 - abstract: a section alone is of no use
    """A group of queries of the store; ``Store`` combines all sections on one engine."""

    def __init__(self, engine: Engine, path: Path, *, clock: Clock = utc_now) -> None:
        """Use an engine with a database at the current revision."""
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
