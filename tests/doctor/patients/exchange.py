"""Patients of two ranks, which exchange gradients by gloo on one machine."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

from tests.doctor.patients.loops import layers
from tests.doctor.patients.recorded import Step, record


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Hold a program of two ranks, and what the doctor must say of it; empty if nothing."""

    name: str
    code: str
    make: Callable[[int], Step]


def one_by_one(rank: int) -> Step:
    """Exchanges each parameter by itself."""
    model = layers(40, width=16)
    inputs = torch.randn(16, 16)

    def step() -> None:
        model.zero_grad()
        model(inputs).square().mean().backward()
        for parameter in model.parameters():
            dist.all_reduce(parameter.grad)

    return step


def late(rank: int) -> Step:
    """Waits in the second rank before it computes."""
    model = DistributedDataParallel(layers(4, width=64))
    inputs = torch.randn(16, 64)

    def step() -> None:
        model.zero_grad()
        time.sleep(0.02 * rank)
        model(inputs).square().mean().backward()

    return step


def accumulated(rank: int, *, exchange: bool = True) -> Step:
    """Exchanges gradients of three micro-batches, after each or after the last."""
    whole = nn.Sequential(*(nn.Linear(512, 512) for _ in range(4)))
    model = DistributedDataParallel(whole)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    inputs = torch.randn(4, 512)

    def step() -> None:
        optimizer.zero_grad()
        for micro_batch in range(3):
            model.require_backward_grad_sync = exchange or micro_batch == 2
            model(inputs).square().mean().backward()
        optimizer.step()

    return step


def run(pairs: list[Pair], folder: Path) -> None:
    """Record all on both ranks, into ``NAME.RANK.json``."""
    context = multiprocessing.get_context("fork")
    ranks = [context.Process(target=_work, args=(rank, pairs, folder)) for rank in range(2)]
    for each in ranks:
        each.start()
    for each in ranks:
        each.join(120)
        assert each.exitcode == 0, "a rank did not finish"


def _work(rank: int, pairs: list[Pair], folder: Path) -> None:
    torch.set_num_threads(1)
    store = f"file://{folder}/store"
    dist.init_process_group("gloo", init_method=store, rank=rank, world_size=2)
    for pair in pairs:
        dist.barrier()
        record(lambda pair=pair: pair.make(rank), folder / f"{pair.name}.{rank}.json")  # type: ignore[misc]
    dist.destroy_process_group()


PAIRS = [
    Pair(name="29 chatterbox", code="TS-C002", make=one_by_one),
    Pair(name="30 laggard", code="TS-C003", make=late),
    Pair(name="31 no no_sync", code="TS-C004", make=accumulated),
]
