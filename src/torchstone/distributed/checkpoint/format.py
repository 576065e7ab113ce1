"""Checkpoint format: a folder for each step with one tensor file per rank, and an index.

A folder with its final name is complete: it is written under a name that ends in ``.part``, and
renamed last. Reading a checkpoint runs no code from it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as to_bytes
from torch import Tensor

from torchstone.distributed.refusal import Phrase

FORMAT = "torchstone.distributed/1"
INDEX = "index.json"
# The digest of the index is computed with these characters in its place.
_NO_DIGEST = "0" * 64
_FOLDER = re.compile(r"step-(\d{8,})")
_FILE = re.compile(r"rank-\d{5,}\.safetensors")
_DTYPES = {
    str(each).removeprefix("torch."): each
    for each in vars(torch).values()
    if isinstance(each, torch.dtype)
}
_READ_BYTES = 1 << 20


class Damaged(ValueError):
    """Raised when a checkpoint differs from what was written.

    Attributes:
        fault: A description of the damage.
    """

    def __init__(self, key: str, /, **values: object) -> None:
        self.fault = Phrase(f"damage_{key}", **values)
        super().__init__(self.fault)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Location of a range of a tensor.

    Attributes:
        file: The name of the file.
        key: The name of the range in the file.
        start: The first element, in the flattened whole tensor.
        stop: The end of the range, exclusive.
    """

    file: str
    key: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """Tensor of a checkpoint.

    Attributes:
        dtype: The dtype as torch spells it, without ``torch.``.
        shape: The shape of the whole tensor.
        parts: The ranges, which cover the tensor in order and without gaps.
    """

    dtype: str
    shape: tuple[int, ...]
    parts: tuple[Part, ...]

    @property
    def num_elements(self) -> int:
        """Return the number of elements of the whole tensor."""
        return torch.Size(self.shape).numel()


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """Contents of a checkpoint.

    Attributes:
        step: The number of completed steps.
        world_size: The number of ranks that wrote it.
        mesh: The sizes of the mesh axes.
        tensors: The tensors by name.
        files: The SHA-256 of each file.
        values: The values that are not tensors.
    """

    step: int
    world_size: int
    mesh: dict[str, int]
    tensors: dict[str, Whole]
    files: dict[str, str]
    values: dict[str, Any] = field(default_factory=dict)


def folder_of(folder: Path, step: int) -> Path:
    """Return the folder of a step."""
    return folder / f"step-{step:08}"


def step_of(folder: Path) -> int | None:
    """Return the step of a checkpoint folder from its name; None for another folder."""
    found = _FOLDER.fullmatch(folder.name)
    return int(found[1]) if found else None


def file_of(rank: int) -> str:
    """Return the name of the file of a rank."""
    return f"rank-{rank:05}.safetensors"


def steps_of(folder: Path) -> list[int]:
    """Return the steps that have folders, the newest first."""
    if not folder.is_dir():
        return []
    found = (step_of(each) for each in folder.iterdir() if each.is_dir())
    return sorted((each for each in found if each is not None), reverse=True)


def checkpoints_in(folder: Path, step: int | None = None) -> list[Path]:
    """Return the checkpoints in a folder, the newest first; if it is one itself, only that.

    Args:
        folder: The folder of all checkpoints, or a single one, which may have been renamed.
        step: The step; None for all.
    """
    if is_checkpoint(folder):
        is_asked = step is None or step_of(folder.resolve()) in (None, step)
        return [folder] if is_asked else []
    return [folder_of(folder, each) for each in steps_of(folder) if step in (None, each)]


def is_checkpoint(folder: Path) -> bool:
    """Return whether a folder is a single checkpoint, by its index or else by its name."""
    if (folder / INDEX).is_file():
        return True
    is_named = step_of(folder.resolve()) is not None
    return is_named and folder.is_dir() and not steps_of(folder)


def write_tensors(path: Path, tensors: dict[str, Tensor]) -> str:
    """Write flat tensors to a file and flush it to disk; return its SHA-256."""
    content = to_bytes({name: each.contiguous() for name, each in tensors.items()})
    write_through(path, content)
    return hashlib.sha256(content).hexdigest()


