"""Copy from the cache what a judge of another user would build again."""

import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from torchstone.core import paths
from torchstone.cudasim.toolchain import Build, find_toolchain
from torchstone.judge.native.build import library

_VARIANT = re.compile("[0-9a-f]{64}")


def copy_warm_cache(to: Path) -> None:
    """Copy the products of this machine's compiler and of the probe of visible files.

    Other tests use the cache at the same time: they open and close its databases, and write and
    drop variants. Only what is complete and what stays is copied.
    """
    cache = paths.cache_dir()
    for path in _lasting(cache):
        target = to / path.relative_to(cache)
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            shutil.copytree(path, target)
        else:
            shutil.copy(path, target)
    variants = to / "variants"
    variants.mkdir()
    for path in (cache / "variants").glob("*"):
        if _VARIANT.fullmatch(path.name):
            with suppress(FileNotFoundError):
                shutil.copy(path, variants / path.name)


def _lasting(cache: Path) -> Iterator[Path]:
    yield library()
    yield from cache.glob("visible-*.json")
    toolchain = find_toolchain(cache=cache / "simulators")
    yield cache / "simulators" / "compiler.json"
    for build in Build:
        yield toolchain.header(build).parent
        yield toolchain.runtime(build).parent
