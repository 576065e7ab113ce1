"""Search over problems and terms."""
