"""Samples are laid on the clock of a trace, and charged to lines that a user can edit."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

from torchstone.doctor.intervals import Intervals
from torchstone.doctor.sampled import SampledLines, read_lines

pytestmark = pytest.mark.pure

# The clock of the samples is so far ahead of the trace's.
SHIFT = 5000.0


def sampled(tmp_path: Path) -> SampledLines:
    """Ten samples a millisecond apart: the first five in one line, the others in another one."""
    here = os.getcwd()
    frames = [
        [f"{here}/train.py", 7, "load"],
        [f"{here}/train.py", 9, "main"],
        ["/usr/lib/python3.11/random.py", 3, "choice"],
        ["/x/torchstone/doctor/capture/child.py", 1, "main"],
    ]
    told = {
        "frames": frames,
        "at": [SHIFT + 1000.0 * n for n in range(11)],
        "stacks": [[2, 0, 1, 3]] * 6 + [[1, 3]] * 4 + [[3]],
    }
    path = tmp_path / "lines.json"
    path.write_text(json.dumps(told))
    found = read_lines(path, [SHIFT, SHIFT + 5000.0])
    assert found is not None
    return found


def test_the_deepest_line_of_the_user_has_the_time_before_its_sample(tmp_path: Path) -> None:
    whole = Intervals(np.array([0.0]), np.array([10_000.0]))
    places = sampled(tmp_path).places(whole, np.array([0.0, 5000.0]))
    assert [(each.file, each.line, each.function) for each in places] == [
        ("train.py", 7, "load"),
        ("train.py", 9, "main"),
    ]
    assert [each.share for each in places] == pytest.approx([0.5, 0.4])


def test_only_some_times_are_looked_at(tmp_path: Path) -> None:
    times = Intervals(np.array([5000.0]), np.array([9000.0]))
    (place,) = sampled(tmp_path).places(times, np.array([0.0, 5000.0]))
    assert (place.line, place.share) == (9, pytest.approx(1.0))


def test_few_samples_and_unknown_clocks_tell_nothing(tmp_path: Path) -> None:
    lines = sampled(tmp_path)
    short = Intervals(np.array([0.0]), np.array([2000.0]))
    assert lines.places(short, np.array([0.0])) == []
    assert lines.places(Intervals.nothing(), np.array([0.0])) == []
    whole = Intervals(np.array([0.0]), np.array([10_000.0]))
    assert lines.places(whole, np.zeros(0)) == []


def test_a_recording_without_samples_has_none(tmp_path: Path) -> None:
    assert read_lines(tmp_path / "none.json", []) is None
