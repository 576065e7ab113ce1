"""One module for each revision in ``store.schema.REVISIONS``; a released one never changes."""
