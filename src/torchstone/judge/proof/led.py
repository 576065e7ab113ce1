"""Kinds of submissions for which a leader starts several processes."""

from enum import Enum


class Led(Enum):
    """Form of a submission that runs as more than one process.

    Attributes:
        RANKS: Ranks that are joined by a process group or by pipes.
        WORKERS: A program that starts workers.
        RUNS: A script that is started repeatedly.
        LAUNCHES: A script that a launcher starts as several ranks.
    """

    RANKS = "ranks"
    WORKERS = "workers"
    RUNS = "runs"
    LAUNCHES = "launches"
