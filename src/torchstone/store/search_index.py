"""Full-text search index: token documents in SQLite's FTS tables.

Whoever writes and asks makes the tokens, so that both make the same and another database could
hold them; here they are only stored and compared. Each kind of document has a table of its own:
what is rare among problems may be common among terms, and lengths differ.
"""

import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Self

from torchstone.core.i18n import Lang
from torchstone.store.sqlite import BUSY_TIMEOUT_S, explained

MEMORY = Path(":memory:")


class DocumentKind(StrEnum):
    """What a document is about."""

    PROBLEM = "problem"
    TERM = "term"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchDocument:
    """One text in one language, as tokens.

    Args:
        id: What is found; the texts of one thing in several languages share it.
    """

    id: str
    kind: DocumentKind
    lang: Lang
    title_tokens: tuple[str, ...]
    body_tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """Tokens that follow each other.

    Args:
        is_prefix: Whether the last one may go on.
    """

    tokens: tuple[str, ...]
    is_prefix: bool = False

    def __post_init__(self) -> None:
        """Refuse what is not a token, before it is read as the syntax of a query."""
        if not self.tokens or not all(_is_token(token) for token in self.tokens):
            raise ValueError(f"Phrase: letters and digits are wanted, got {self.tokens!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """What is looked for: clauses, each met by any of its phrases.

    Args:
        needs_all: Whether a document must meet every clause, or one at least.
    """

    clauses: tuple[tuple[Phrase, ...], ...]
    needs_all: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One thing that was found, and the language of the text that fits best."""

    id: str
    lang: Lang
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """The best matches first, and how many there are in all."""

    total: int
    matches: tuple[Match, ...]


class SearchIndex:
    """Documents that can be found by their tokens; several threads may ask at once.

    Close it, or use it as a context.
    """

    def __init__(self, path: Path = MEMORY) -> None:
        """Open the file of an index, or make an empty one.

        Raises:
            StoreError: The file cannot be opened, or is no index.
        """
        self.path = path
        self._is_closed = False
        self._lock = threading.Lock()
        # A database in memory lives in its one connection, for which the threads then wait.
        self._turn = threading.Lock() if path == MEMORY else nullcontext()
        self._idle: list[sqlite3.Connection] = []
        try:
            with self._connection() as connection:
                connection.execute("PRAGMA journal_mode = WAL")
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        """Return the index itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close every connection; one that answers now or later closes when it has."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    @property
    def key(self) -> str | None:
        """Return the key of the documents it holds; None before the first ``rebuild``."""
        with self._connection() as connection:
            return _read_key(connection)

    def rebuild(self, documents: Iterable[SearchDocument], *, key: str) -> None:
        """Replace all documents, unless those of the key are there already.

        Whoever asks meanwhile gets the answers of before; a rebuild that fails changes nothing.

        Args:
            documents: What is to be found.
            key: What names their content, such as its hash.
        """
        with self._connection() as connection:
            # At once the lock: another process may be building the same.
            connection.execute("BEGIN IMMEDIATE")
            try:
                if _read_key(connection) != key:
                    _write(connection, documents, key)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def find(self, expression: Expression, *, kind: DocumentKind, limit: int) -> Matches:
        """Find the documents of one kind that fit best, each thing once.

        Raises:
            StoreError: The index is broken, or was never built.
        """
        if not _asks(expression):
            return Matches(total=0, matches=())
        with self._connection() as connection:
            rows = connection.execute(_find(kind), (_syntax(expression), limit)).fetchall()
        found = tuple(Match(id=row[0], lang=row[1], score=-row[2]) for row in rows)
        return Matches(total=rows[0][3] if rows else 0, matches=found)

    def ids(self, expression: Expression, *, kind: DocumentKind) -> tuple[str, ...]:
        """List everything of one kind that meets the expression, in the order of its ids.

        Raises:
            StoreError: The index is broken, or was never built.
        """
        if not _asks(expression):
            return ()
        with self._connection() as connection:
            rows = connection.execute(_list(kind), (_syntax(expression),)).fetchall()
        return tuple(str(row[0]) for row in rows)

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with explained(self.path), self._turn:
            with self._lock:
                connection = self._idle.pop() if self._idle else self._open()
            try:
                yield connection
            finally:
                with self._lock:
                    if not self._is_closed:
                        self._idle.append(connection)
                if self._is_closed:
                    connection.close()

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(
            self.path,
            timeout=BUSY_TIMEOUT_S,
            # None: no transaction but those of `rebuild`.
            isolation_level=None,
            # A connection is lent to one thread at a time.
            check_same_thread=False,
        )


def _is_token(token: str) -> bool:
    return token != "" and not any(char.isspace() or char in '"\0' for char in token)


def _asks(expression: Expression) -> bool:
    # A clause without a phrase can be met by nothing.
    return len(expression.clauses) > 0 and all(expression.clauses)


def _syntax(expression: Expression) -> str:
    clauses = []
    for clause in expression.clauses:
        phrases = " OR ".join(
            f'"{" ".join(phrase.tokens)}"' + " *" * phrase.is_prefix for phrase in clause
        )
        # A title counts once more, by its own rarity. A mere weight does less: bm25 flattens what
        # stands often in one text, and a text that repeats a word would pass the one about it.
        clauses.append(f"({phrases} OR title : ({phrases}))")
    return (" AND " if expression.needs_all else " OR ").join(clauses)


def _find(kind: DocumentKind) -> str:
    return f"""
        WITH found AS MATERIALIZED (
            SELECT rowid, bm25(words_{kind}) AS score
            FROM words_{kind} WHERE words_{kind} MATCH ?
        )
        -- SQLite: beside min(), `lang` is that of the row with the least score.
        SELECT id, lang, min(score), count(*) OVER ()
        FROM found JOIN documents ON documents.number = found.rowid
        GROUP BY id ORDER BY min(score), id LIMIT ?
    """


def _list(kind: DocumentKind) -> str:
    return f"""
        SELECT DISTINCT id FROM words_{kind} JOIN documents ON documents.number = words_{kind}.rowid
        WHERE words_{kind} MATCH ? ORDER BY id
    """


def _read_key(connection: sqlite3.Connection) -> str | None:
    tables = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'content'").fetchall()
    if not tables:
        return None
    (key,) = connection.execute("SELECT key FROM content").fetchone()
    return str(key)


def _write(connection: sqlite3.Connection, documents: Iterable[SearchDocument], key: str) -> None:
    for table in ("content", "documents", *(f"words_{kind}" for kind in DocumentKind)):
        connection.execute(f"DROP TABLE IF EXISTS {table}")
    connection.execute("CREATE TABLE content (key TEXT NOT NULL)")
    connection.execute("INSERT INTO content VALUES (?)", (key,))
    connection.execute(
        "CREATE TABLE documents (number INTEGER PRIMARY KEY, id TEXT NOT NULL, lang TEXT NOT NULL)"
    )
    for kind in DocumentKind:
        # ascii: everything but a space belongs to a token, whatever its script; unicode61 drops
        # the characters that Unicode has added since. '': the tokens are indexed and not kept.
        connection.execute(
            f"CREATE VIRTUAL TABLE words_{kind}"
            " USING fts5(title, body, content = '', tokenize = 'ascii')"
        )
    for number, document in enumerate(documents):
        connection.execute(
            "INSERT INTO documents VALUES (?, ?, ?)", (number, document.id, document.lang)
        )
        connection.execute(
            f"INSERT INTO words_{document.kind} (rowid, title, body) VALUES (?, ?, ?)",
            (number, " ".join(document.title_tokens), " ".join(document.body_tokens)),
        )
    for kind in DocumentKind:
        connection.execute(f"INSERT INTO words_{kind} (words_{kind}) VALUES ('optimize')")
