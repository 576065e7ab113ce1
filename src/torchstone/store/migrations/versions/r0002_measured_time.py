"""Revision 0002: add a column of the judged time, and an index of the history by moment.

A query then finds the best submission of a problem without reading every report, and imported
submissions appear in the order of their moments.
"""

import json

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_submissions = sa.table(
    "submissions",
    sa.column("number", sa.Integer),
    sa.column("report", sa.Text),
    sa.column("time_ms", sa.Float),
)


def upgrade() -> None:
    """Add the column, fill it from the stored reports, and replace the index of the history."""
    op.add_column("submissions", sa.Column("time_ms", sa.Float))
    op.drop_index("submissions_by_problem", "submissions")
    op.create_index("submissions_by_problem", "submissions", ["problem_id", "created_at", "number"])
    connection = op.get_bind()
    judged = sa.select(_submissions).where(_submissions.c.report.is_not(None))
    for row in connection.execute(judged).all():
        time_ms = json.loads(row.report).get("time_ms")
        if isinstance(time_ms, int | float):
            fill = _submissions.update().where(_submissions.c.number == row.number)
            connection.execute(fill.values(time_ms=float(time_ms)))
