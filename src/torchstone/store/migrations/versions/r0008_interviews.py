"""Revision 0008: add the tables of interviews."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_ROW_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the tables of interviews, their events, and drafts of answers."""
    op.create_table(
        "interviews",
        sa.Column("number", _ROW_NUMBER, primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(12), nullable=False, unique=True),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("header", sa.Text, nullable=False),
        sa.Column("last_seen", sa.BigInteger, nullable=False),
        sa.Column("elapsed_ms", sa.BigInteger, nullable=False),
        sa.Column("holder_pid", sa.BigInteger),
        sa.Column("holder_began", sa.BigInteger),
        sa.Column("fact_hash", sa.String(64)),
    )
    op.create_table(
        "interview_events",
        sa.Column("number", _ROW_NUMBER, primary_key=True, autoincrement=True),
        sa.Column("interview", sa.String(12), nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("at", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("elapsed_ms", sa.BigInteger, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("previous_hash", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("fact_hash", sa.String(64)),
        sa.UniqueConstraint("interview", "place", name="interview_event_is_a_fact"),
    )
    op.create_table(
        "interview_drafts",
        sa.Column("number", _ROW_NUMBER, primary_key=True, autoincrement=True),
        sa.Column("interview", sa.String(12), nullable=False),
        sa.Column("item", sa.String(64), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("saved_at", sa.BigInteger, nullable=False),
        sa.Column("fact_hash", sa.String(64)),
        sa.UniqueConstraint("interview", "item", name="interview_draft_is_the_last"),
    )
