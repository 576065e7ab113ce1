"""Subcommands: each module adds its arguments to a parser, and yields events.

The last event is the result. A module imports torch only when its events are requested, so that a
command that computes nothing starts fast.
"""
