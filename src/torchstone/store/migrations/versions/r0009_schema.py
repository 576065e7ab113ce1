"""Revision 0009: create the tables.

No release has a smaller number, and a database that has one is refused.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = None
branch_labels = None
depends_on = None

_ROW_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables and their indexes."""
    _create_submissions()
    _create_activities()
    _create_reviews()
    _create_inputs()
    _create_interviews()


def _number() -> sa.Column[int]:
    return sa.Column("number", _ROW_NUMBER, primary_key=True, autoincrement=True)


def _ordered_at() -> sa.Column[int]:
    return sa.Column("ordered_at", sa.BigInteger, nullable=False, server_default="0")


def _fact_hash() -> sa.Column[str]:
    return sa.Column("fact_hash", sa.String(64))


def _create_submissions() -> None:
    op.create_table(
        "submissions",
        _number(),
        sa.Column("id", sa.String(12), nullable=False, unique=True),
        sa.Column("client_key", sa.String(128), nullable=False, unique=True),
        sa.Column("problem_id", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("host_id", sa.String(128)),
        sa.Column("interruptions", sa.Integer, nullable=False, server_default="0"),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("finished_at", sa.BigInteger),
        sa.Column("verdict", sa.String(16)),
        sa.Column("report", sa.Text),
        sa.Column("receipt", sa.Text),
        sa.Column("time_ms", sa.Float),
        _ordered_at(),
        sa.Column("source_hash", sa.String(64)),
        sa.Column("result_hash", sa.String(64)),
        sa.Column("host_hash", sa.String(64)),
        sa.CheckConstraint("kind IN ('submit', 'run')", name="kind_is_known"),
        sa.CheckConstraint("(verdict IS NOT NULL) = (state = 'done')", name="verdict_iff_done"),
        sqlite_autoincrement=True,
    )
    op.create_index("submissions_by_problem", "submissions", ["problem_id", "ordered_at", "number"])
    op.create_index("submissions_by_order", "submissions", ["ordered_at"])
    op.create_index("submissions_by_state", "submissions", ["state", "number"])


def _create_activities() -> None:
    op.create_table(
        "activities",
        _number(),
        sa.Column("problem_id", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("rung", sa.Integer, nullable=False),
        sa.Column("happened_at", sa.BigInteger, nullable=False),
        _ordered_at(),
        _fact_hash(),
        sa.CheckConstraint(
            "kind IN ('start', 'hint', 'solution', 'work', 'mark', 'unmark', 'path',"
            " 'read', 'finish', 'reopen')",
            name="kind_is_known",
        ),
        sa.UniqueConstraint("problem_id", "kind", "rung", "happened_at", name="activity_is_a_fact"),
    )
    op.create_index("activities_by_order", "activities", ["ordered_at"])


def _create_reviews() -> None:
    op.create_table(
        "reviews",
        _number(),
        sa.Column("item", sa.String(64), nullable=False),
        sa.Column("rating", sa.Integer, nullable=False),
        sa.Column("evidence", sa.Text, nullable=False),
        sa.Column("card", sa.Text, nullable=False),
        sa.Column("due", sa.BigInteger, nullable=False),
        sa.Column("reviewed_at", sa.BigInteger, nullable=False),
        sa.Column("undone_at", sa.BigInteger),
        _ordered_at(),
        _fact_hash(),
        sa.CheckConstraint("rating BETWEEN 1 AND 4", name="rating_is_known"),
        sa.UniqueConstraint("item", "reviewed_at", name="review_is_a_fact"),
    )
    op.create_index("reviews_by_order", "reviews", ["ordered_at"])


def _create_inputs() -> None:
    op.create_table(
        "inputs",
        _number(),
        sa.Column("problem_id", sa.String(64), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("code", sa.Text, nullable=False),
        sa.Column("kept_at", sa.BigInteger, nullable=False),
        _ordered_at(),
        _fact_hash(),
        sa.UniqueConstraint("problem_id", "name", "kept_at", name="input_is_a_fact"),
    )
    op.create_index("inputs_by_order", "inputs", ["ordered_at"])


def _create_interviews() -> None:
    op.create_table(
        "interviews",
        _number(),
        sa.Column("id", sa.String(12), nullable=False, unique=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("header", sa.Text, nullable=False),
        sa.Column("last_seen", sa.BigInteger, nullable=False),
        sa.Column("elapsed_ms", sa.BigInteger, nullable=False),
        sa.Column("holder_pid", sa.BigInteger),
        sa.Column("holder_began", sa.BigInteger),
        _fact_hash(),
    )
    op.create_table(
        "interview_events",
        _number(),
        sa.Column("interview", sa.String(12), nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("at", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("elapsed_ms", sa.BigInteger, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("previous_hash", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        _fact_hash(),
        sa.UniqueConstraint("interview", "place", name="interview_event_is_a_fact"),
    )
    op.create_table(
        "interview_drafts",
        _number(),
        sa.Column("interview", sa.String(12), nullable=False),
        sa.Column("item", sa.String(64), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("saved_at", sa.BigInteger, nullable=False),
        _fact_hash(),
        sa.UniqueConstraint("interview", "item", name="interview_draft_is_the_last"),
    )
