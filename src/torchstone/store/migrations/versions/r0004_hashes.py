"""Revision 0004: add hashes of the stored texts, and fill them for the known submissions."""

import hashlib
import json

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_SOURCE = ("id", "client_key", "problem_id", "kind", "source")
_RESULT = ("id", "verdict", "time_ms", "report", "receipt")
_submissions = sa.table(
    "submissions",
    sa.column("number", sa.Integer),
    sa.column("state", sa.Text),
    sa.column("time_ms", sa.Float),
    sa.column("source_hash", sa.Text),
    sa.column("result_hash", sa.Text),
    *(sa.column(name, sa.Text) for name in {*_SOURCE, *_RESULT} - {"time_ms"}),
)


def upgrade() -> None:
    """Add the columns and fill them."""
    op.add_column("submissions", sa.Column("source_hash", sa.String(64)))
    op.add_column("submissions", sa.Column("result_hash", sa.String(64)))
    connection = op.get_bind()
    for row in connection.execute(sa.select(_submissions)).all():
        hashes = {"source_hash": _hash(row, _SOURCE)}
        if row.state == "done":
            hashes["result_hash"] = _hash(row, _RESULT)
        fill = _submissions.update().where(_submissions.c.number == row.number)
        connection.execute(fill.values(**hashes))


def _hash(row: sa.Row[tuple[object, ...]], names: tuple[str, ...]) -> str:
    values = [row._mapping[name] for name in names]
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
