"""Cache of successful proofs, keyed by the hash of all their inputs.

A proof depends on the folder of its problem, on the code of the judge, on torch, NumPy, Python, the
compilers and the processor, on the isolation level, and on the thoroughness. When one of them
changes, the hash changes and the problem is proven again. An entry is a JSON file in a folder of
the user's cache. It is used only if the folder and the file belong to this user, if no other user
can write to them, and if its own hash is right; otherwise it is ignored.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import json
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import msgspec

from torchstone.bank.problem import Problem
from torchstone.bank.proof_record import hash_folder
from torchstone.core import paths
from torchstone.core.isolation import Isolation
from torchstone.cudasim.nvcc import find_nvcc
from torchstone.cudasim.toolchain import find_toolchain
from torchstone.judge.assignment import folders_of
from torchstone.judge.messages import plain
from torchstone.judge.native.build import library, torch_folder
from torchstone.judge.proof.entry import ProofEntry
from torchstone.judge.proof.prover import Thoroughness
from torchstone.judge.sandbox.levels import achieved, probe_machine

PACKAGE = Path(__file__).resolve().parents[2]
FORMAT = 1
# An entry has about 10 KiB.
MOST_ENTRIES = 1000
# Packages that determine verdicts; the simulator determines only those of compiled submissions.
_PACKAGES = ("bank", "core", "judge")
_PACKAGES_OF_BUILT = (*_PACKAGES, "cudasim")
_DISTRIBUTIONS = ("torch", "numpy", "sympy", "setuptools")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofCache:
    """Cache of the proofs of problems.

    Attributes:
        folder: The folder of the entries.
        cache: The cache folder of the judge, which contains its compilers' products.
        how: The thoroughness of the proofs.
        at_most: The strongest isolation level that the judge may use.
        reads: Whether earlier entries are used.
    """

    folder: Path
    cache: Path
    how: Thoroughness
    at_most: Isolation = Isolation.FULL
    reads: bool = True

    def key(self, problem: Problem) -> str:
        """Return a hash of everything that a proof of this problem depends on, as now on disk."""
        facts = [
            FORMAT,
            astuple(self.how),
            [hash_folder(folder) for folder in folders_of(problem)],
            *self._facts_of_judge(is_built=problem.spec.is_built),
        ]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()

    def _facts_of_judge(self, *, is_built: bool) -> Iterator[Any]:
        packages = _PACKAGES_OF_BUILT if is_built else _PACKAGES
        yield [[name, hash_folder(PACKAGE / name)] for name in packages]
        yield [[name, _version(name)] for name in _DISTRIBUTIONS]
        # Identifies the build of torch; several builds may have the same version number.
        yield (torch_folder() / "version.py").read_text(encoding="utf-8")
        machine = probe_machine()
        yield [sys.version, repr(machine), achieved(machine, at_most=self.at_most)]
        # The library's name contains a hash of the C++ compiler; the toolchain's also of the
        # processor.
        yield [library().name, find_toolchain(cache=self.cache / "simulators").identity]
        yield _stamp(find_nvcc()) if is_built else None

    def get(self, key: str) -> ProofEntry | None:
        """Return the entry of a key, or None if there is no valid one."""
        if not self.reads or not paths.is_private_dir(self.folder):
            return None
        try:
            found = json.loads(_read_own(self._path(key)))
            is_sound = found["key"] == key and found["hash"] == _hash_of(key, found["proof"])
            entry = msgspec.convert(found["proof"], ProofEntry)
        # The file is missing, foreign, truncated, or not a valid entry.
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None
        return entry if is_sound and entry.holds else None

    def put(self, key: str, entry: ProofEntry) -> bool:
        """Store the entry of a proof that holds; return whether it is stored.

        The entry is written to a temporary file and renamed, so that no reader sees a part of it.
        """
        if not entry.holds:
            return False
        paths.private_dir(self.folder)
        if not paths.is_private_dir(self.folder):
            return False
        proof = plain(entry)
        text = json.dumps({"key": key, "hash": _hash_of(key, proof), "proof": proof})
        with tempfile.NamedTemporaryFile(
            "w", dir=self.folder, prefix=f"{key}.", encoding="utf-8", delete=False
        ) as file:
            try:
                file.write(text)
                file.close()
                os.replace(file.name, self._path(key))
            except BaseException:
                os.unlink(file.name)
                raise
        self._prune()
        return True

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.json"

    def _prune(self) -> None:
        """Remove the oldest files, including those of interrupted writes, if there are too many."""
        ages: list[tuple[float, Path]] = []
        for path in self.folder.iterdir():
            with contextlib.suppress(FileNotFoundError):  # another process may prune it
                ages.append((path.stat().st_mtime, path))
        for _, path in sorted(ages)[: max(0, len(ages) - MOST_ENTRIES)]:
            path.unlink(missing_ok=True)


def _read_own(path: Path) -> bytes:
    """Read a file of this user that no other user can write.

    Raises:
        PermissionError: The file belongs to another user, or another user can write it.
        OSError: It cannot be read, or it is a symbolic link.
    """
    # O_NONBLOCK: a FIFO in its place is refused without waiting.
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        status = os.fstat(file.fileno())
        is_ours = stat.S_ISREG(status.st_mode) and status.st_uid == os.getuid()
        if not is_ours or stat.S_IMODE(status.st_mode) & 0o022:
            raise PermissionError(f"{path} can be written by another user")
        return file.read()


def _hash_of(key: str, proof: object) -> str:
    text = json.dumps([key, proof], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _stamp(program: Path | None) -> list[Any] | None:
    if program is None:
        return None
    status = program.stat()
    return [str(program), status.st_size, status.st_mtime_ns]
