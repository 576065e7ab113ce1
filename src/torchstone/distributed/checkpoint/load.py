"""``load``: read the newest undamaged checkpoint on any number of ranks."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from torchstone.distributed.agreement import gather_texts
from torchstone.distributed.checkpoint.format import (
    Damaged,
    Index,
    checkpoints_in,
    dtype_of,
    folder_of,
    read_index,
    read_ranges,
    verify_file,
)
from torchstone.distributed.refusal import Phrase, Refusal, packed, unpacked
from torchstone.distributed.state import ShardedState
from torchstone.distributed.world import World


def load(
    folder: str | os.PathLike[str], state: ShardedState, world: World, *, step: int | None = None
) -> int:
    """Fill a state with the ranges that this rank needs from a checkpoint.

    The checkpoint may have been written by another number of ranks, and in another stage. The
    digest of each file is verified first. For a damaged checkpoint a warning is issued, and the
    previous checkpoint is used.

    Args:
        folder: The folder of all checkpoints, or a single one.
        state: The state of the new training, from ``state_dict``; it determines the ranges.
        world: The ranks, which all load the same checkpoint.
        step: The step of the checkpoint; None for the newest.

    Returns:
        The step of the checkpoint.

    Raises:
        Refusal: There is no checkpoint, all are damaged, or it is of another model.
    """
    place = Path(folder)
    comm = world.comm()
    folders = [os.path.relpath(each, place) for each in checkpoints_in(place, step)]
    folders = json.loads(gather_texts(comm, json.dumps(folders))[0])
    if not folders:
        raise Refusal("checkpoint_missing", path=place if step is None else folder_of(place, step))
    damaged: list[Phrase] = []
    for each in folders:
        found = place if each == os.curdir else place / each
        outcome: dict[str, Any] = {}
        loaded = ShardedState()
        try:
            index = read_index(found)
            _verify_share(found, index, comm.rank, comm.size)
            _require_same_model(found, state, index)
            loaded = _read(found, state, index)
        except Damaged as error:
            outcome = {"damaged": packed(error.fault)}
        except Refusal as refusal:
            outcome = {"refusal": [refusal.code, packed(refusal.values)]}
        outcomes = [json.loads(told) for told in gather_texts(comm, json.dumps(outcome))]
        faults = [unpacked(it["damaged"]) for it in outcomes if "damaged" in it]
        refused = [it["refusal"] for it in outcomes if "refusal" in it]
        if refused and not faults:
            raise Refusal(refused[0][0], **unpacked(refused[0][1]))
        if not faults:
            state.step, state.tensors, state.values = loaded.step, loaded.tensors, loaded.values
            return loaded.step
        damaged.append(faults[0])
        if comm.rank == 0:
            warnings.warn(f"{faults[0]}; the checkpoint before it is taken", stacklevel=2)
    raise Refusal("checkpoint_damaged", path=place, reason=tuple(damaged))


def _verify_share(folder: Path, index: Index, rank: int, size: int) -> None:
    """Verify this rank's share of the files; together the ranks verify all of them."""
    for name, digest in sorted(index.files.items())[rank::size]:
        verify_file(folder, name, digest)


def _require_same_model(folder: Path, state: ShardedState, index: Index) -> None:
    wanted = {name: _kind(each.shape, each.dtype) for name, each in state.tensors.items()}
    there = {name: _kind(each.shape, dtype_of(each)) for name, each in index.tensors.items()}
    wanted, there = (
        {name: kind for name, kind in kinds.items() if _is_of_model(name)}
        for kinds in (wanted, there)
    )
    for name in sorted(wanted.keys() | there.keys()):
        came, asked = (each.get(name, Phrase("nothing")) for each in (there, wanted))
        if came != asked:
            raise Refusal("checkpoint_other", path=folder, name=name, came=came, wanted=asked)


def _kind(shape: Sequence[int], dtype: torch.dtype) -> str:
    """Return shape and dtype of a tensor; 16-bit parameters are saved in float32."""
    kept = torch.float32 if dtype in (torch.bfloat16, torch.float16) else dtype
    return f"{tuple(shape)} {str(kept).removeprefix('torch.')}"


def _is_of_model(name: str) -> bool:
    return name.partition(".")[0] in ("parameter", "buffer")


def _read(folder: Path, state: ShardedState, index: Index) -> ShardedState:
    loaded = ShardedState(step=index.step, values=index.values)
    for name, whole in index.tensors.items():
        ranges = state.wanted(name)
        if ranges is not None:
            held = loaded.declare(name, torch.Size(whole.shape), dtype_of(whole))
            starts = [start for start, _ in ranges]
            held.parts = [*zip(starts, read_ranges(folder, whole, ranges), strict=True)]
    return loaded
