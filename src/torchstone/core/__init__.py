"""Shared foundation: verdicts, errors, messages, paths and settings."""
