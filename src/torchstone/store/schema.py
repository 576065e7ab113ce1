"""SQLAlchemy tables of the database, and its current revision.

The store keeps a learner's actions as facts and only adds to them: submissions, activities,
reviews, inputs, and the events of interviews. Progress and due dates are computed from the facts,
so the union of two databases merges them.
"""

from datetime import UTC, datetime, timedelta

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Dialect,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

# Oldest first; this program reads and writes the last one. A migration of the same name in
# migrations/versions leads to each revision. They sort as text.
REVISIONS = ("0009",)
REVISION = REVISIONS[-1]

# The length of problem ids, review items, names of inputs, client keys and host ids.
NAME_LENGTH = 64
KEY_LENGTH = 128

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
# SQLite numbers rows itself only if the column is INTEGER.
_ROW_NUMBER = BigInteger().with_variant(Integer, "sqlite")


def to_microseconds(moment: datetime) -> int:
    """Convert an aware moment to microseconds since 1970."""
    return (moment - _EPOCH) // _MICROSECOND


class Moment(TypeDecorator[datetime]):
    """A moment in UTC, stored as whole microseconds since 1970.

    Every database sorts, compares and returns integers unchanged.
    """

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Convert an aware moment to microseconds."""
        return None if value is None else to_microseconds(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        """Convert microseconds to an aware moment in UTC."""
        return None if value is None else _EPOCH + value * _MICROSECOND


def _ordered_at() -> Column[datetime]:
    """Return the column by which facts are ordered; see ``store.order``."""
    return Column("ordered_at", Moment, nullable=False, server_default="0")


def _fact_hash() -> Column[str]:
    """Return the column with the hash of a fact; see ``store.damage``."""
    return Column("fact_hash", String(64))


metadata = MetaData()

submissions = Table(
    "submissions",
    metadata,
    Column("number", _ROW_NUMBER, primary_key=True, autoincrement=True),
    Column("id", String(12), nullable=False, unique=True),
    Column("client_key", String(KEY_LENGTH), nullable=False, unique=True),
    Column("problem_id", String(NAME_LENGTH), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("source", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("host_id", String(KEY_LENGTH)),
    Column("interruptions", Integer, nullable=False, server_default="0"),
    Column("created_at", Moment, nullable=False),
    Column("finished_at", Moment),
    Column("verdict", String(16)),
    Column("report", Text),
    Column("receipt", Text),
    Column("time_ms", Float),
    _ordered_at(),
    # See ``store.damage``; the second is null before the verdict, the third without a host.
    Column("source_hash", String(64)),
    Column("result_hash", String(64)),
    Column("host_hash", String(64)),
    CheckConstraint("kind IN ('submit', 'run')", name="kind_is_known"),
    CheckConstraint("(verdict IS NOT NULL) = (state = 'done')", name="verdict_iff_done"),
    Index("submissions_by_problem", "problem_id", "ordered_at", "number"),
    Index("submissions_by_order", "ordered_at"),
    Index("submissions_by_state", "state", "number"),
    sqlite_autoincrement=True,
)

activities = Table(
    "activities",
    metadata,
    Column("number", _ROW_NUMBER, primary_key=True, autoincrement=True),
    Column("problem_id", String(NAME_LENGTH), nullable=False),
    Column("kind", String(16), nullable=False),
    # The rung of a hint, the seconds of a span of work, or the section of a chapter that was
    # reached. 0 for all others: the unique constraint ignores NULL.
    Column("rung", Integer, nullable=False),
    Column("happened_at", Moment, nullable=False),
    _ordered_at(),
    _fact_hash(),
    # From ``mark`` on they are choices, see ``store.choices``, and from ``read`` on they tell of
    # chapters, see ``store.chapters``; a path or a chapter is in the column of the problem.
    CheckConstraint(
        "kind IN ('start', 'hint', 'solution', 'work', 'mark', 'unmark', 'path',"
        " 'read', 'finish', 'reopen')",
        name="kind_is_known",
    ),
    UniqueConstraint("problem_id", "kind", "rung", "happened_at", name="activity_is_a_fact"),
    Index("activities_by_order", "ordered_at"),
)

reviews = Table(
    "reviews",
    metadata,
    Column("number", _ROW_NUMBER, primary_key=True, autoincrement=True),
    Column("item", String(NAME_LENGTH), nullable=False),
    Column("rating", Integer, nullable=False),
    Column("evidence", Text, nullable=False),
    Column("card", Text, nullable=False),
    Column("due", Moment, nullable=False),
    Column("reviewed_at", Moment, nullable=False),
    Column("undone_at", Moment),
    _ordered_at(),
    _fact_hash(),
    CheckConstraint("rating BETWEEN 1 AND 4", name="rating_is_known"),
    UniqueConstraint("item", "reviewed_at", name="review_is_a_fact"),
    Index("reviews_by_order", "ordered_at"),
)

inputs = Table(
    "inputs",
    metadata,
    Column("number", _ROW_NUMBER, primary_key=True, autoincrement=True),
    Column("problem_id", String(NAME_LENGTH), nullable=False),
    Column("name", String(NAME_LENGTH), nullable=False),
    # Nothing if the input was removed.
    Column("code", Text, nullable=False),
    Column("kept_at", Moment, nullable=False),
    _ordered_at(),
    _fact_hash(),
    UniqueConstraint("problem_id", "name", "kept_at", name="input_is_a_fact"),
    Index("inputs_by_order", "ordered_at"),
)

interviews = Table(
    "interviews",
    metadata,
    Column("number", _ROW_NUMBER, primary_key=True, autoincrement=True),
    Column("id", String(12), nullable=False, unique=True),
    Column("created_at", Moment, nullable=False),
    Column("header", Text, nullable=False),
    # The heartbeat of the process that holds it: when, and what its clock read then.
    Column("last_seen", Moment, nullable=False),
    Column("elapsed_ms", BigInteger, nullable=False),
    # That process, and when it began; null while nobody holds it.
    Column("holder_pid", BigInteger),
    Column("holder_began", BigInteger),
    _fact_hash(),
)

interview_events = Table(
    "interview_events",
    metadata,
    Column("number", _ROW_NUMBER, primary_key=True, autoincrement=True),
    Column("interview", String(12), nullable=False),
    Column("place", Integer, nullable=False),
    Column("at", String(32), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("elapsed_ms", BigInteger, nullable=False),
    Column("body", Text, nullable=False),
    Column("previous_hash", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
    _fact_hash(),
    UniqueConstraint("interview", "place", name="interview_event_is_a_fact"),
)

# The text of an answer while it is written; the last one counts.
interview_drafts = Table(
    "interview_drafts",
    metadata,
    Column("number", _ROW_NUMBER, primary_key=True, autoincrement=True),
    Column("interview", String(12), nullable=False),
    Column("item", String(NAME_LENGTH), nullable=False),
    Column("text", Text, nullable=False),
    Column("saved_at", Moment, nullable=False),
    _fact_hash(),
    UniqueConstraint("interview", "item", name="interview_draft_is_the_last"),
)

# Alembic's own table, declared here so that a current database needs no import of alembic.
revisions = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), primary_key=True),
)
