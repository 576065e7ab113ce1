"""Source lines sampled during a recording, aligned with the clock of its trace."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from torchstone.doctor.events import NONE, Floats, Ints
from torchstone.doctor.intervals import Intervals
from torchstone.doctor.lines import Parsed, Place, is_own

# Lines with fewer samples may be due to chance.
_LEAST_SAMPLES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledLines:
    """Samples of the main thread, as lines that the user can edit.

    Attributes:
        at: Time of each sample, in microseconds of a separate clock.
        line: For each sample the index of its deepest line in a file of the user, or ``NONE``.
        lines: File, line and function.
        steps: Start of each recorded step, on the same clock.
    """

    at: Floats
    line: Ints
    lines: list[Parsed]
    steps: Floats

    def places(self, times: Intervals, steps: Floats, *, num: int = 3) -> list[Place]:
        """Return the sampled lines in given intervals, largest share first.

        Args:
            times: Intervals on the clock of the trace.
            steps: Start of each step on that clock.
            num: Maximum number of lines.
        """
        together = min(len(steps), len(self.steps))
        if not together or len(self.at) < 2 or not times.length:
            return []
        shift = float(np.median(steps[:together] - self.steps[:together]))
        ends = self.at[1:] + shift
        # A sample represents the time since the previous one.
        weights = times.within(self.at[:-1] + shift, ends)
        line = self.line[1:]
        is_met = (weights > 0) & (line != NONE)
        taken = np.bincount(line[is_met], weights=weights[is_met], minlength=len(self.lines))
        counts = np.bincount(line[is_met], minlength=len(self.lines))
        order = [n for n in np.argsort(-taken, kind="stable") if counts[n] >= _LEAST_SAMPLES]
        return [self._place(int(n), float(taken[n]) / times.length) for n in order[:num]]

    def _place(self, number: int, share: float) -> Place:
        file, line, function = self.lines[number]
        return Place(file=_shown(file), line=line, function=function, share=min(1.0, share))


def read_lines(path: Path, steps: list[float]) -> SampledLines | None:
    """Return the samples in a file of the recording; None if there are none."""
    if not path.is_file():
        return None
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    frames: list[Parsed] = [(file, line, name) for file, line, name in found["frames"]]
    is_of_user = [is_own(file) for file, _, _ in frames]
    line = [next((n for n in stack if is_of_user[n]), NONE) for stack in found["stacks"]]
    return SampledLines(
        at=np.array(found["at"], dtype=np.float64),
        line=np.array(line, dtype=np.int64),
        lines=frames,
        steps=np.array(steps, dtype=np.float64),
    )


def _shown(file: str) -> str:
    """Return a path relative to the working directory of the program, if it is below it."""
    here = os.getcwd() + os.sep
    return file.removeprefix(here)
