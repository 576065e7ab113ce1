"""What was measured around a recording: a trace does not say it of itself."""

from __future__ import annotations

from dataclasses import dataclass

from torchstone.doctor.sampled import SampledLines
from torchstone.doctor.source import Host


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """Hold what ``doctor run`` has measured of a rank, outside of its trace.

    Attributes:
        how: What its steps are: ``optimizer``, ``loader``, ``forward``, or ``whole``.
        step_us: The median time of an unwatched step; nothing where it has none.
        dilation: How many times as long a watched step takes.
        host: What was counted while it ran.
        bytes_at_steps: The memory in use at the ends of unwatched steps.
        profiling: The share of an unwatched step in which the program profiles itself, at least.
        lines: In which lines it was while it was recorded.
        notes: The keys of what else is to be known about it.
    """

    how: str
    step_us: float | None
    dilation: float | None
    host: Host
    bytes_at_steps: tuple[int, ...] = ()
    profiling: float = 0.0
    lines: SampledLines | None = None
    notes: tuple[str, ...] = ()
