"""Revisions of ``store.schema.REVISIONS``, one module each; a released one never changes."""
