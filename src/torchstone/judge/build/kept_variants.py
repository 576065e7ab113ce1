"""Products of the wrong variants of native problems, kept on the disk by a hash of their inputs."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import msgspec

from torchstone.cudasim.toolchain import HERE, find_toolchain
from torchstone.judge.native.build import torch_folder
from torchstone.judge.order import Order

# More than all variants of the bank have; the oldest ones make room for others.
NUM_KEPT = 600


@dataclass(frozen=True, slots=True)
class KeptVariants:
    """Read and write products by their key.

    Only programs of the bank are built into them, never a submission.
    """

    folder: Path
    memory: dict[str, dict[str, bytes]] = field(default_factory=dict)

    def get(
        self, key: str, build: Callable[[], dict[str, bytes] | None]
    ) -> dict[str, bytes] | None:
        """Return the products, built if they are not kept; None if they do not compile."""
        found = self.memory.get(key) or self.read(key)
        if found is None:
            found = build()
            if found is None:
                return None
            self.write(key, found)
        self.memory[key] = found
        return found

    def read(self, key: str) -> dict[str, bytes] | None:
        """Return the products; None if they are not there or cannot be read."""
        try:
            return msgspec.msgpack.decode((self.folder / key).read_bytes(), type=dict[str, bytes])
        except (OSError, msgspec.DecodeError):
            return None

    def write(self, key: str, built: dict[str, bytes]) -> None:
        """Keep the products; a full disk only means that they are built again."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self.folder, delete=False) as file:
                file.write(msgspec.msgpack.encode(built))
            os.replace(file.name, self.folder / key)
            self._drop_old()
        except OSError as error:
            warnings.warn(f"a build is not kept: {error}", RuntimeWarning, stacklevel=2)

    def _drop_old(self) -> None:
        dated: list[tuple[float, Path]] = []
        for path in self.folder.iterdir():
            with contextlib.suppress(FileNotFoundError):  # another host drops files as well
                dated.append((path.stat().st_mtime, path))
        for _, path in sorted(dated, reverse=True)[NUM_KEPT:]:
            path.unlink(missing_ok=True)


def variant_key(order: Order, source: str, launcher: dict[str, bytes]) -> str:
    """Return the hash of all that the products of a variant depend on."""
    assignment = order.assignment
    digest = hashlib.sha256(f"{assignment.content_hash}\0{source}\0{_builder()}".encode())
    for name in sorted(launcher):
        digest.update(name.encode() + b"\0" + launcher[name])
    return digest.hexdigest()


@cache
def _builder() -> str:
    """Hash the code that builds, the simulator, the compiler, and the place and date of torch."""
    digest = hashlib.sha256()
    folders = (Path(__file__).parent, HERE)
    for path in sorted(each for folder in folders for each in folder.rglob("*")):
        if path.suffix in (".py", ".h", ".cpp", ".cu", ".toml"):
            digest.update(path.name.encode() + path.read_bytes())
    torch = torch_folder()
    digest.update(f"{torch} {torch.stat().st_mtime_ns} {find_toolchain().identity}".encode())
    return digest.hexdigest()
