"""Revision 0001: create the tables of submissions, activities and reviews."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_ROW_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables."""
    _create_submissions()
    _create_activities()
    _create_reviews()


def _create_submissions() -> None:
    op.create_table(
        "submissions",
        sa.Column("number", _ROW_NUMBER, primary_key=True, autoincrement=True),
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
        sa.CheckConstraint("kind IN ('submit', 'run')", name="kind_is_known"),
        sa.CheckConstraint("(verdict IS NOT NULL) = (state = 'done')", name="verdict_iff_done"),
        sqlite_autoincrement=True,
    )
    op.create_index("submissions_by_problem", "submissions", ["problem_id", "number"])
    op.create_index("submissions_by_state", "submissions", ["state", "number"])


def _create_activities() -> None:
    op.create_table(
        "activities",
        sa.Column("number", _ROW_NUMBER, primary_key=True, autoincrement=True),
        sa.Column("problem_id", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("rung", sa.Integer, nullable=False),
        sa.Column("happened_at", sa.BigInteger, nullable=False),
        sa.CheckConstraint("kind IN ('start', 'hint', 'solution')", name="kind_is_known"),
        sa.UniqueConstraint("problem_id", "kind", "rung", "happened_at", name="activity_is_a_fact"),
    )


def _create_reviews() -> None:
    op.create_table(
        "reviews",
        sa.Column("number", _ROW_NUMBER, primary_key=True, autoincrement=True),
        sa.Column("item", sa.String(64), nullable=False),
        sa.Column("rating", sa.Integer, nullable=False),
        sa.Column("evidence", sa.Text, nullable=False),
        sa.Column("card", sa.Text, nullable=False),
        sa.Column("due", sa.BigInteger, nullable=False),
        sa.Column("reviewed_at", sa.BigInteger, nullable=False),
        sa.Column("undone_at", sa.BigInteger),
        sa.CheckConstraint("rating BETWEEN 1 AND 4", name="rating_is_known"),
        sa.UniqueConstraint("item", "reviewed_at", name="review_is_a_fact"),
    )
