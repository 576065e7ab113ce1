"""The migrations of the database, run by Alembic; ``versions`` has one module for each revision."""
