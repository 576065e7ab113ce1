"""Build the kernels before the tests, and undo after them what torch.compile keeps and changes."""

import hashlib
import importlib
import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import torch

from tests.kept import kept_folder
from torchstone import kernels, models
from torchstone.cudasim.toolchain import find_toolchain

HERE = Path(__file__).parent
SOURCES = (*kernels.__path__, *models.__path__, str(HERE / "kernels"), str(HERE / "models"))
# Of as many states of the sources the compiled graphs are kept, some 10 MB each.
MOST_STATES = 4


def hash_of(*folders: str) -> str:
    """Hash what a compiled graph depends on and torch does not hash: operators and compilers."""
    facts = [torch.__version__, torch.version.git_version, sys.version, find_toolchain().identity]
    digest = hashlib.sha256("\0".join(facts).encode())
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(b"\0%s\0" % os.fsencode(path.relative_to(folder)))
                digest.update(path.read_bytes())
    return digest.hexdigest()[:24]


def keep_newest(folder: Path, count: int) -> None:
    """Remove the folders that were used longest ago, so that this many are left."""
    ages = []
    for state in folder.iterdir():
        with suppress(FileNotFoundError):  # another process removes, too
            ages.append((state.stat().st_mtime, state))
    for _, state in sorted(ages, reverse=True)[count:]:
        shutil.rmtree(state, ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def compiled_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep torch from taking a graph out of its cache that was made of operators as they were."""
    kept = kept_folder("inductor", tmp_path_factory)
    folder = kept / hash_of(*SOURCES)
    folder.mkdir(mode=0o700, exist_ok=True)
    os.utime(folder)
    keep_newest(kept, MOST_STATES)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TORCHINDUCTOR_CACHE_DIR", str(folder))
        # When Inductor first compiles it imports this, which uses what torch no longer wants used.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            importlib.import_module("torch.utils.mkldnn")
        yield


@pytest.fixture(scope="session", autouse=True)
def built_kernels() -> None:
    """Wait for the kernels, however long the build takes: or a test would use plain torch."""
    assert kernels.load()


@pytest.fixture(autouse=True)
def validating_distributions() -> Iterator[None]:
    """Undo what torch.compile does for ever to whoever comes next in this process."""
    yield
    torch.distributions.Distribution.set_default_validate_args(__debug__)
