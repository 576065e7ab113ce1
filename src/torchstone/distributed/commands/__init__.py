"""The commands: each module adds its arguments to a parser, and yields what happens.

The last thing that it yields is the result. A module imports torch when it is asked for events, so
that a command which computes nothing starts fast.
"""
