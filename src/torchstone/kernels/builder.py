"""Build program of a shared library: ``python builder.py FOLDER LOCK``.

The builder is a separate process, which detaches from the one that starts it and survives it. It
uses only the standard library, to start quickly. ``FOLDER`` contains the recipe; objects are kept
there, so that an interrupted build can continue. ``LOCK`` is the descriptor of a locked file: the
lock ends with this process, however it ends.
"""

import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

RECIPE = "recipe.json"
STARTS = "starts"
# Longer than any compilation takes on a busy machine; a hanging compiler must not hold the lock.
COMPILE_SECONDS = 3600.0
WORDS = 2000


class CompileError(RuntimeError):
    """Raised when a command of the build failed; contains its output."""


def main(arguments: Sequence[str]) -> None:
    """Detach from the parent process and build."""
    folder, lock = Path(arguments[0]), int(arguments[1])
    if os.fork():
        os._exit(0)
    os.setsid()
    recipe = json.loads((folder / RECIPE).read_text("utf-8"))
    product = Path(recipe["product"])
    try:
        build(folder, recipe)
    except (CompileError, OSError) as error:
        log(f"failed: {error}")
        record_failure(folder, product, recipe["circumstances"], str(error))
    finally:
        # Unlock explicitly, because a concurrently forked process may have the descriptor, too.
        fcntl.flock(lock, fcntl.LOCK_UN)


def build(folder: Path, recipe: dict[str, Any]) -> None:
    """Compile the missing objects, link, and move the library to its folder.

    Raises:
        CompileError: A command fails.
        OSError: The folder cannot be written.
    """
    for partial in folder.glob(".*"):
        partial.unlink()  # left by a killed process
    commands = {
        name: command for name, command in recipe["objects"] if not (folder / name).exists()
    }
    kept = len(recipe["objects"]) - len(commands)
    log(f"process {os.getpid()}: {len(commands)} files to compile, {kept} are compiled already")
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
        running = [threads.submit(run, folder, *each) for each in commands.items()]
        try:
            for done in as_completed(running):
                done.result()
        finally:
            # After a failure, running compilations finish, so that their objects are kept.
            threads.shutdown(cancel_futures=True)
    product = Path(recipe["product"])
    run(folder, product.name, recipe["link"])
    whole = folder / "whole"
    whole.mkdir(exist_ok=True)
    (folder / product.name).rename(whole / product.name)
    whole.rename(product.parent)
    log("built")
    shutil.rmtree(folder, ignore_errors=True)


def run(folder: Path, product: str, command: list[str]) -> None:
    """Run a command that writes a file, and rename the file when it is complete.

    Raises:
        CompileError: The command fails.
    """
    partial = f".{product}.{os.getpid()}"
    begun = time.monotonic()
    try:
        process = subprocess.Popen(
            [*command, "-o", partial], cwd=folder, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
    except OSError as error:
        raise CompileError(f"{command[0]} cannot be started: {error}") from None
    with process:
        try:
            printed, _ = process.communicate(timeout=COMPILE_SECONDS)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise CompileError(f"{command[0]} took more than {COMPILE_SECONDS:.0f} s") from None
    words = printed.decode("utf-8", "replace").strip()
    log(
        f"{product}: status {process.returncode}, {time.monotonic() - begun:.1f} s\n{words}".strip()
    )
    if process.returncode:
        ended = f" (signal {-process.returncode})" if process.returncode < 0 else ""
        raise CompileError(
            f"{command[0]} does not compile the kernels{ended}:\n{words[-WORDS:]}".rstrip(":\n")
        )
    with open(folder / partial, "rb") as written:
        os.fsync(written.fileno())
    (folder / partial).rename(folder / product)


def record_failure(folder: Path, product: Path, circumstances: str, message: str) -> None:
    """Record why a build failed, for every process that needs the product.

    Compiled objects stay for the next attempt; a folder without objects is removed.
    """
    (folder / STARTS).unlink(missing_ok=True)
    if not any(folder.glob("*.o")):
        shutil.rmtree(folder, ignore_errors=True)
    failed = product.parent.with_suffix(".failed")
    partial = failed.with_suffix(f".failed-{os.getpid()}")
    record = {"message": message, "circumstances": circumstances, "time": time.time()}
    partial.write_text(json.dumps(record), "utf-8")
    partial.rename(failed)


def log(line: str) -> None:
    """Write a line to the log, which is the standard output of this process."""
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} {line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
