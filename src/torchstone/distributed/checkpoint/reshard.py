"""``inspect`` and ``reshard``: checkpoint tools that run in one process."""

from __future__ import annotations

import os
import shutil
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from torch import Tensor

from torchstone.distributed.checkpoint.format import (
    Damaged,
    Index,
    Part,
    Whole,
    checkpoints_in,
    file_of,
    folder_of,
    is_checkpoint,
    put_in_place,
    read_index,
    read_range,
    step_of,
    steps_of,
    verify_file,
    write_index,
    write_tensors,
)
from torchstone.distributed.mesh import Mesh
from torchstone.distributed.refusal import Phrase, Refusal

# Each rank has a file, but no rank reads a whole one.
MOST_RANKS = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Summary of a folder of checkpoints.

    Attributes:
        step: The step of the newest undamaged checkpoint; None if there is none.
        world_size: The number of ranks that wrote it.
        complete: Whether it is also the newest of all.
        is_single: Whether the folder is a single checkpoint rather than the folder of all.
        num_tensors: The number of its tensors.
        num_bytes: The total size of its files.
        steps: All steps that have folders, the newest first.
        damaged: The damage of newer checkpoints.
    """

    step: int | None
    world_size: int
    complete: bool
    is_single: bool
    num_tensors: int
    num_bytes: int
    steps: tuple[int, ...]
    damaged: tuple[Phrase, ...]


def inspect(folder: str | os.PathLike[str], *, step: int | None = None) -> Summary:
    """Return a summary of a folder of checkpoints; the digest of every file is verified.

    Args:
        folder: The folder of all checkpoints, or a single one.
        step: The step to inspect; by default the newest undamaged one.

    Raises:
        Refusal: There is no checkpoint, or none of this step.
    """
    place = Path(folder)
    index, found, damaged = _newest(place, step)
    is_single = is_checkpoint(place)
    summary = Summary(
        step=None,
        world_size=0,
        complete=False,
        is_single=is_single,
        num_tensors=0,
        num_bytes=0,
        steps=_steps(place, step, index),
        damaged=damaged,
    )
    if index is None:
        return summary
    return replace(
        summary,
        step=index.step,
        world_size=index.world_size,
        complete=not damaged,
        num_tensors=len(index.tensors),
        num_bytes=sum((found / name).stat().st_size for name in index.files),
    )


def reshard(
    folder: str | os.PathLike[str],
    out: str | os.PathLike[str],
    world_size: int,
    *,
    step: int | None = None,
) -> Path:
    """Rewrite the newest undamaged checkpoint for another number of ranks.

    Args:
        folder: The folder of all checkpoints, or a single one.
        out: The folder in which the folder of the step is written.
        world_size: The number of files to write.
        step: The step of the checkpoint; None for the newest undamaged one.

    Returns:
        The new folder.

    Raises:
        Refusal: There is no undamaged checkpoint, ``out`` cannot be written or already has this
            step, or ``world_size`` is not positive or too large.
    """
    if world_size < 1:
        raise Refusal("world_number", came=world_size)
    if world_size > MOST_RANKS:
        what = Phrase("tool_reshard")
        raise Refusal("world_limit", came=world_size, what=what, most=MOST_RANKS)
    index, source, damaged = _newest(Path(folder), step)
    if index is None:
        raise Refusal("checkpoint_damaged", path=folder, reason=damaged)
    target = folder_of(Path(out), index.step)
    if target.exists():
        raise Refusal("out_taken", path=target)
    part = target.with_name(f"{target.name}.part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        write_index(part, _cut(source, part, index, world_size))
        put_in_place(part, target)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        reason = error.strerror or str(error)
        raise Refusal("unwritable", path=target, reason=reason) from error
    return target


def _newest(place: Path, step: int | None) -> tuple[Index | None, Path, tuple[Phrase, ...]]:
    """Return the newest undamaged checkpoint's index, its folder, and the damage of newer ones."""
    damaged: list[Phrase] = []
    for found in (folders := checkpoints_in(place, step)):
        try:
            return _read_whole(found), found, tuple(damaged)
        except Damaged as error:
            damaged.append(error.fault)
    if not folders:
        raise Refusal("checkpoint_missing", path=place if step is None else folder_of(place, step))
    return None, place, tuple(damaged)


def _steps(place: Path, step: int | None, index: Index | None) -> tuple[int, ...]:
    if is_checkpoint(place):
        found = step_of(place.resolve()) if index is None else index.step
        return () if found is None else (found,)
    return tuple(each for each in steps_of(place) if step in (None, each))


def _read_whole(folder: Path) -> Index:
    index = read_index(folder)
    for name, digest in index.files.items():
        verify_file(folder, name, digest)
    return index


def _cut(source: Path, target: Path, index: Index, world_size: int) -> Index:
    """Write the files of all ranks one after the other; return their index."""
    files: dict[str, str] = {}
    parts: dict[str, list[Part]] = {name: [] for name in index.tensors}
    for rank in range(world_size):
        tensors: dict[str, Tensor] = {}
        for name, whole in index.tensors.items():
            start, stop = (whole.num_elements * each // world_size for each in (rank, rank + 1))
            is_first = rank == 0 and whole.num_elements == 0
            if start < stop or is_first:
                key = f"{name}@{start}"
                tensors[key] = read_range(source, whole, start, stop)
                parts[name].append(Part(file=file_of(rank), key=key, start=start, stop=stop))
        files[file_of(rank)] = write_tensors(target / file_of(rank), tensors)
    wholes = {
        name: Whole(dtype=whole.dtype, shape=whole.shape, parts=tuple(parts[name]))
        for name, whole in index.tensors.items()
    }
    mesh = asdict(Mesh(dp=world_size))
    return replace(index, world_size=world_size, mesh=mesh, tensors=wholes, files=files)
