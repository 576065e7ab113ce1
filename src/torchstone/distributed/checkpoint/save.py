"""``save``: all ranks write one checkpoint, or none of them does."""

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
    """Write a checkpoint of the step that a state is of.

    Each rank writes one file. The folder has its name only when all files are on the disk; until
    then, and if any rank fails, the checkpoints before it are what there is.

    Args:
        folder: The folder of all checkpoints, the same for all ranks.
        state: What this rank holds.
        world: The ranks.
        keep: How many checkpoints stay.

    Raises:
        Refusal: A rank cannot write, or does not see the same folder; or ``keep`` is not positive.
    """
    if keep < 1:
        raise Refusal("number", name="keep", came=keep, wanted="≥ 1")
    _Writer(Path(folder), state, world, keep).write()


class _Writer:
    """Writes one checkpoint as one of the ranks."""

    def __init__(self, folder: Path, state: ShardedState, world: World, keep: int) -> None:
        self._state, self._world, self._comm, self._keep = state, world, world.comm(), keep
        self._folder = folder_of(folder, state.step)
        self._part = self._folder.with_name(f"{self._folder.name}.part")

    def write(self) -> None:
        token = self._agree(self._begin())[0]["token"]
        outcomes = self._agree(self._write_mine(token))
        self._agree(self._finish(outcomes))

    def _agree(self, outcome: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the outcomes of all ranks; if one has failed, all of them refuse."""
        outcomes = [json.loads(each) for each in gather_texts(self._comm, json.dumps(outcome))]
        for rank, each in enumerate(outcomes):
            if "error" in each:
                # No rank writes any more, and rank 0 may end before it comes here.
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
        """Write the file of this rank; return its digest, and what is in it."""
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
    """Return where each tensor lies; what several ranks have is taken from the first."""
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
