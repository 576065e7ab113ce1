"""What a patient is, and how the doctor's tests record one."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from torch._C._profiler import _ExperimentalConfig
from torch.profiler import ProfilerActivity, profile, schedule

Step = Callable[[], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient:
    """Hold a small program that is slow for one reason, and the same without it.

    Attributes:
        name: As in the table of the clinic.
        code: What the doctor must say first.
        sick: Makes what runs a step.
        cured: Makes the same, cured.
        functions: Where the first place may be; empty if the rule tells none.
        num_steps: How many are recorded.
    """

    name: str
    code: str
    sick: Callable[[], Step]
    cured: Callable[[], Step]
    functions: tuple[str, ...] = ()
    num_steps: int = 5


def record(make: Callable[[], Step], path: Path, *, num_steps: int = 5) -> None:
    """Record steps that are warm, with all that the profiler can tell without a device."""
    torch.manual_seed(0)
    step = make()
    for _ in range(3):
        step()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with profile(
            activities=[ProfilerActivity.CPU],
            record_shapes=True,
            with_stack=True,
            profile_memory=True,
            schedule=schedule(wait=0, warmup=2, active=num_steps, repeat=1),
            experimental_config=_ExperimentalConfig(record_python_gc_info=True),
            on_trace_ready=lambda made: made.export_chrome_trace(str(path)),
        ) as profiler:
            for _ in range(num_steps + 2):
                step()
                profiler.step()
