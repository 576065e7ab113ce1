"""What a trace may hold at most. Each limit has its own refusal."""

# A trace is read in pieces of this size, so that its text is never whole in memory.
PIECE_BYTES = 16 << 20
# What stands before the events, or behind them.
MAX_HEAD_BYTES = 64 << 20
# An event that is longer has no end: its text is damaged.
MAX_EVENT_BYTES = 64 << 20
# Times beyond have no digit left for microseconds.
MAX_TIME_US = 2.0**53
# Of one file, unpacked.
MAX_BYTES = 8 << 30
# gzip packs a trace 10 to 40 times; a file that grows more is made to fill the memory.
MAX_UNPACKED_RATIO = 400
MAX_EVENTS = 50_000_000
MAX_FILES = 1024
