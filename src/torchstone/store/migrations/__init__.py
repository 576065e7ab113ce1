"""Alembic migrations of the database; ``versions`` has one module for each revision."""
