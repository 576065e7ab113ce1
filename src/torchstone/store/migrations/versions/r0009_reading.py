"""Revision 0009: allow activities of the kinds read, finish and reopen."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_ROW_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_COLUMNS = "number, problem_id, kind, rung, happened_at, ordered_at, fact_hash"


def upgrade() -> None:
    """Copy the table into one with the wider check; SQLite cannot change a check."""
    op.drop_index("activities_by_order", "activities")
    op.rename_table("activities", "activities_before")
    op.create_table(
        "activities",
        sa.Column("number", _ROW_NUMBER, primary_key=True, autoincrement=True),
        sa.Column("problem_id", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("rung", sa.Integer, nullable=False),
        sa.Column("happened_at", sa.BigInteger, nullable=False),
        sa.Column("ordered_at", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("fact_hash", sa.String(64)),
        sa.CheckConstraint(
            "kind IN ('start', 'hint', 'solution', 'work', 'mark', 'unmark', 'path',"
            " 'read', 'finish', 'reopen')",
            name="kind_is_known",
        ),
        sa.UniqueConstraint("problem_id", "kind", "rung", "happened_at", name="activity_is_a_fact"),
    )
    op.execute(f"INSERT INTO activities ({_COLUMNS}) SELECT {_COLUMNS} FROM activities_before")
    op.drop_table("activities_before")
    op.create_index("activities_by_order", "activities", ["ordered_at"])
