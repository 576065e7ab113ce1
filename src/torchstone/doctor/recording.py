"""Measurements around a recording that a trace does not contain."""

from __future__ import annotations

from dataclasses import dataclass

from torchstone.doctor.sampled import SampledLines
from torchstone.doctor.source import Host


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """Measurements of a rank by ``doctor run``, outside of its trace.

    Attributes:
        how: Kind of its steps: ``optimizer``, ``loader``, ``forward``, or ``whole``.
        step_us: Median step time without the profiler; None without steps.
        dilation: Ratio of profiled to unprofiled step time.
        host: Counters measured during the run.
        bytes_at_steps: Memory in use at the ends of unprofiled steps.
        profiling: Lower bound of the share of a step taken by the program's own profiler.
        lines: Source lines sampled during the recording.
        notes: Keys of further notes.
    """

    how: str
    step_us: float | None
    dilation: float | None
    host: Host
    bytes_at_steps: tuple[int, ...] = ()
    profiling: float = 0.0
    lines: SampledLines | None = None
    notes: tuple[str, ...] = ()
