"""Every way to train, once on two real processes: the bits of one process."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.distributed.launch import by_variables
from tests.distributed.models import digest
from tests.distributed.training import OPTIMIZERS, train_alone, values

pytestmark = [pytest.mark.torch, pytest.mark.full]

PROGRAM = """
from tests.distributed.models import digest
from tests.distributed.training import OPTIMIZERS, Language, batch, rare_of, values

torch.set_num_threads(1)
make, digests = OPTIMIZERS["adamw"], {}

def train(module, optimizer, no_sync):
    for step in range(4):
        for part in range(2):
            context = no_sync() if part == 0 else torch.enable_grad()
            with context:
                tokens = batch(step, world.rank * 2 + part)
                module(tokens, rare=rare_of(step, world.rank)).backward()
        optimizer.step()
        optimizer.zero_grad()

with td.init() as world:
    ddp = td.DataParallel(Language(), find_unused_parameters=True, bucket_mb=0.02)
    train(ddp, make(ddp.parameters()), ddp.no_sync)
    digests["ddp"] = digest(values(ddp.module).values())
    for stage in (1, 2, 3):
        zero = td.Zero(Language(), make, stage=stage, bucket_mb=0.02)
        train(zero.module, zero, zero.no_sync)
        with zero.full_parameters():
            digests[f"zero{stage}"] = digest(values(zero.module).values())
    record("digests", digests)
"""


def test_each_way_to_train_has_the_bits_of_one_process(tmp_path: Path, free_port: int) -> None:
    wanted = digest(values(train_alone(2, OPTIMIZERS["adamw"], accumulate=2)).values())
    there = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port)}
    variables = [{"RANK": str(rank), **there} for rank in range(2)]
    ranks = by_variables(PROGRAM, variables, tmp_path, until="digests")
    ways = ("ddp", "zero1", "zero2", "zero3")
    assert ranks.each("digests") == [dict.fromkeys(ways, wanted)] * 2
