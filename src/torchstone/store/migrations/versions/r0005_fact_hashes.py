"""Revision 0005: add hashes of hosts, activities and reviews, and fill them for the known rows."""

import hashlib
import json

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

# Moments are whole microseconds here.
_HASHED = {
    ("submissions", "host_hash"): ("id", "host_id"),
    ("activities", "fact_hash"): ("problem_id", "kind", "rung", "happened_at"),
    ("reviews", "fact_hash"): ("item", "rating", "evidence", "card", "due", "reviewed_at"),
}
_INTEGERS = {"rung", "rating", "happened_at", "due", "reviewed_at"}


def upgrade() -> None:
    """Add the columns and fill them; a submission without a host has no hash of it."""
    connection = op.get_bind()
    for (name, column), fields in _HASHED.items():
        op.add_column(name, sa.Column(column, sa.String(64)))
        typed = [sa.column(f, sa.BigInteger if f in _INTEGERS else sa.Text) for f in fields]
        table = sa.table(name, sa.column("number", sa.Integer), sa.column(column, sa.Text), *typed)
        for row in connection.execute(sa.select(table)).all():
            values = [row._mapping[field] for field in fields]
            if values[-1] is not None:
                fill = table.update().where(table.c.number == row.number)
                connection.execute(fill.values({column: _hash(values)}))


def _hash(values: list[object]) -> str:
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
