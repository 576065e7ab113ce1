"""Patients whose steps wait for data: in the loader, or in the loop itself."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset, TensorDataset

from tests.doctor.patients.recorded import Patient, Step


def trained(features: int = 256) -> Step:
    """A step of a small network on data that is there."""
    model = nn.Sequential(nn.Linear(features, 512), nn.ReLU(), nn.Linear(512, 10))
    inputs = torch.randn(256, features)
    return lambda: learn(model, inputs)


def learn(model: nn.Module, inputs: Tensor) -> None:
    model.zero_grad()
    model(inputs).square().mean().backward()


def endless(loader: DataLoader) -> Iterator[Tensor]:
    while True:
        yield from loader


class Slow(Dataset):
    """Samples that are decoded number by number."""

    def __len__(self) -> int:
        return 64

    def __getitem__(self, index: int) -> Tensor:
        rows = torch.full((16, 16), float(index)).tolist()
        return torch.tensor([[value / 255 - 0.5 for value in row] for row in rows]).flatten()


class Vectorised(Slow):
    def __getitem__(self, index: int) -> Tensor:
        return torch.full((16, 16), float(index)).div(255).sub(0.5).flatten()


class Far(Slow):
    """Samples that are read from afar."""

    def __getitem__(self, index: int) -> Tensor:
        time.sleep(0.001)
        return torch.zeros(256)


def stepped(data: Dataset, size: int = 16) -> Step:
    model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.Linear(512, 10))
    batches = endless(DataLoader(data, batch_size=size))

    def step() -> None:
        learn(model, next(batches))

    return step


def fed() -> Step:
    """The same network on a tensor that is there."""
    model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.Linear(512, 10))
    inputs = torch.randn(16, 256)
    return lambda: learn(model, inputs)


def eager(*, persistent: bool) -> Step:
    """An epoch of two batches a step, with a worker."""
    model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512))
    data = TensorDataset(torch.randn(32, 256))

    def made() -> DataLoader:
        return DataLoader(data, batch_size=16, num_workers=1, persistent_workers=persistent)

    kept = made()
    batches = iter(endless_of_one(kept))

    def step() -> None:
        if persistent:
            learn(model, next(batches))
            return
        for (inputs,) in made():
            learn(model, inputs)

    return step


def endless_of_one(loader: DataLoader) -> Iterator[Tensor]:
    while True:
        for (inputs,) in loader:
            for _ in range(20):
                yield inputs


def cook(*, in_loop: bool) -> Step:
    """Normalises and flips with NumPy in the loop."""
    model = nn.Sequential(nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, 10))
    raw = np.random.default_rng(0).integers(0, 255, (128, 256)).astype(np.float32)
    ready = torch.from_numpy(prepared(raw))

    def step() -> None:
        learn(model, torch.from_numpy(prepared(raw)) if in_loop else ready)

    return step


def prepared(raw: np.ndarray) -> np.ndarray:
    rows = []
    # Written out: a comprehension has a frame of its own before Python 3.12.
    for at, row in enumerate(raw):
        scaled = (row - row.mean()) / row.std()
        rows.append(scaled[::-1] if at % 2 else scaled)
    return np.stack(rows)


def listed(*, in_loop: bool) -> Step:
    """Makes a tensor from nested lists in each step."""
    model = nn.Sequential(nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, 10))
    rows = torch.randn(256, 256).tolist()
    ready = torch.tensor(rows)

    def step() -> None:
        learn(model, torch.tensor(rows) if in_loop else ready)

    return step


def masked(*, in_loop: bool) -> Step:
    """Makes the same mask in Python in each step."""
    model = nn.Linear(96, 96)
    inputs = torch.randn(96, 96)
    ready = by_hand(96)

    def step() -> None:
        mask = by_hand(96) if in_loop else ready
        scores = model(inputs).masked_fill(mask, float("-inf"))
        scores.softmax(-1).sum().backward()

    return step


def by_hand(length: int) -> Tensor:
    rows = []
    for row in range(length):
        hidden = []
        for column in range(length):
            hidden.append(column > row)
        rows.append(hidden)
    return torch.tensor(rows)


PATIENTS = [
    Patient(
        name="02 slow decoder",
        code="TS-D001",
        sick=lambda: stepped(Slow()),
        cured=fed,
        functions=("__getitem__",),
    ),
    Patient(
        name="03 far disk",
        code="TS-D001",
        sick=lambda: stepped(Far()),
        cured=fed,
        functions=("__getitem__",),
    ),
    Patient(
        name="04 eager loader",
        code="TS-D003",
        sick=lambda: eager(persistent=False),
        cured=lambda: eager(persistent=True),
        functions=("step",),
        num_steps=4,
    ),
    Patient(
        name="05 cook at the table",
        code="TS-D004",
        sick=lambda: cook(in_loop=True),
        cured=lambda: cook(in_loop=False),
        functions=("prepared",),
    ),
    Patient(
        name="06 list to tensor",
        code="TS-D004",
        sick=lambda: listed(in_loop=True),
        cured=lambda: listed(in_loop=False),
        functions=("step",),
    ),
    Patient(
        name="07 mask by hand",
        code="TS-D004",
        sick=lambda: masked(in_loop=True),
        cured=lambda: masked(in_loop=False),
        functions=("by_hand",),
    ),
]
