"""What a pass is told to do, and what it tells when it has done it: two files of JSON."""

from __future__ import annotations

import msgspec

# In this file the child writes what it has found out, in the other one how far it is.
RESULT, STATE, TRACE, LINES = "result.json", "state", "trace.json", "lines.json"


class Orders(msgspec.Struct, frozen=True, kw_only=True):
    """Say what to run and what to do in it.

    Attributes:
        script: The path of a file, or the name of a module.
        words: The arguments of the program.
        is_module: Whether ``script`` is a module.
        folder: Where the files go.
        how: The kind of steps to record, ``whole``, or empty to measure steps of any kind.
        first: So many boundaries between steps pass before the recording begins.
        warm_up: So many steps the profiler runs before its events count.
        steps: So many steps are recorded.
        ranks: How many processes train together: their passes end at the same step.
        is_silent: Whether the profiler that the program uses itself is switched off.
        limit_s: After so many seconds the pass is ended from outside.
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
    """What a pass has found out.

    Attributes:
        has_torch: Whether the program imports torch.
        how: The kind of its steps; ``whole`` where it has none.
        boundaries: How many boundaries between steps of that kind there were.
        is_enough: Whether the pass ended the program, and not the program itself.
        step_us: The times of the steps, without those that warm up.
        watched_us: The times of the steps that were recorded.
        step_begins: When each of them began, on the clock of the samples.
        resident: Bytes of memory at the ends of the same steps: of the device where one is used.
        cores: How many cores the program may use.
        threads: The threads that compute in a process.
        processes: The processes of the program.
        switches: How often they gave up a core in a step.
        reference: How often with a thread a core; 0 where that was not tried.
        profiles: How many profilers the program has started itself.
        has_trace: Whether steps were recorded.
        no_module: Whether there is no module of that name.
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
