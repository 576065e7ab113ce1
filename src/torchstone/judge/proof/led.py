"""What a submission runs as where a leader starts several processes of it."""

from enum import Enum


class Led(Enum):
    """Name what a submission runs as, where that is more than one process.

    Attributes:
        RANKS: Ranks that are joined by a group or by pipes.
        WORKERS: A program that starts workers.
        RUNS: A script that is started again and again.
        LAUNCHES: A script that a launcher starts as several ranks.
    """

    RANKS = "ranks"
    WORKERS = "workers"
    RUNS = "runs"
    LAUNCHES = "launches"
