"""Revision 0007: add the table of kept inputs."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_ROW_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Create the table and its index."""
    op.create_table(
        "inputs",
        sa.Column("number", _ROW_NUMBER, primary_key=True, autoincrement=True),
        sa.Column("problem_id", sa.String(64), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("code", sa.Text, nullable=False),
        sa.Column("kept_at", sa.BigInteger, nullable=False),
        sa.Column("ordered_at", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("fact_hash", sa.String(64)),
        sa.UniqueConstraint("problem_id", "name", "kept_at", name="input_is_a_fact"),
    )
    op.create_index("inputs_by_order", "inputs", ["ordered_at"])
