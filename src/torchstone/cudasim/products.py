"""Build cache: files keyed by the hash of all their inputs."""

import fcntl
import functools
import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from torchstone.cudasim.words import say

SOURCES = (".h", ".hpp", ".cpp", ".py")
# A program takes some hundred KiB. The least recently used products are removed first.
MOST_PRODUCTS = 1000
SHARE_THAT_STAYS = 0.75
_NAME = re.compile(r"(?:program|header|runtime)-[0-9a-f]{24}")


class CacheError(RuntimeError):
    """Raised when build products cannot be stored; the message suggests another location."""


def cache_folder() -> Path:
    """Return the folder of the build products: ``CUSIM_CACHE``, or the user's cache folder."""
    if named := os.environ.get("CUSIM_CACHE"):
        return Path(named).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "torchstone" / "cudasim"


def digest(*parts: object) -> str:
    """Return a hash of all parts, as a name."""
    # The length of each part makes the concatenation unambiguous.
    texts = [str(part).encode("utf-8", "surrogateescape") for part in parts]
    return hashlib.sha256(b"".join(b"%d:%s" % (len(text), text) for text in texts)).hexdigest()[:24]


@functools.cache
def content_of(folder: Path) -> str:
    """Return a hash of the sources in a folder of the package, as a name."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in SOURCES)
    return digest(*(f"{path.relative_to(folder)}\0{path.read_text('utf-8')}" for path in files))


@contextmanager
def made_once(folder: Path) -> Iterator[Path | None]:
    """Yield a folder to fill, or None if it exists already; other processes wait meanwhile.

    Raises:
        CacheError: Nothing can be written there.
    """
    if folder.is_dir():
        with suppress(OSError):
            os.utime(folder)  # record the last use
        yield None
        return
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = open(folder.with_suffix(".lock"), "w", encoding="ascii")
    except OSError as error:
        raise _unwritable(folder.parent, error) from None
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.is_dir():
            yield None
            return
        making = folder.with_suffix(".part")
        # This process has the lock, so whoever left this folder unfinished was killed.
        shutil.rmtree(making, ignore_errors=True)
        try:
            try:
                making.mkdir()
            except OSError as error:
                raise _unwritable(folder.parent, error) from None
            yield making
            making.rename(folder)
            prune(folder.parent)
        finally:
            shutil.rmtree(making, ignore_errors=True)


def prune(cache: Path, most: int = MOST_PRODUCTS) -> None:
    """Remove the least recently used products, if there are too many.

    Only products of ``made_once`` are removed, and only those that no process makes or opens at the
    moment. A process that has loaded a product keeps it: its file is freed when the last process
    closes it.
    """
    # Read names from the folder alone: checking each product would take as long as a link.
    with os.scandir(cache) as entries:
        names = [each.name for each in entries if _NAME.fullmatch(each.name)]
    if len(names) <= most:
        return
    ages: list[tuple[float, Path]] = []
    for product in map(cache.joinpath, names):
        with suppress(OSError):  # another process may prune at the same time
            ages.append((product.stat().st_mtime, product))
    for age, product in sorted(ages)[: len(ages) - int(most * SHARE_THAT_STAYS)]:
        with suppress(OSError):
            _remove(product, age)


def _remove(product: Path, age: float) -> None:
    with open(product.with_suffix(".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if product.stat().st_mtime != age:
            return  # another process has used it in the meantime
        # Rename first, which is atomic for readers. Keep the lock file: others may be waiting for
        # it.
        leaving = product.with_suffix(".gone")
        product.rename(leaving)
        shutil.rmtree(leaving, ignore_errors=True)


def _unwritable(folder: Path, error: OSError) -> CacheError:
    reason = (error.strerror or str(error)).lower()
    return CacheError(say("refusal.cache_unwritable", "en", folder=folder, reason=reason))
