"""Build a shared library in the background, once for all processes of a machine.

One process builds at a time: the builder holds a ``flock`` on the recipe's key, which the operating
system releases when the builder ends, however it ends. Other processes poll for the library. The
builder is detached, so it survives the process that started it. If it is killed, the next process
that needs the library starts another builder, which reuses the objects compiled so far. A failure
is recorded beside the library, and retried after an hour or when the circumstances have changed.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from torchstone.cudasim.products import digest
from torchstone.kernels import builder

# Not all causes of a failure can be observed, such as missing headers or a lack of memory.
RETRY_SECONDS = 3600.0
# How often a builder may be killed without having compiled a further object.
MOST_STARTS = 3
LOOK_SECONDS = 0.1
# Environment variables that affect the compiler.
_VARIABLES = ("CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "TMPDIR", "GCC_EXEC_PREFIX")


class BuildError(RuntimeError):
    """Raised when the kernels cannot be built on this machine; states the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Commands that build a library.

    Attributes:
        product: The path of the library, in a folder named by a hash of all that it is built from.
        objects: The name of each object and the command that compiles it, without ``-o``.
        link: The command that links them.
    """

    product: Path
    objects: tuple[tuple[str, tuple[str, ...]], ...]
    link: tuple[str, ...]

    @property
    def log(self) -> Path:
        """Return the path of the build log."""
        return self.product.parent.with_suffix(".log")

    @property
    def failed(self) -> Path:
        """Return the path of the recorded failure."""
        return self.product.parent.with_suffix(".failed")


def obtain(recipe: Recipe, timeout: float | None = None) -> Path | None:
    """Return the library, building it if needed.

    Args:
        recipe: What to build.
        timeout: Seconds to wait; None waits until the build has ended.

    Returns:
        The library; None if the time is over while the build continues.

    Raises:
        BuildError: The library cannot be built.
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    while not recipe.product.is_file():
        _start(recipe)
        left = LOOK_SECONDS if deadline is None else deadline - time.monotonic()
        if left <= 0:
            return None
        time.sleep(min(left, LOOK_SECONDS))
    return recipe.product


def _start(recipe: Recipe) -> None:
    """Start a builder, unless one is running."""
    folder = recipe.product.parent
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = open(folder.with_suffix(".lock"), "w", encoding="ascii")
    except OSError as error:
        raise _unwritable(folder.parent, error) from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        except OSError as error:
            raise _unwritable(folder.parent, error) from None
        if recipe.product.is_file():
            return
        circumstances = _circumstances(recipe)
        _refuse_what_failed(recipe, circumstances)
        try:
            _spawn(recipe, circumstances, lock.fileno())
        except OSError as error:
            raise _unwritable(folder.parent, error) from None


def _refuse_what_failed(recipe: Recipe, circumstances: str) -> None:
    """Raise a recorded failure, unless it is time to retry."""
    try:
        record = json.loads(recipe.failed.read_text("utf-8"))
    except (OSError, ValueError):
        return
    is_recent = abs(time.time() - record["time"]) < RETRY_SECONDS
    if is_recent and record["circumstances"] == circumstances:
        raise BuildError(
            f"{record['message']}\n(The log is {recipe.log}. It is tried again when the compiler "
            f"changes, after an hour, or when {recipe.failed} is removed.)"
        )


def _spawn(recipe: Recipe, circumstances: str, lock: int) -> None:
    """Write the recipe and start the builder, which inherits the lock."""
    if not sys.executable:
        raise BuildError("a Python that is part of another program cannot start the builder")
    making = recipe.product.parent.with_suffix(".part")
    making.mkdir(exist_ok=True)
    _count_start(recipe, circumstances, making)
    recipe.failed.unlink(missing_ok=True)
    written = {
        "product": str(recipe.product),
        "objects": recipe.objects,
        "link": recipe.link,
        "circumstances": circumstances,
    }
    (making / builder.RECIPE).write_text(json.dumps(written), "utf-8")
    # Isolated mode without site: nothing on this process's path is run in the builder.
    command = [sys.executable, "-I", "-S", builder.__file__, str(making), str(lock)]
    with open(recipe.log, "w", encoding="utf-8") as log:
        started = subprocess.run(
            command, cwd=making, pass_fds=(lock,), check=False,
            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        )  # fmt: skip
    if started.returncode:
        raise BuildError(f"the builder does not start; the log is {recipe.log}")


def _count_start(recipe: Recipe, circumstances: str, making: Path) -> None:
    """Record the start of a builder; raise an error if builders are killed repeatedly."""
    starts = making / builder.STARTS
    before = starts.read_text("ascii").split() if starts.exists() else []
    now = str(sum(1 for _ in making.glob("*.o")))
    if before[-MOST_STARTS:] == [now] * MOST_STARTS:
        message = (
            f"the builder was killed {MOST_STARTS} times before it had compiled one more file "
            f"(is there enough memory?)"
        )
        builder.record_failure(making, recipe.product, circumstances, message)
        _refuse_what_failed(recipe, circumstances)
    starts.write_text(" ".join([*before, now]), "ascii")


def _circumstances(recipe: Recipe) -> str:
    """Return a hash of the circumstances, other than the key, that a failed build may depend on."""
    programs = (recipe.link[0], "as", "ld")
    facts: list[object] = [os.environ.get(name) for name in _VARIABLES]
    for program in map(shutil.which, programs):
        status = os.stat(program) if program else None
        facts += [program, status and (status.st_mtime_ns, status.st_size)]
    return digest(*facts)


def _unwritable(folder: Path, error: OSError) -> BuildError:
    reason = (error.strerror or str(error)).lower()
    return BuildError(
        f"what is built is kept in {folder}, which cannot be written ({reason}); "
        "set TORCHSTONE_CACHE to another folder"
    )
