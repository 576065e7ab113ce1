"""Handbook: reading of chapters, and execution of their cells."""
