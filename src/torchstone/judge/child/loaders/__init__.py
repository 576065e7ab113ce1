"""Loaders of submissions: Python, an extension, a native module."""
