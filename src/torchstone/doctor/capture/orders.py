"""Orders and results of a pass, exchanged with the child process as two JSON files."""

from __future__ import annotations

import msgspec

# The child writes its result to the first file, and its progress to the second.
RESULT, STATE, TRACE, LINES = "result.json", "state", "trace.json", "lines.json"


class Orders(msgspec.Struct, frozen=True, kw_only=True):
    """What a pass runs and records.

    Attributes:
        script: Path of a file, or name of a module.
        words: Command-line arguments of the program.
        is_module: Whether ``script`` is a module.
        folder: Output folder.
        how: The kind of steps to record, ``whole``, or empty to measure steps of all kinds.
        first: Number of step boundaries before the recording.
        warm_up: Number of steps that the profiler runs before its events count.
        steps: Number of steps to record.
        ranks: Number of processes in the run; their passes end at the same step.
        is_silent: Whether profilers started by the program are disabled.
        limit_s: Time limit of the pass, in seconds, enforced by the parent.
    """

    script: str
    words: list[str]
    is_module: bool
    folder: str = ""
    how: str = ""
    first: int = 0
    warm_up: int = 1
    steps: int = 5
    ranks: int = 1
    is_silent: bool = False
    limit_s: float = 900.0


class Timed(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a pass.

    Attributes:
        has_torch: Whether the program imports torch.
        how: The kind of steps; ``whole`` if the program has none.
        boundaries: Number of step boundaries of this kind.
        is_enough: Whether the pass stopped the program before its own end.
        step_us: Step times, without warm-up steps.
        watched_us: Step times while recording.
        step_begins: Start times of recorded steps, on the clock of the samples.
        resident: Memory in bytes at the ends of these steps: device memory if a device is used.
        cores: Number of cores available to the program.
        threads: Number of compute threads per process.
        processes: Number of processes of the program.
        switches: Context switches per step.
        reference: Context switches per step with one thread per core; 0 if not measured.
        profiles: Number of profilers started by the program.
        has_trace: Whether steps were recorded.
        no_module: Whether the module does not exist.
    """

    has_torch: bool = False
    how: str = "whole"
    boundaries: int = 0
    is_enough: bool = False
    step_us: list[float] = []
    watched_us: list[float] = []
    step_begins: list[float] = []
    resident: list[int] = []
    cores: int = 1
    threads: int = 1
    processes: int = 1
    switches: float = 0.0
    reference: float = 0.0
    profiles: int = 0
    has_trace: bool = False
    no_module: bool = False
