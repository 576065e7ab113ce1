"""What a scene may hold, and what a pass may take; what is cut is counted."""

MAX_STOPS = 20_000
MAX_NODES = 5_000
MAX_CELLS = 65_536
# A tensor with more elements has its cells not listed one by one.
MAX_LISTED_CELLS = 4_096
MAX_EVENTS = 20_000
SECONDS = 20
MEMORY_BYTES = 1 << 30
# Output that is kept, and output at which a program is ended.
KEPT_OUTPUT_BYTES = 64 << 10
MAX_OUTPUT_BYTES = 16 << 20
MAX_ANSWER_BYTES = 256 << 20
