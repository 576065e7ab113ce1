"""Limits of the contents of a trace. Each limit has its own error."""

# A trace is read in pieces of this size, so that its text is never in memory as a whole.
PIECE_BYTES = 16 << 20
# Size of the fields before or after the events.
MAX_HEAD_BYTES = 64 << 20
# A longer event has no end: its text is damaged.
MAX_EVENT_BYTES = 64 << 20
# Larger times have no digits left for microseconds.
MAX_TIME_US = 2.0**53
# Size of one file after decompression.
MAX_BYTES = 8 << 30
# gzip compresses a trace by a factor of 10 to 40; a larger factor indicates a decompression bomb.
MAX_UNPACKED_RATIO = 400
MAX_EVENTS = 50_000_000
MAX_FILES = 1024
