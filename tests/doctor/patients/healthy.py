"""Programs that are well, or beyond cure: nothing is the answer."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from tests.doctor.patients.loading import endless, learn
from tests.doctor.patients.loops import layers
from tests.doctor.patients.recorded import Step


def product() -> Step:
    """One large product."""
    left, right = torch.randn(512, 512), torch.randn(512, 512)

    def step() -> None:
        left @ right

    return step


def chain() -> Step:
    """Operators as fast as memory."""
    values = torch.randn(1 << 20)

    def step() -> None:
        hidden = values
        for _ in range(4):
            hidden = hidden * 1.01 + 0.5

    return step


class Block(nn.Module):
    """A layer of a Transformer with scaled_dot_product_attention."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.project = nn.Linear(width, 3 * width)
        self.feed = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, hidden: Tensor) -> Tensor:
        heads = self.project(self.norm(hidden)).chunk(3, dim=-1)
        query, key, value = (each.unflatten(-1, (4, -1)).transpose(1, 2) for each in heads)
        mixed = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        hidden = hidden + mixed.transpose(1, 2).flatten(2)
        return hidden + self.feed(self.norm(hidden))


def transformer() -> Step:
    model = nn.Sequential(*(Block(64) for _ in range(2)))
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    inputs = torch.randn(8, 64, 64)

    def step() -> None:
        learn(model, inputs)
        optimizer.step()

    return step


def fed() -> Step:
    """A loader whose batches are ready at once."""
    model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.Linear(512, 10))
    data = TensorDataset(torch.randn(4096, 256))
    whole = DataLoader(
        data, batch_size=None, sampler=[slice(at, at + 512) for at in range(0, 4096, 512)]
    )
    batches = endless(whole)

    def step() -> None:
        learn(model, next(batches)[0])

    return step


def deep() -> Step:
    """Many small layers, which depend on each other."""
    model, inputs = layers(100), torch.randn(8, 16)
    return lambda: learn(model, inputs)


def lower() -> Step:
    """Products in bfloat16 by autocast, which casts a weight once a step."""
    model = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 256))
    inputs = torch.randn(1024, 256)

    def step() -> None:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = model(inputs).square().mean()
        model.zero_grad()
        loss.backward()

    return step


def convolved() -> Step:
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 16, 3)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    inputs = torch.randn(16, 3, 24, 24)

    def step() -> None:
        learn(model, inputs)
        optimizer.step()

    return step


HEALTHY = [product, chain, transformer, fed, deep, lower, convolved]
