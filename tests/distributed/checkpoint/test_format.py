"""An index is taken only as it was written, and only for what ranks write."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from torchstone.distributed import World, Zero, checkpoint, run_threads
from torchstone.distributed.checkpoint.format import (
    INDEX,
    Damaged,
    folder_of,
    read_index,
    write_index,
)

pytestmark = [pytest.mark.torch]


class Odd(nn.Module):
    """A scalar, a matrix without rows, and complex numbers."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.scale = nn.Parameter(torch.tensor(1.5))
        self.empty = nn.Parameter(torch.empty(0, 3))
        self.register_buffer("nothing", torch.empty(0, dtype=torch.int64))
        self.turn = nn.Parameter(torch.randn(3, 2, dtype=torch.complex64))

    def forward(self, x: Tensor) -> Tensor:
        """Return a loss that needs all of them."""
        return (x.to(torch.complex64) @ self.turn).abs().sum() * self.scale + self.empty.sum()


def odd(world: World, stage: int) -> Zero:
    return Zero(Odd(), lambda p: torch.optim.Adam(p, lr=0.1), stage=stage, comm=world.comm())


def write(world: World, folder: Path, stage: int) -> dict[str, Tensor]:
    zero = odd(world, stage)
    zero.module(torch.ones(2, 3)).backward()
    zero.step()
    checkpoint.save(folder, zero.state_dict(), world)
    with zero.full_parameters():
        return {name: each.detach().clone() for name, each in zero.module.named_parameters()}


def read(world: World, folder: Path, stage: int) -> dict[str, Tensor]:
    zero = odd(world, stage)
    with torch.no_grad(), zero.full_parameters():
        for each in zero.module.parameters():
            each.zero_()
    state = zero.state_dict()
    checkpoint.load(folder, state, world)
    zero.load_state_dict(state)
    with zero.full_parameters():
        return {name: each.detach().clone() for name, each in zero.module.named_parameters()}


@pytest.mark.parametrize("stages", [(0, 3), (1, 0), (3, 2), (2, 1)])
def test_tensors_without_elements_are_saved_and_loaded(
    tmp_path: Path, stages: tuple[int, int]
) -> None:
    wanted = run_threads(write, 3, tmp_path / "run", stages[0])[0]
    checkpoint.reshard(tmp_path / "run", tmp_path / "out", 2)
    for folder in ("run", "out"):
        for found in run_threads(read, 2, tmp_path / folder, stages[1]):
            assert all(torch.equal(found[name], each) for name, each in wanted.items())


def test_a_flipped_bit_of_an_index_is_noticed(tmp_path: Path) -> None:
    run_threads(write, 2, tmp_path, 1)
    folder = folder_of(tmp_path, 1)
    content = (folder / INDEX).read_bytes()
    read_index(folder)
    draw = random.Random(0)
    for place in range(0, len(content), 101):
        flipped = bytearray(content)
        flipped[place] ^= 1 << draw.randrange(8)
        (folder / INDEX).write_bytes(flipped)
        with pytest.raises(Damaged):
            read_index(folder)


def test_a_folder_of_another_name_is_not_taken(tmp_path: Path) -> None:
    run_threads(write, 2, tmp_path, 1)
    folder_of(tmp_path, 1).rename(folder_of(tmp_path, 7))
    with pytest.raises(Damaged, match="of step 1"):
        read_index(folder_of(tmp_path, 7))


@pytest.mark.parametrize("name", ["../rank-00000.safetensors", "/rank-00000.safetensors", ""])
def test_an_index_names_no_file_elsewhere(tmp_path: Path, name: str) -> None:
    run_threads(write, 2, tmp_path, 1)
    folder = folder_of(tmp_path, 1)
    index = read_index(folder)
    files = {**index.files, name: index.files["rank-00000.safetensors"]}
    write_index(folder, replace(index, files=files))
    with pytest.raises(Damaged, match="which no rank writes"):
        read_index(folder)


def test_a_part_lies_in_a_file_with_a_digest(tmp_path: Path) -> None:
    run_threads(write, 2, tmp_path, 1)
    folder = folder_of(tmp_path, 1)
    index = read_index(folder)
    files = dict(index.files)
    del files["rank-00000.safetensors"]
    write_index(folder, replace(index, files=files))
    with pytest.raises(Damaged, match="which no rank writes"):
        read_index(folder)


def test_an_unknown_dtype_is_named(tmp_path: Path) -> None:
    run_threads(write, 2, tmp_path, 1)
    folder = folder_of(tmp_path, 1)
    index = read_index(folder)
    tensors = {name: replace(each, dtype="save") for name, each in index.tensors.items()}
    write_index(folder, replace(index, tensors=tensors))
    with pytest.raises(Damaged, match="has the dtype save"):
        read_index(folder)
