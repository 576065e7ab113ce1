"""Cache of the products of native problems' wrong variants, on disk by a hash of their inputs."""

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

# More than the number of variants in the bank; the oldest files are removed.
NUM_KEPT = 600


@dataclass(frozen=True, slots=True)
class KeptVariants:
    """Cache of products by key.

    They are built only from programs of the bank, never from a submission.
    """

    folder: Path
    memory: dict[str, dict[str, bytes]] = field(default_factory=dict)

    def get(
        self, key: str, build: Callable[[], dict[str, bytes] | None]
    ) -> dict[str, bytes] | None:
        """Return the products, built if they are not cached; None if they do not compile."""
        found = self.memory.get(key) or self.read(key)
        if found is None:
            found = build()
            if found is None:
                return None
            self.write(key, found)
        self.memory[key] = found
        return found

    def read(self, key: str) -> dict[str, bytes] | None:
        """Return the products; None if they do not exist or cannot be read."""
        try:
            return msgspec.msgpack.decode((self.folder / key).read_bytes(), type=dict[str, bytes])
        except (OSError, msgspec.DecodeError):
            return None

    def write(self, key: str, built: dict[str, bytes]) -> None:
        """Store the products; on a full disk only warn, because they can be built again."""
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
            with contextlib.suppress(FileNotFoundError):  # another host may remove it
                dated.append((path.stat().st_mtime, path))
        for _, path in sorted(dated, reverse=True)[NUM_KEPT:]:
            path.unlink(missing_ok=True)


def variant_key(order: Order, source: str, launcher: dict[str, bytes]) -> str:
    """Return the hash of all inputs of a variant's products."""
    assignment = order.assignment
    digest = hashlib.sha256(f"{assignment.content_hash}\0{source}\0{_builder()}".encode())
    for name in sorted(launcher):
        digest.update(name.encode() + b"\0" + launcher[name])
    return digest.hexdigest()


@cache
def _builder() -> str:
    """Return a hash of the build code, the simulator, the compiler, and torch's folder and date."""
    digest = hashlib.sha256()
    folders = (Path(__file__).parent, HERE)
    for path in sorted(each for folder in folders for each in folder.rglob("*")):
        if path.suffix in (".py", ".h", ".cpp", ".cu", ".toml"):
            digest.update(path.name.encode() + path.read_bytes())
    torch = torch_folder()
    digest.update(f"{torch} {torch.stat().st_mtime_ns} {find_toolchain().identity}".encode())
    return digest.hexdigest()
