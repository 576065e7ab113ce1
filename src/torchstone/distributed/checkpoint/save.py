"""``save``: write one checkpoint collectively, on all ranks or on none."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any
from zlib import crc32

from torch import Tensor

from torchstone.distributed.agreement import gather_texts
from torchstone.distributed.checkpoint.format import (
    Index,
    Part,
    Whole,
    file_of,
    folder_of,
    put_in_place,
    remove_older,
    write_index,
    write_tensors,
)
from torchstone.distributed.refusal import Refusal
from torchstone.distributed.state import ShardedState
from torchstone.distributed.world import World

_TOKEN = "token"


def save(
    folder: str | os.PathLike[str],
    state: ShardedState,
    world: World,
    *,
    keep: int = 2,
) -> None:
    """Write a checkpoint of a state.

    Each rank writes one file. The folder gets its final name only when all files are on disk; until
    then, and if any rank fails, the previous checkpoints remain.

    Args:
        folder: The folder of all checkpoints, the same for all ranks.
        state: The state of this rank.
        world: The ranks.
        keep: The number of checkpoints to keep.

    Raises:
        Refusal: A rank cannot write, or does not see the same folder; or ``keep`` is not positive.
    """
    if keep < 1:
        raise Refusal("number", name="keep", came=keep, wanted="≥ 1")
    _Writer(Path(folder), state, world, keep).write()


class _Writer:
    """Writer of one checkpoint on one rank."""

    def __init__(self, folder: Path, state: ShardedState, world: World, keep: int) -> None:
        self._state, self._world, self._comm, self._keep = state, world, world.comm(), keep
        self._folder = folder_of(folder, state.step)
        self._part = self._folder.with_name(f"{self._folder.name}.part")

    def write(self) -> None:
        token = self._agree(self._begin())[0]["token"]
        outcomes = self._agree(self._write_mine(token))
        self._agree(self._finish(outcomes))

    def _agree(self, outcome: dict[str, Any]) -> list[dict[str, Any]]:
        """Exchange the outcomes of all ranks; raise an error on all of them if one has failed."""
        outcomes = [json.loads(each) for each in gather_texts(self._comm, json.dumps(outcome))]
        for rank, each in enumerate(outcomes):
            if "error" in each:
                # All ranks have stopped writing; any of them may clean up, because rank 0 may end
                # first.
                shutil.rmtree(self._part, ignore_errors=True)
                code, values = each["error"], each["values"]
                raise Refusal(code, rank=rank, path=self._folder, **values)
        return outcomes

    def _begin(self) -> dict[str, Any]:
        if self._comm.rank != 0:
            return {}
        token = os.urandom(16).hex()
        try:
            shutil.rmtree(self._part, ignore_errors=True)
            self._part.mkdir(parents=True)
            (self._part / _TOKEN).write_text(token)
        except OSError as error:
            return _failure(error)
        return {"token": token}

    def _write_mine(self, token: str) -> dict[str, Any]:
        """Write the file of this rank; return its digest and its contents."""
        try:
            if not self._sees(token):
                return {"error": "not_shared", "values": {}}
            name = file_of(self._comm.rank)
            tensors: dict[str, Tensor] = {}
            parts: dict[str, list[tuple[str, int, int]]] = {}
            for key, held in self._state.tensors.items():
                is_written = crc32(key.encode()) % self._comm.size == self._comm.rank
                if held.is_replicated and not is_written:
                    continue
                for start, part in held.parts:
                    inside = f"{key}@{start}"
                    tensors[inside] = part.cpu()
                    parts.setdefault(key, []).append((inside, start, start + part.numel()))
            digest = write_tensors(self._part / name, tensors)
        except OSError as error:
            return _failure(error)
        shapes = {
            key: (str(held.dtype).removeprefix("torch."), list(held.shape))
            for key, held in self._state.tensors.items()
        }
        return {"file": name, "digest": digest, "parts": parts, "shapes": shapes}

    def _sees(self, token: str) -> bool:
        path = self._part / _TOKEN
        return path.is_file() and path.read_text() == token

    def _finish(self, outcomes: list[dict[str, Any]]) -> dict[str, Any]:
        if self._comm.rank != 0:
            return {}
        index = Index(
            step=self._state.step,
            world_size=self._comm.size,
            mesh=asdict(self._world.mesh),
            tensors=_join(outcomes),
            files={each["file"]: each["digest"] for each in outcomes},
            values=self._state.values,
        )
        try:
            (self._part / _TOKEN).unlink()
            write_index(self._part, index)
            put_in_place(self._part, self._folder)
            remove_older(self._folder.parent, self._keep)
        except OSError as error:
            return _failure(error)
        return {}


def _join(outcomes: list[dict[str, Any]]) -> dict[str, Whole]:
    """Return the location of each tensor; of replicated parts, the first is used."""
    tensors: dict[str, Whole] = {}
    names = {name: shape for each in outcomes for name, shape in each["shapes"].items()}
    for name, (dtype, shape) in names.items():
        found = [
            Part(file=each["file"], key=key, start=start, stop=stop)
            for each in outcomes
            for key, start, stop in each["parts"].get(name, [])
        ]
        parts: list[Part] = []
        for part in sorted(found, key=lambda each: (each.start, each.stop)):
            if not parts or part.start == parts[-1].stop:
                parts.append(part)
        tensors[name] = Whole(dtype=dtype, shape=tuple(shape), parts=tuple(parts))
    return tensors


def _failure(error: OSError) -> dict[str, Any]:
    return {"error": "rank_unwritable", "values": {"reason": error.strerror or str(error)}}
