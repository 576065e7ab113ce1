"""Alembic environment: migrate on the connection and in the transaction of ``store.migration``."""

from alembic import context

from torchstone.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # SQLite alters a table by copying it.
    render_as_batch=True,
)
context.run_migrations()
