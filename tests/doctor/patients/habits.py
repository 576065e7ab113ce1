"""Patients with bad habits: debugging left on, collecting, writing, tracing, keeping, float64."""

from __future__ import annotations

import gc
import os
import tempfile
import warnings
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from tests.doctor.patients.loading import learn
from tests.doctor.patients.recorded import Patient, Step


def plain(width: int = 256) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 8)
    )


def watched(*, anomaly: bool) -> Step:
    """Trains under anomaly mode."""
    model, inputs = plain(64), torch.randn(64, 64)

    def step() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with torch.autograd.set_detect_anomaly(anomaly):
                learn(model, inputs)

    return step


def swept(*, each_step: bool) -> Step:
    """Collects a large heap in each step."""
    model, inputs = plain(), torch.randn(64, 256)
    heap = [[number] for number in range(200_000)]

    def step() -> None:
        learn(model, inputs)
        if each_step:
            gc.collect()
        assert heap

    return step


def written(*, each_step: bool) -> Step:
    """Writes a line to the disk, and a checkpoint, in each step."""
    model, inputs = plain(), torch.randn(64, 256)
    folder = Path(tempfile.mkdtemp())

    def step() -> None:
        learn(model, inputs)
        if each_step:
            torch.save(model.state_dict(), folder / "model.pt")
            with (folder / "log").open("a") as log:
                log.write("step\n")
                log.flush()
                os.fsync(log.fileno())

    return step


def hoarded(*, graphs: bool) -> Step:
    """Adds up losses with their graphs."""
    model, inputs = plain(64), torch.randn(512, 64)
    total = [torch.zeros(())]

    def step() -> None:
        model.zero_grad()
        loss = model(inputs).square().mean()
        loss.backward(retain_graph=graphs)
        total[0] = total[0] + (loss if graphs else loss.detach())

    return step


def saved(*, again: bool) -> Step:
    """Computes each block twice to save memory."""
    blocks = nn.ModuleList(nn.Sequential(nn.Linear(256, 256), nn.GELU()) for _ in range(6))
    inputs = torch.randn(256, 256)

    def step() -> None:
        blocks.zero_grad()
        hidden = inputs
        for block in blocks:
            hidden = checkpoint(block, hidden, use_reentrant=False) if again else block(hidden)
        hidden.square().mean().backward()

    return step


def double(*, accident: bool) -> Step:
    """Compares with a target that NumPy has made in float64."""
    model = plain()
    inputs = torch.randn(256, 256)
    table = np.random.default_rng(0).standard_normal((8, 2048))
    targets = torch.from_numpy(table if accident else table.astype(np.float32))

    def step() -> None:
        model.zero_grad()
        outputs = model(inputs).to(targets.dtype)
        (outputs @ targets).square().mean().backward()

    return step


def cast(*, each_time: bool) -> Step:
    """Keeps weights in bfloat16 and multiplies them in float32."""
    # Not the other way round: products in bfloat16 are slow on processors without instructions for
    # it, and casts are then a small part.
    weight = torch.randn(1024, 1024).bfloat16()
    ready = weight.float()
    inputs = torch.randn(8, 1024)

    def step() -> None:
        hidden = inputs
        for _ in range(4):
            hidden = hidden @ (weight.float() if each_time else ready)

    return step


def traced(*, each_step: bool) -> Step:
    """Traces the model again in each step."""
    model, inputs = plain(), torch.randn(64, 256)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ready = torch.jit.trace(model, inputs)

    def step() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            learn(torch.jit.trace(model, inputs) if each_step else ready, inputs)

    return step


PATIENTS = [
    Patient(
        name="19 double",
        code="TS-N001",
        sick=lambda: double(accident=True),
        cured=lambda: double(accident=False),
        functions=("step",),
    ),
    Patient(
        name="19b casts",
        code="TS-N002",
        sick=lambda: cast(each_time=True),
        cured=lambda: cast(each_time=False),
        functions=("step",),
    ),
    Patient(
        name="21 detective",
        code="TS-O003",
        sick=lambda: watched(anomaly=True),
        cured=lambda: watched(anomaly=False),
        functions=("learn",),
    ),
    Patient(
        name="23 sweeper",
        code="TS-O002",
        sick=lambda: swept(each_step=True),
        cured=lambda: swept(each_step=False),
        functions=("step",),
    ),
    Patient(
        name="24 diarist",
        code="TS-O004",
        sick=lambda: written(each_step=True),
        cured=lambda: written(each_step=False),
        functions=("step",),
    ),
    Patient(
        name="25 hoarder",
        code="TS-M003",
        sick=lambda: hoarded(graphs=True),
        cured=lambda: hoarded(graphs=False),
        num_steps=10,
    ),
    Patient(
        name="26 miser",
        code="TS-M004",
        sick=lambda: saved(again=True),
        cured=lambda: saved(again=False),
        functions=("step",),
    ),
    Patient(
        name="32 always new",
        code="TS-L004",
        sick=lambda: traced(each_step=True),
        cured=lambda: traced(each_step=False),
        functions=("step",),
    ),
]
