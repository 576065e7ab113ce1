"""Loaders of what is submitted: Python, an extension, a native module."""
