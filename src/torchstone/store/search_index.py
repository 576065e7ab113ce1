"""Full-text search index: token documents in SQLite's FTS tables.

The caller makes the tokens of documents and queries with the same function, so that another
database could hold them; this module only stores and compares them. Each kind of document has its
own table, because the frequency of a word and the length of a text differ between problems and
terms.
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
    """The kind of thing that a document describes."""

    CHAPTER = "chapter"
    PROBLEM = "problem"
    QUESTION = "question"
    TERM = "term"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchDocument:
    """One text in one language, as tokens.

    Args:
        id: The id of the thing; its texts in several languages share the id.
        title_tokens: The tokens of the title.
        name_tokens: The tokens of the other names, which have the weight of the title.
    """

    id: str
    kind: DocumentKind
    lang: Lang
    title_tokens: tuple[str, ...]
    name_tokens: tuple[str, ...]
    body_tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """Consecutive tokens.

    Args:
        is_prefix: Whether the last token is a prefix of a word.
    """

    tokens: tuple[str, ...]
    is_prefix: bool = False

    def __post_init__(self) -> None:
        """Check that each token is one, because the syntax of a query contains them unquoted."""
        if not self.tokens or not all(_is_token(token) for token in self.tokens):
            raise ValueError(f"Phrase: expected letters and digits; got {self.tokens!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """A query: clauses; a document meets a clause if it contains one of its phrases.

    Args:
        needs_all: Whether a document must meet every clause, or at least one.
    """

    clauses: tuple[tuple[Phrase, ...], ...]
    needs_all: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One result, and the language of its best text."""

    id: str
    lang: Lang
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """The best matches first, and the number of all matches."""

    total: int
    matches: tuple[Match, ...]


class SearchIndex:
    """A full-text index of documents; several threads can use it at once.

    Close it, or use it as a context manager.
    """

    def __init__(self, path: Path = MEMORY) -> None:
        """Open the file of an index; create it if it does not exist.

        Raises:
            StoreError: The file cannot be opened, or is not an index.
        """
        self.path = path
        self._is_closed = False
        self._lock = threading.Lock()
        # A database in memory exists in one connection only; the threads take turns with it.
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
        """Close the index."""
        self.close()

    def close(self) -> None:
        """Close every connection; a connection in use closes after its query."""
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    @property
    def key(self) -> str | None:
        """Return the key of the stored documents; None before the first ``rebuild``."""
        with self._connection() as connection:
            return _read_key(connection)

    def rebuild(self, documents: Iterable[SearchDocument], *, key: str) -> None:
        """Replace all documents, unless the index already holds those of the key.

        A query during a rebuild returns the old results. A failed rebuild changes nothing.

        Args:
            documents: The new documents.
            key: A name of their content, such as its hash.
        """
        with self._connection() as connection:
            # Take the lock at once: another process may build the same index.
            connection.execute("BEGIN IMMEDIATE")
            try:
                if _read_key(connection) != key:
                    _write(connection, documents, key)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def find(
        self,
        expression: Expression,
        *,
        kind: DocumentKind,
        limit: int,
        in_title: Expression | None = None,
    ) -> Matches:
        """Find the documents of one kind that match best, each thing once.

        Args:
            expression: The documents to find.
            kind: The kind of the documents.
            limit: The maximal number of matches.
            in_title: Of the found documents, those whose title alone meets this come first.

        Raises:
            StoreError: The index is broken, or is empty.
        """
        if not _asks(expression):
            return Matches(total=0, matches=())
        with self._connection() as connection:
            parameters = {
                "expression": _syntax(expression),
                "in_title": _title_syntax(in_title),
                "limit": limit,
            }
            rows = connection.execute(_find(kind), parameters).fetchall()
        found = tuple(Match(id=row[0], lang=row[1], score=-row[2]) for row in rows)
        return Matches(total=rows[0][3] if rows else 0, matches=found)

    def ids(self, expression: Expression, *, kind: DocumentKind) -> tuple[str, ...]:
        """List the ids of all documents of one kind that match, sorted.

        Raises:
            StoreError: The index is broken, or is empty.
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
            # None: only `rebuild` uses a transaction.
            isolation_level=None,
            # One thread at a time uses a connection.
            check_same_thread=False,
        )


def _is_token(token: str) -> bool:
    return token != "" and not any(char.isspace() or char in '"\0' for char in token)


def _asks(expression: Expression) -> bool:
    # No document meets a clause without a phrase.
    return len(expression.clauses) > 0 and all(expression.clauses)


def _syntax(expression: Expression) -> str:
    clauses = []
    for clause in expression.clauses:
        phrases = _alternatives(clause)
        # Search the title a second time, with its own word frequencies. A weight has less effect:
        # bm25 saturates for frequent words, so a text that repeats a word would rank above the text
        # about it.
        clauses.append(f"({phrases} OR {{title names}} : ({phrases}))")
    return (" AND " if expression.needs_all else " OR ").join(clauses)


def _title_syntax(expression: Expression | None) -> str:
    if expression is None or not _asks(expression):
        # A token without characters: no document contains it.
        return '""'
    clauses = (f"title : ({_alternatives(clause)})" for clause in expression.clauses)
    return (" AND " if expression.needs_all else " OR ").join(clauses)


def _alternatives(clause: tuple[Phrase, ...]) -> str:
    return " OR ".join(
        f'"{" ".join(phrase.tokens)}"' + " *" * phrase.is_prefix for phrase in clause
    )


def _find(kind: DocumentKind) -> str:
    return f"""
        WITH found AS MATERIALIZED (
            SELECT rowid, bm25(words_{kind}) AS score
            FROM words_{kind} WHERE words_{kind} MATCH :expression
        ), titled AS MATERIALIZED (
            SELECT rowid FROM words_{kind} WHERE words_{kind} MATCH :in_title
        )
        -- SQLite: beside min(), `lang` is that of the row with the least score.
        SELECT id, lang, min(score), count(*) OVER ()
        FROM found JOIN documents ON documents.number = found.rowid
        GROUP BY id
        ORDER BY max(found.rowid IN (SELECT rowid FROM titled)) DESC, min(score), id
        LIMIT :limit
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
        # ascii: every character except the space belongs to a token, in all scripts; unicode61
        # drops the characters of newer Unicode versions. '': SQLite indexes the tokens and does not
        # store them.
        connection.execute(
            f"CREATE VIRTUAL TABLE words_{kind}"
            " USING fts5(title, names, body, content = '', tokenize = 'ascii')"
        )
    for number, document in enumerate(documents):
        connection.execute(
            "INSERT INTO documents VALUES (?, ?, ?)", (number, document.id, document.lang)
        )
        connection.execute(
            f"INSERT INTO words_{document.kind} (rowid, title, names, body) VALUES (?, ?, ?, ?)",
            (
                number,
                " ".join(document.title_tokens),
                " ".join(document.name_tokens),
                " ".join(document.body_tokens),
            ),
        )
    for kind in DocumentKind:
        connection.execute(f"INSERT INTO words_{kind} (words_{kind}) VALUES ('optimize')")
