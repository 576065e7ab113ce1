"""Patients that call small operators one by one: for rows, cells, parameters and layers."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from tests.doctor.patients.loading import learn
from tests.doctor.patients.recorded import Patient, Step


def rows(*, one_by_one: bool) -> Step:
    """Calls a module for each row."""
    model = nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 8))
    inputs = torch.randn(128, 64)

    def step() -> None:
        model.zero_grad()
        if one_by_one:
            rows = []
            for row in inputs:
                rows.append(model(row))
            outputs = torch.stack(rows)
        else:
            outputs = model(inputs)
        outputs.square().mean().backward()

    return step


class Cells(nn.Module):
    """Runs a cell over a sequence."""

    def __init__(self) -> None:
        super().__init__()
        self.cell = nn.LSTMCell(16, 16)

    def forward(self, inputs: Tensor) -> Tensor:
        hidden = torch.zeros(inputs.shape[1], 16)
        state = torch.zeros(inputs.shape[1], 16)
        for each in inputs:
            hidden, state = self.cell(each, (hidden, state))
        return hidden


class Layer(nn.Module):
    """Runs the same as one operator."""

    def __init__(self) -> None:
        super().__init__()
        self.cells = nn.LSTM(16, 16)

    def forward(self, inputs: Tensor) -> Tensor:
        outputs: Tensor = self.cells(inputs)[0][-1]
        return outputs


def sequence(model: nn.Module) -> Step:
    inputs = torch.randn(96, 8, 16)
    return lambda: learn(model, inputs)


def layers(num: int, width: int = 16) -> nn.Sequential:
    """Many layers, each of its own: a loop over them cannot be vectorised."""
    return nn.Sequential(*(nn.Linear(width, width) for _ in range(num)))


def updated(*, fused: bool) -> Step:
    """Updates 200 small tensors by AdamW."""
    model = layers(100)
    optimizer = torch.optim.AdamW(model.parameters(), foreach=False, fused=fused)
    inputs = torch.randn(32, 16)

    def step() -> None:
        learn(model, inputs)
        optimizer.step()

    return step


def averaged(*, one_by_one: bool) -> Step:
    """Keeps the moving average of parameters by a loop."""
    model = nn.Sequential(*layers(96))
    kept = [parameter.detach().clone() for parameter in model.parameters()]
    whole = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 256))
    inputs = torch.randn(32, 256)

    def step() -> None:
        learn(whole, inputs)
        if one_by_one:
            moved(kept, model)

    return step


def moved(kept: list[Tensor], model: nn.Module) -> None:
    with torch.no_grad():
        for average, parameter in zip(kept, model.parameters(), strict=True):
            average.mul_(0.99)
            average.add_(parameter * 0.01)


def clipped(*, by_item: bool) -> Step:
    """Asks each gradient for its norm."""
    model = layers(96, width=8)
    inputs = torch.randn(2, 8)

    def step() -> None:
        learn(model, inputs)
        if by_item:
            scale(model)

    return step


def scale(model: nn.Module) -> None:
    total = sum(each.grad.norm().item() ** 2 for each in model.parameters())
    for each in model.parameters():
        each.grad.mul_(1 / max(1.0, total**0.5))


def overheard(*, with_hooks: bool) -> Step:
    """Writes down the mean of each layer's output."""
    model = layers(96)
    seen: list[float] = []

    def hear(module: nn.Module, inputs: object, output: Tensor) -> None:
        seen.append(output.mean().item())

    if with_hooks:
        for module in model:
            module.register_forward_hook(hear)
    inputs = torch.randn(16, 16)
    return lambda: learn(model, inputs)


PATIENTS = [
    Patient(
        name="08 one row at a time",
        code="TS-L003",
        sick=lambda: rows(one_by_one=True),
        cured=lambda: rows(one_by_one=False),
        functions=("step", "<listcomp>"),
    ),
    Patient(
        name="09 cell by cell",
        code="TS-L003",
        sick=lambda: sequence(Cells()),
        cured=lambda: sequence(Layer()),
        functions=("forward",),
    ),
    Patient(
        name="10 small steps",
        code="TS-L002",
        sick=lambda: updated(fused=False),
        cured=lambda: updated(fused=True),
        functions=("step",),
    ),
    Patient(
        name="11 moving average",
        code="TS-L003",
        sick=lambda: averaged(one_by_one=True),
        cured=lambda: averaged(one_by_one=False),
        functions=("moved",),
    ),
    Patient(
        name="12 norm by item",
        code="TS-L003",
        sick=lambda: clipped(by_item=True),
        cured=lambda: clipped(by_item=False),
        functions=("<genexpr>", "scale"),
    ),
    Patient(
        name="27 eavesdropper",
        code="TS-L003",
        sick=lambda: overheard(with_hooks=True),
        cured=lambda: overheard(with_hooks=False),
        functions=("hear",),
    ),
]
