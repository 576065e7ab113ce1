"""Read tables of an untrusted SQLite file, as columns of numbers.

Only real tables are read, completely and by column name: views, triggers, virtual tables and
computed columns are never evaluated. A value of another type than its column is ``MISSING``.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from torchstone.doctor.events import Ints
from torchstone.doctor.read import limits
from torchstone.doctor.refusal import Refusal

MAGIC = b"SQLite format 3\x00"
# Missing value. No time, process id or correlation id is as small.
MISSING = -(1 << 62)
# Maximum length of a name; names of kernel templates are long.
_TEXT_CHARS = 16384
# Minimum size of a row, so that a damaged tree cannot claim more rows than fit.
_ROW_BYTES = 6
# Maximum size of a value or row. Exports store the program's output as one string.
_VALUE_BYTES = 512 << 20
# Errors from damaged files: column names are decoded into SQLite's messages.
_DAMAGES = (sqlite3.Error, OverflowError, MemoryError, UnicodeDecodeError)


class Tables:
    """Tables of a file.

    Args:
        path: An SQLite file.

    Raises:
        Refusal: It cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.is_cut = False
        self._path = path
        self._most = min(limits.MAX_EVENTS, path.stat().st_size // _ROW_BYTES) + 1
        self._columns: dict[str, set[str]] = {}
        try:
            # Locks of other programs are not waited for.
            name = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
            self._file = sqlite3.connect(name, uri=True)
            self._prepare()
            self._names = self._real_tables()
        except _DAMAGES as error:
            reason = str(error) if isinstance(error, sqlite3.Error) else "malformed"
            raise Refusal("nsys_damaged", file=str(path), reason=reason) from error

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __contains__(self, table: str) -> bool:
        """Return whether a table exists."""
        return table in self._names

    def columns(self, table: str) -> set[str]:
        """Return the column names of a table; empty if it does not exist."""
        if table not in self._names:
            return set()
        if table not in self._columns:
            # The last field is nonzero for computed columns.
            told = list(self._rows(f'PRAGMA table_xinfo("{table}")'))
            self._columns[table] = {str(row[1]) for row in told if not row[6]}
        return self._columns[table]

    def numbers(self, table: str, *names: str) -> dict[str, Ints]:
        """Return integer columns, with all rows of the file."""
        there = self.columns(table)
        if not there:
            return {name: np.zeros(0, dtype=np.int64) for name in names}
        flat = np.fromiter(
            chain.from_iterable(self._select(table, [_number(name, there) for name in names])),
            dtype=np.int64,
        )
        rows = flat.reshape(-1, len(names))
        if len(rows) > limits.MAX_EVENTS:
            raise Refusal("too_many_events", most=limits.MAX_EVENTS)
        return {name: rows[:, at] for at, name in enumerate(names)}

    def texts(self, table: str, name: str) -> Iterator[str | None]:
        """Yield a text column, in the order of ``numbers``."""
        there = self.columns(table)
        if there:
            yield from chain.from_iterable(self._select(table, [_text(name, there)]))

    def strings(self, numbers: Ints) -> dict[int, str]:
        """Return the strings for given ids, as far as they are in the string table."""
        wanted = set(np.unique(numbers).tolist()) - {MISSING}
        there = self.columns("StringIds")
        if not wanted or not {"id", "value"} <= there:
            return {}
        parts = [_number("id", there), _text("value", there)]
        return {
            number: value
            for number, value in self._select("StringIds", parts)
            if number in wanted and value is not None
        }

    def labels(self, table: str) -> dict[int, str]:
        """Return the labels of an enumeration from a table ``ENUM_…``."""
        return self.pairs(table, "id", "name")

    def pairs(self, table: str, number: str, name: str) -> dict[int, str]:
        """Return the texts of a small table by an integer key."""
        there = self.columns(table)
        if not {number, name} <= there:
            return {}
        rows = self._select(table, [_number(number, there), _text(name, there)])
        return {key: value for key, value in rows if value is not None}

    def values(self, table: str) -> dict[str, str]:
        """Return a table of names and values."""
        there = self.columns(table)
        if not {"name", "value"} <= there:
            return {}
        rows = self._select(table, [_text("name", there), _text("value", there)])
        return {name: value for name, value in rows if name is not None and value is not None}

    def _prepare(self) -> None:
        self._file.text_factory = lambda text: text.decode("utf-8", "replace")
        self._file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _VALUE_BYTES)
        for setting in ("trusted_schema=OFF", "query_only=ON", "cell_size_check=ON"):
            self._file.execute(f"PRAGMA {setting}")

    def _real_tables(self) -> set[str]:
        rows = self._file.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        return {
            name
            for name, made in rows
            if isinstance(name, str)
            and isinstance(made, str)
            and not made.upper().startswith("CREATE VIRTUAL")
        }

    def _select(self, table: str, parts: list[str]) -> Iterator[tuple[Any, ...]]:
        listed = ", ".join(parts)
        return self._rows(f'SELECT {listed} FROM "{table}" NOT INDEXED LIMIT {self._most}')

    def _rows(self, query: str) -> Iterator[tuple[Any, ...]]:
        """Yield rows, up to damaged data."""
        try:
            yield from self._file.execute(query)
        except _DAMAGES:
            self.is_cut = True


@contextmanager
def open_tables(path: Path) -> Iterator[Tables]:
    """Open the tables of a file; close them at the end of the block.

    Raises:
        Refusal: It cannot be read, or is too large.
    """
    if path.stat().st_size > limits.MAX_BYTES:
        raise Refusal("too_large", file=str(path), most=limits.MAX_BYTES >> 30)
    tables = Tables(path)
    try:
        yield tables
    finally:
        tables.close()


def _number(name: str, there: set[str]) -> str:
    """Return the SQL expression that selects a column as integers."""
    if name not in there:
        return str(MISSING)
    return (
        f'CASE typeof("{name}") WHEN \'integer\' THEN "{name}"'
        f" WHEN 'real' THEN CAST(\"{name}\" AS INTEGER) ELSE {MISSING} END"
    )


def _text(name: str, there: set[str]) -> str:
    if name not in there:
        return "NULL"
    return f'CASE typeof("{name}") WHEN \'text\' THEN substr("{name}", 1, {_TEXT_CHARS}) END'
