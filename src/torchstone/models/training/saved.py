"""Checkpoints of the language model: the shards of all ranks, with plan and history."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import torch

from torchstone.distributed import ShardedState, World, Zero, checkpoint, run_threads
from torchstone.distributed.checkpoint.format import Damaged, folder_of, read_index, steps_of
from torchstone.models import training_checkpoint
from torchstone.models.language import LanguageModel
from torchstone.models.refusal import Refusal, reason_of

KIND = "transformer"
# Key among the non-tensor values of a checkpoint.
_KEY = KIND


def is_saved(path: Path) -> bool:
    """Return whether a folder has a checkpoint, complete or not."""
    return bool(steps_of(path))


def old_of(path: Path) -> Path:
    """Return the checkpoint file of earlier versions, which had no folder."""
    return path.with_suffix(".pt")


def save(path: Path, zero: Zero, world: World, values: dict[str, Any]) -> None:
    """Write a checkpoint of all ranks.

    Args:
        path: The folder of all checkpoints.
        zero: The training state.
        world: The ranks.
        values: The plan and the history, as JSON values.

    Raises:
        torchstone.distributed.Refusal: A rank cannot write; earlier checkpoints stay intact.
    """
    state = zero.state_dict()
    state.values[_KEY] = values
    checkpoint.save(path, state, world)


def load(path: Path, zero: Zero, world: World) -> tuple[int, dict[str, Any]]:
    """Load the latest complete checkpoint; return its step and its values.

    Raises:
        torchstone.distributed.Refusal: None is complete, or it is of another model.
    """
    state = zero.state_dict()
    step = checkpoint.load(path, state, world)
    zero.load_state_dict(state)
    return step, _values_in(path, state.values)


def read_values(path: Path) -> dict[str, Any]:
    """Return the values of the latest checkpoint with a readable index.

    Raises:
        Refusal: There is none, it is of an earlier version, or it is invalid.
    """
    steps = steps_of(path)
    if not steps:
        is_old = old_of(path).exists()
        raise Refusal("checkpoint_old", path=old_of(path)) if is_old else _missing(path)
    for step in steps:
        with suppress(Damaged):
            return _values_in(path, read_index(folder_of(path, step)).values)
    raise Refusal("checkpoint_broken", path=path)


def load_model(path: Path, model: LanguageModel) -> None:
    """Load the parameters of the latest complete checkpoint into a model, in one process.

    Raises:
        torchstone.distributed.Refusal: None is complete, or it is of another model.
    """
    state = ShardedState()
    kinds = {"parameter": model.named_parameters(), "buffer": model.named_buffers()}
    tensors = {f"{kind}.{name}": each for kind, named in kinds.items() for name, each in named}
    for name, tensor in tensors.items():
        flat = tensor.detach().reshape(-1)
        state.declare(name, tensor.shape, tensor.dtype).parts.append((0, flat))
    # A world of one rank, however this process was launched.
    run_threads(lambda world: checkpoint.load(path, state, world), 1)
    with torch.no_grad():
        for name, tensor in tensors.items():
            tensor.copy_(state.tensors[name].parts[0][1].view(tensor.shape))


@contextmanager
def replacing(path: Path, world: World, *, is_new: bool) -> Iterator[None]:
    """Set aside the checkpoints of an earlier training until the new one has its first checkpoint.

    They are restored if the training ends before. Ranks that are killed and restarted must not take
    them for checkpoints of this training.

    Args:
        path: The folder of all checkpoints.
        world: The ranks; rank 0 moves the folder.
        is_new: Whether the training starts with its first step and was not restarted.

    Raises:
        Refusal: The folder cannot be moved.
    """
    aside = path.with_name(f"{path.name}.before")
    if is_new and world.rank == 0 and path.exists():
        try:
            shutil.rmtree(aside, ignore_errors=True)
            path.rename(aside)
        except OSError as error:
            raise Refusal("unwritable", path=path, reason=reason_of(error)) from error
    world.comm().barrier()
    try:
        yield
    finally:
        if world.rank == 0 and aside.exists():
            if is_saved(path):
                shutil.rmtree(aside, ignore_errors=True)
            elif not path.exists():
                aside.rename(path)


def _values_in(path: Path, values: dict[str, Any]) -> dict[str, Any]:
    with training_checkpoint.putting_back(path):
        found = values[_KEY]
        if not isinstance(found, dict) or not found.keys() >= {"plan", "history", "text"}:
            raise Refusal("checkpoint_broken", path=path)
    return found


def _missing(path: Path) -> Refusal:
    return Refusal("checkpoint_missing", path=path)
