"""Scripts that are started several times, on folders that persist between the starts."""
