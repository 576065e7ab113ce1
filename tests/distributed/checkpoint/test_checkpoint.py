"""Checkpoints: any number of ranks and any stage writes, any other reads, and damage is named."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from tests.distributed.training import OPTIMIZERS, Language, batch, differing, values
from torchstone.distributed import Refusal, World, Zero, checkpoint, run_threads
from torchstone.distributed.checkpoint.format import (
    INDEX,
    folder_of,
    read_index,
    steps_of,
    write_index,
)

pytestmark = [pytest.mark.torch]


def make(world: World, stage: int) -> Zero:
    return Zero(Language(), OPTIMIZERS["adamw"], stage=stage, comm=world.comm(), bucket_mb=0.02)


def advance(zero: Zero, first: int, last: int) -> None:
    """Train with the same batch on all ranks, so that their number does not count."""
    for step in range(first, last):
        zero.module(batch(step, 0)).backward()
        zero.step()
        zero.zero_grad()


def write(world: World, folder: Path, stage: int, steps: tuple[int, ...] = (3,)) -> None:
    zero, step = make(world, stage), 0
    for each in steps:
        advance(zero, step, each)
        step = each
        checkpoint.save(folder, zero.state_dict(), world)


def go_on(world: World, folder: Path, stage: int, last: int = 6) -> dict[str, Tensor]:
    """Load, train to a step, and return the parameters."""
    zero = make(world, stage)
    with torch.no_grad(), zero.full_parameters():
        for parameter in zero.module.parameters():
            parameter.fill_(7)
    state = zero.state_dict()
    step = checkpoint.load(folder, state, world)
    zero.load_state_dict(state)
    advance(zero, step, last)
    with zero.full_parameters():
        return {**values(zero.module), "calls": zero.module.calls.clone()}


def undisturbed(size: int, stage: int, last: int = 6) -> dict[str, Tensor]:
    def run(world: World) -> dict[str, Tensor]:
        zero = make(world, stage)
        advance(zero, 0, last)
        with zero.full_parameters():
            return {**values(zero.module), "calls": zero.module.calls.clone()}

    return dict(run_threads(run, size)[0])


@pytest.mark.full
@settings(max_examples=25)
@given(
    sizes=st.tuples(st.sampled_from([1, 2, 4]), st.sampled_from([1, 2, 4])),
    stages=st.tuples(st.integers(0, 3), st.integers(0, 3)),
)
def test_any_world_and_stage_goes_on_from_any_other(
    tmp_path_factory: pytest.TempPathFactory, sizes: tuple[int, int], stages: tuple[int, int]
) -> None:
    # The same batch on one, two or four ranks: their mean is exactly that of one. Of eight the
    # sum is rounded on its way.
    folder = tmp_path_factory.mktemp("run")
    run_threads(write, sizes[0], folder, stages[0])
    found = run_threads(go_on, sizes[1], folder, stages[1])
    wanted = undisturbed(1, 1)
    for each in found:
        assert differing(each, wanted) == []


@pytest.mark.parametrize("size", [1, 3])
def test_a_resharded_checkpoint_is_the_same(tmp_path: Path, size: int) -> None:
    run_threads(write, 4, tmp_path / "run", 3)
    made = checkpoint.reshard(tmp_path / "run", tmp_path / "out", size)
    assert read_index(made).world_size == size
    assert len(list(made.glob("rank-*"))) == size
    before = {each.name: each.read_bytes() for each in made.iterdir()}
    with pytest.raises(Refusal, match="is not overwritten"):
        checkpoint.reshard(tmp_path / "run", tmp_path / "out", size + 1)
    assert {each.name: each.read_bytes() for each in made.iterdir()} == before
    found = run_threads(go_on, 2, tmp_path / "out", 2)
    for each in found:
        assert differing(each, undisturbed(1, 1)) == []


def test_a_folder_of_one_checkpoint_is_enough(tmp_path: Path) -> None:
    run_threads(write, 3, tmp_path / "run", 2, (1, 3))
    one = folder_of(tmp_path / "run", 1)
    summary = checkpoint.inspect(one)
    assert (summary.step, summary.complete, summary.is_single, summary.steps) == (
        1,
        True,
        True,
        (1,),
    )

    def read(world: World) -> int:
        return checkpoint.load(one, make(world, 3).state_dict(), world)

    assert run_threads(read, 2) == [1, 1]
    assert checkpoint.reshard(one, tmp_path / "out", 2) == folder_of(tmp_path / "out", 1)
    assert not checkpoint.inspect(tmp_path / "out").is_single
    with pytest.raises(Refusal, match="There is no checkpoint"):
        checkpoint.inspect(one, step=3)


def test_a_summary_says_what_is_there(tmp_path: Path) -> None:
    run_threads(write, 2, tmp_path, 2, (1, 3))
    summary = checkpoint.inspect(tmp_path)
    assert (summary.step, summary.world_size, summary.complete) == (3, 2, True)
    assert summary.steps == (3, 1)
    assert summary.num_bytes == sum(
        each.stat().st_size for each in folder_of(tmp_path, 3).glob("rank-*")
    )


def test_as_many_stay_as_are_asked_for(tmp_path: Path) -> None:
    def run(world: World) -> None:
        zero = make(world, 1)
        for step in range(1, 6):
            advance(zero, step - 1, step)
            checkpoint.save(tmp_path, zero.state_dict(), world, keep=3)

    run_threads(run, 2)
    assert steps_of(tmp_path) == [5, 4, 3]


def damage(folder: Path, kind: str) -> str:
    """Damage the newest checkpoint; return what is named."""
    newest = folder_of(folder, steps_of(folder)[0])
    file = newest / "rank-00001.safetensors"
    if kind == "flipped":
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 16
        file.write_bytes(content)
    elif kind == "cut":
        file.write_bytes(file.read_bytes()[:-100])
    elif kind == "missing":
        file.unlink()
    elif kind == "foreign":
        shutil.copy(newest / "rank-00000.safetensors", file)
    elif kind == "no index":
        (newest / INDEX).unlink()
        return INDEX
    elif kind == "half an index":
        path = newest / INDEX
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        return INDEX
    elif kind == "a gap":
        tensors = dict(read_index(newest).tensors)
        name = next(name for name, each in tensors.items() if len(each.parts) > 1)
        tensors[name] = replace(tensors[name], parts=tensors[name].parts[1:])
        write_index(newest, replace(read_index(newest), tensors=tensors))
        return name
    return file.name


@pytest.mark.parametrize(
    "kind", ["flipped", "cut", "missing", "foreign", "no index", "half an index", "a gap"]
)
def test_a_damaged_one_is_named_and_the_one_before_it_taken(tmp_path: Path, kind: str) -> None:
    run_threads(write, 3, tmp_path, 3, (2, 4))
    named = damage(tmp_path, kind)
    summary = checkpoint.inspect(tmp_path)
    assert (summary.step, summary.complete) == (2, False)
    assert named in summary.damaged[0]

    def run(world: World) -> int:
        return checkpoint.load(tmp_path, make(world, 1).state_dict(), world)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert run_threads(run, 2) == [2, 2]
    assert any(named in str(each.message) for each in caught)


def test_if_all_are_damaged_that_is_said(tmp_path: Path) -> None:
    run_threads(write, 2, tmp_path, 1)
    named = damage(tmp_path, "flipped")
    with pytest.raises(Refusal, match=named), pytest.warns(UserWarning, match=named):
        run_threads(go_on, 2, tmp_path, 1)


def test_another_model_is_refused_by_name(tmp_path: Path) -> None:
    run_threads(write, 2, tmp_path, 1)

    def run(world: World) -> None:
        module = Language(num_layers=4)
        zero = Zero(module, OPTIMIZERS["adamw"], stage=1, comm=world.comm())
        checkpoint.load(tmp_path, zero.state_dict(), world)

    with pytest.raises(Refusal, match=r"another model: parameter\.blocks\.3\..* is nothing"):
        run_threads(run, 2)


@pytest.mark.parametrize("wide", ["parameter", "buffer"])
def test_another_dtype_is_another_model(tmp_path: Path, wide: str) -> None:
    run_threads(write, 2, tmp_path, 1)

    def run(world: World) -> None:
        module = Language()
        if wide == "parameter":
            module.blocks[1].norm.double()
        else:
            module.calls = module.calls.double()
        zero = Zero(module, OPTIMIZERS["adamw"], stage=3, comm=world.comm())
        checkpoint.load(tmp_path, zero.state_dict(), world)

    with pytest.raises(Refusal, match=r"is \(.*\) (float32|int64); expected \(.*\) float64"):
        run_threads(run, 2)


def test_a_checkpoint_of_bfloat16_is_one_of_float32(tmp_path: Path) -> None:
    run_threads(write, 2, tmp_path, 1)

    def run(world: World) -> int:
        module = Language(dtype=torch.bfloat16)
        module.wide.data = module.wide.data.double()
        zero = Zero(module, OPTIMIZERS["adamw"], stage=3, comm=world.comm())
        return checkpoint.load(tmp_path, zero.state_dict(), world)

    assert run_threads(run, 2) == [3, 3]


def test_a_folder_without_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="save one first"):
        run_threads(go_on, 2, tmp_path / "none", 1)
    with pytest.raises(Refusal, match="save one first"):
        checkpoint.inspect(tmp_path)


def test_what_was_never_finished_is_no_checkpoint(tmp_path: Path) -> None:
    run_threads(write, 2, tmp_path, 1, (2, 4))
    os.rename(folder_of(tmp_path, 4), tmp_path / "step-00000004.part")
    assert checkpoint.inspect(tmp_path).step == 2
    run_threads(write, 2, tmp_path, 1, (5,))
    assert list(tmp_path.glob("*.part")) == []


def test_a_rank_that_cannot_write_stops_all_and_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_threads(write, 3, tmp_path, 1, (2,))
    # The package has a function of that name, too.
    module = sys.modules["torchstone.distributed.checkpoint.save"]
    plain = module.write_tensors

    def write_tensors(path: Path, tensors: dict[str, Any]) -> str:
        if path.name == "rank-00002.safetensors":
            raise OSError(28, "No space left on device")
        return plain(path, tensors)

    monkeypatch.setattr(module, "write_tensors", write_tensors)
    with pytest.raises(Refusal, match="rank 2: No space left on device") as caught:
        run_threads(write, 3, tmp_path, 1, (4,))
    assert caught.value.code == "rank_unwritable"
    assert steps_of(tmp_path) == [2]
    assert list(tmp_path.glob("*.part")) == []


def test_a_folder_that_hosts_do_not_share_is_refused(tmp_path: Path) -> None:
    def run(world: World) -> None:
        own = tmp_path / f"host-{world.rank}"
        checkpoint.save(own, make(world, 1).state_dict(), world)

    with pytest.raises(Refusal, match="rank 1 does not see") as caught:
        run_threads(run, 2)
    assert caught.value.code == "not_shared"


def test_the_step_is_saved_again_in_its_place(tmp_path: Path) -> None:
    run_threads(write, 2, tmp_path, 1, (3,))
    before = read_index(folder_of(tmp_path, 3)).files
    run_threads(write, 4, tmp_path, 3, (3,))
    after = read_index(folder_of(tmp_path, 3))
    assert (after.world_size, len(before)) == (4, 2)
    assert steps_of(tmp_path) == [3]
