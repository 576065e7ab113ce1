"""A program whose own profiler is switched off goes on as if it were there."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("torch")

pytestmark = pytest.mark.torch

# In a process of its own: what is replaced stays so.
PROGRAM = """
import torch
from torchstone.doctor.capture.silent import silence
silence()
from torch.autograd import profiler as autograd_profiler
from torch.profiler import ProfilerActivity, profile, schedule

with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=1, active=1)) as p:
    torch.ones(2).sum()
    p.step()
assert str(p.key_averages().table(sort_by="cpu_time_total")) == ""
assert list(p.events()) == [] and len(p.key_averages()) == 0
assert float(p.key_averages().total_average().self_cpu_time_total) == 0.0
p.export_chrome_trace("/nowhere/trace.json")

@profile(activities=[ProfilerActivity.CPU])
def step():
    return 3

assert step() == 3
with autograd_profiler.profile() as old:
    torch.ones(2).sum()
print(old.key_averages().table())

# The doctor's own is the real one.
from pathlib import Path
from torchstone.doctor.capture.recorder import Recorder
recorder = Recorder(Path("trace.json"), Path("lines.json"))
recorder.begin(warm_up=0, steps=2)
torch.ones(2).sum()
assert not recorder.step()
torch.ones(2).sum()
assert recorder.step() and recorder.is_written
assert "aten::sum" in Path("trace.json").read_text()
"""


@pytest.mark.full
def test_every_use_of_a_profiler_is_taken_and_ours_still_records(
    tmp_path: object,
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=str(tmp_path), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
