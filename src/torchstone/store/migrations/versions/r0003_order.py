"""Revision 0003: add the moments by which facts are ordered, whatever the clock showed.

A submission of this machine comes after all that were stored before it. One that was imported keeps
its moment. The other facts keep theirs, too.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_MOMENTS = {
    "submissions": "created_at",
    "activities": "happened_at",
    "reviews": "reviewed_at",
}
_submissions = sa.table(
    "submissions",
    sa.column("number", sa.Integer),
    sa.column("client_key", sa.Text),
    sa.column("created_at", sa.BigInteger),
    sa.column("ordered_at", sa.BigInteger),
)


def upgrade() -> None:
    """Add the columns, fill them, and let the index of the history follow them."""
    for table, moment in _MOMENTS.items():
        column = sa.Column("ordered_at", sa.BigInteger, nullable=False, server_default="0")
        op.add_column(table, column)
        op.execute(f"UPDATE {table} SET ordered_at = {moment}")
        op.create_index(f"{table}_by_order", table, ["ordered_at"])
    _order_submissions(op.get_bind())
    op.drop_index("submissions_by_problem", "submissions")
    op.create_index("submissions_by_problem", "submissions", ["problem_id", "ordered_at", "number"])


def _order_submissions(connection: sa.Connection) -> None:
    is_own = _submissions.c.client_key.not_like("import:%")
    query = sa.select(_submissions).where(is_own).order_by(_submissions.c.number)
    last = 0
    for row in connection.execute(query).all():
        last = max(row.created_at, last + 1)
        if last != row.created_at:
            fill = _submissions.update().where(_submissions.c.number == row.number)
            connection.execute(fill.values(ordered_at=last))
