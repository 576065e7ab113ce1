"""Schemas of the measured times of a problem's programs."""

from __future__ import annotations

from datetime import datetime

from torchstone.web.schemas import ApiModel, Words


class ProgramTime(ApiModel):
    """The medians of a program of the bank; null if they are not measured yet.

    Args:
        ms: The time of the cases.
        cycles: The cost of its kernels in the cost model; null if the judge counts none.
        saved_bytes: What it saves for backward; null if the problem does not limit it.
        saved_ratio: The same, as a multiple of the arguments' bytes.
        words: The misconception of a slow program; null for a right answer.
    """

    name: str
    ms: float | None
    cycles: float | None
    saved_bytes: float | None
    saved_ratio: float | None
    words: Words | None


class OwnTime(ApiModel):
    """The time in milliseconds, the cost and the saved bytes of an accepted submission.

    Args:
        is_cost_outdated: Whether another version of the cost model computed its cost, which is
            left out.
    """

    submission: str
    ms: float
    created_at: datetime
    is_cost_outdated: bool
    cycles: float | None
    saved_bytes: float | None
    saved_ratio: float | None


class Times(ApiModel):
    """What is measured of a problem's programs: time without building, cost, saved bytes.

    Args:
        slow: CUDA programs with right values that are refused for their cost.
        num_runs: How many judgements a median of a program of the bank is taken over.
    """

    solutions: list[ProgramTime]
    own: list[OwnTime]
    slow: list[ProgramTime]
    num_runs: int
