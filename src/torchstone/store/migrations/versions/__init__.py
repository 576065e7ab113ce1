"""Revisions of ``store.schema.REVISIONS``, a module each; a released one never changes."""