def write_through(path: Path, content: bytes) -> None:
    """Write a file and flush it to disk."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def write_index(folder: Path, index: Index) -> None:
    """Write the index of a folder, including its own digest, and flush it to disk."""
    entries = {"format": FORMAT, "sha256": _NO_DIGEST, **asdict(index)}
    content = json.dumps(entries, indent=1, sort_keys=True).encode()
    digest = hashlib.sha256(content).hexdigest()
    write_through(folder / INDEX, _with_digest(content, _NO_DIGEST, digest))


def put_in_place(part: Path, folder: Path) -> None:
    """Rename a finished folder to its final name, replacing an existing one."""
    before = folder.with_name(f"{folder.name}.old.part")
    if folder.exists():
        folder.rename(before)
    part.rename(folder)
    _sync_folder(folder.parent)
    shutil.rmtree(before, ignore_errors=True)


def remove_older(folder: Path, keep: int) -> None:
    """Remove all but the newest checkpoints, and unfinished folders."""
    for step in steps_of(folder)[keep:]:
        doomed = folder_of(folder, step)
        # Without its index it is not a checkpoint any more, even if removing the rest is
        # interrupted.
        (doomed / INDEX).unlink(missing_ok=True)
        shutil.rmtree(doomed, ignore_errors=True)
    for left in folder.glob("step-*.part"):
        shutil.rmtree(left, ignore_errors=True)


def read_index(folder: Path) -> Index:
    """Read the index of a checkpoint.

    Raises:
        Damaged: The index is missing, modified, of another format, or inconsistent with itself or
            with the name of the folder.
    """
    try:
        content = (folder / INDEX).read_bytes()
        read = json.loads(content)
        if read.pop("format", None) != FORMAT:
            raise Damaged("format", folder=folder.name, wanted=FORMAT)
        digest = str(read.pop("sha256", None))
        if hashlib.sha256(_with_digest(content, digest, _NO_DIGEST)).hexdigest() != digest:
            raise Damaged("changed", folder=folder.name, file=INDEX)
        tensors = {
            name: Whole(
                dtype=each["dtype"],
                shape=tuple(each["shape"]),
                parts=tuple(Part(**part) for part in each["parts"]),
            )
            for name, each in read.pop("tensors").items()
        }
        index = Index(tensors=tensors, **read)
        _require_sound(folder, index)
    except FileNotFoundError as error:
        raise Damaged("index", folder=folder.name, file=INDEX) from error
    except Damaged:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Damaged("unreadable", folder=folder.name, file=INDEX, reason=error) from error
    return index


def verify_file(folder: Path, name: str, digest: str) -> None:
    """Compare the digest of a file.

    Raises:
        Damaged: The file cannot be read, or its digest differs.
    """
    path = folder / name
    found = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(_READ_BYTES):
                found.update(block)
    except OSError as error:
        reason = error.strerror or str(error)
        raise Damaged("unreadable", folder=folder.name, file=name, reason=reason) from error
    if found.hexdigest() != digest:
        raise Damaged("changed", folder=folder.name, file=name)


def read_range(folder: Path, whole: Whole, start: int, stop: int) -> Tensor:
    """Read a range of a tensor, which may be spread over several files.

    Raises:
        Damaged: A file does not match the index.
    """
    return read_ranges(folder, whole, [(start, stop)])[0]


def dtype_of(whole: Whole) -> torch.dtype:
    """Return the dtype of a tensor of a checkpoint."""
    return _DTYPES[whole.dtype]


def read_ranges(folder: Path, whole: Whole, ranges: Sequence[tuple[int, int]]) -> list[Tensor]:
    """Read several ranges of a tensor, opening each file once.

    Raises:
        Damaged: A file does not match the index.
    """
    starts = [part.start for part in whole.parts]
    with ExitStack() as stack:
        files: dict[str, Any] = {}

        def read(part: Part, first: int, last: int) -> Tensor:
            try:
                if part.file not in files:
                    opened = safe_open(folder / part.file, framework="pt")
                    files[part.file] = stack.enter_context(opened)
                found: Tensor = files[part.file].get_slice(part.key)[first:last]
            except (OSError, SafetensorError) as error:
                raise Damaged(
                    "tensor", folder=folder.name, file=part.file, key=part.key, reason=error
                ) from error
            return found

        def parts(start: int, stop: int) -> Iterator[Tensor]:
            for part in whole.parts[max(0, bisect_right(starts, start) - 1) :]:
                first, last = max(start, part.start), min(stop, part.stop)
                yield read(part, first - part.start, last - part.start)
                if stop <= part.stop:
                    return

        # A tensor without elements may have no part to take the dtype from.
        nothing = torch.empty(0, dtype=dtype_of(whole))
        return [torch.cat([*parts(*each)] or [nothing]) for each in ranges]


def _with_digest(content: bytes, old: str, new: str) -> bytes:
    """Replace the digest in an index; names with the same text come after it."""
    return content.replace(old.encode(), new.encode(), 1)


def _require_sound(folder: Path, index: Index) -> None:
    """Validate an index, which may come from an untrusted source."""
    step = step_of(folder)
    if step not in (None, index.step):
        raise Damaged("step", folder=folder.name, file=INDEX, step=index.step)
    parts = {part.file for whole in index.tensors.values() for part in whole.parts}
    for name in sorted(parts | index.files.keys()):
        if name not in index.files or not _FILE.fullmatch(name):
            raise Damaged("foreign", folder=folder.name, file=INDEX, name=name)
    for name, whole in index.tensors.items():
        if whole.dtype not in _DTYPES:
            raise Damaged("dtype", folder=folder.name, file=INDEX, name=name, dtype=whole.dtype)
        _require_covered(folder, name, whole)


def _require_covered(folder: Path, name: str, whole: Whole) -> None:
    end = 0
    for part in whole.parts:
        if part.start != end or part.stop < part.start:
            break
        end = part.stop
    if end != whole.num_elements:
        raise Damaged("gap", folder=folder.name, file=INDEX, name=name, end=end)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
