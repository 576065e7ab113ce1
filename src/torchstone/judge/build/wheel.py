"""Wheel build from the files of a package, as a package index and a user build it.

The source distribution is built first. The wheel is built in another folder from the source
distribution alone, so a file that the package does not list is missing there. The code of the
submission runs in separate processes and can damage only its own build.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from torchstone.core.bundle import BadBundle, read_bundle
from torchstone.cudasim.diagnostics import Texts, read_messages
from torchstone.judge.build.refusals import Refused, RefusedReply, not_compiled, refusal_of, refused
from torchstone.judge.build.source import CPP_RULES, refuse_includes

BACKEND = "setuptools.build_meta"
PROJECT = "pyproject.toml"
MOST_SAID = 1 << 16
WHEEL_BYTES = 32 << 20
_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".cu")
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".cuh", ".inc")
_FRAME = re.compile(r'File "([^"\n]{1,200})", line (\d{1,9})')
_TOML_LINE = re.compile(r"\(at line (\d{1,9}), ")
_HOOKS = Path(__file__).with_name("hooks.py")


class BackendBroken(Exception):
    """Raised when the build backend does not start, which is not a fault of the package."""


def build_wheel(folder: Path, site: Path, bundle: str, started: Hooks | None = None) -> bytes:
    """Build a submission; return the wheel.

    Args:
        folder: The folder for all files of the build.
        site: The folder of installed packages, with torch and the build backend.
        bundle: The submission.
        started: The process that calls the hooks, if it runs already; it ends with the build.

    Raises:
        Refused: The build fails, or a rule refuses the submission.
        BackendBroken: The build backend does not start.
    """
    try:
        files = read_bundle(bundle)
    except BadBundle as error:
        raise Refused(
            refusal_of("CE", f"bundle_{error.key}", word=error.word, line=error.line)
        ) from None
    _refuse_files(files)
    source, unpacked = folder / "source", folder / "unpacked"
    for path, text in files.items():
        target = source / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", errors="surrogatepass")
    with started or Hooks(site, folder) as hooks:
        hooks.call("build_sdist", source, files)
        with tarfile.open(_only(hooks.made, "*.tar.gz")) as archive:
            archive.extractall(unpacked, filter="data")
        hooks.call("build_wheel", _only(unpacked, "*"), files)
    wheel = _only(hooks.made, "*.whl")
    if wheel.stat().st_size > WHEEL_BYTES:
        raise Refused(refusal_of("CE", "wheel_large", word=f"{WHEEL_BYTES >> 20} MiB"))
    return wheel.read_bytes()


def _refuse_files(files: Mapping[str, str]) -> None:
    """Refuse a package for a fault that its files show before the build."""
    if PROJECT not in files:
        raise Refused(refusal_of("CE", "package_file", word=PROJECT))
    try:
        system = tomllib.loads(files[PROJECT]).get("build-system", {})
        backend, places = system.get("build-backend"), system.get("backend-path")
    except (ValueError, AttributeError, RecursionError) as error:
        line = _line_of_toml(error)
        raise Refused(
            refusal_of("CE", "package_toml", word=str(error)[:200], line=line, file=PROJECT)
        ) from None
    if backend != BACKEND or places is not None:
        raise Refused(refusal_of("CE", "package_backend", word=str(backend)[:80]))
    native = {path: text for path, text in files.items() if path.endswith((*_SOURCES, *_HEADERS))}
    if not any(path.endswith(_SOURCES) for path in native):
        raise Refused(refusal_of("CE", "package_sources", word=""))
    for path, text in native.items():
        refusal = refuse_includes(text, CPP_RULES, tuple(files))
        if refusal is not None:
            reply = refused(refusal)
            raise Refused(reply | {"word": f"{path}: {reply['word']}", "file": path})


class Hooks:
    """Process that calls the hooks; it starts its imports before there is a package.

    Attributes:
        made: The folder for its products.
    """

    def __init__(self, site: Path, folder: Path) -> None:
        """Start the process.

        Args:
            site: The folder of installed packages, with torch and the build backend.
            folder: The folder for all files of the build.
        """
        self.made = folder / "made"
        self.made.mkdir()
        self._is_ready = False
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(self.made),
            "TMPDIR": str(self.made),
            "LC_ALL": "C.UTF-8",
            "OMP_NUM_THREADS": "1",
        }
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", "-X", "utf8", str(_HOOKS), str(site)],
            cwd=self.made,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        """Return this object."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the input of the process, which ends it; the host ends its remaining children."""
        with self._process:
            pass

    def call(self, hook: str, cwd: Path, files: Mapping[str, str]) -> None:
        """Call a hook in a folder with the files of a package.

        Raises:
            Refused: The hook fails.
            BackendBroken: The build backend does not start.
        """
        orders, replies = self._process.stdin, self._process.stdout
        assert orders is not None, "asked for as a pipe"
        assert replies is not None, "asked for as a pipe"
        # Before the first hook, no code of the submission has run.
        if not self._is_ready and not replies.readline():
            raise BackendBroken(f"the build backend ended with status {self._process.wait()}")
        self._is_ready = True
        log = self.made / f"{hook}.log"
        order = {"hook": hook, "cwd": str(cwd), "made": str(self.made), "log": str(log)}
        orders.write(json.dumps(order) + "\n")
        orders.flush()
        status = json.loads(replies.readline())["status"]
        if status in (-signal.SIGXCPU, -signal.SIGKILL):
            raise Refused(refusal_of("CE", "package_time", word=hook))
        if status:
            raise Refused(_failed(hook, _end_of(log), files, cwd))


def _end_of(log: Path) -> str:
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - MOST_SAID))
        return file.read().decode("utf-8", "replace")


def _failed(hook: str, said: str, files: Mapping[str, str], cwd: Path) -> RefusedReply:
    """Return the first compiler error; without one, the last line of Python's output."""
    texts = Texts(written=files, compiled=files)
    messages = [each for each in read_messages(said, texts) if each.severity == "error"]
    placed = [each for each in messages if each.file in files]
    if placed:
        reply = not_compiled(placed)
        file = placed[0].file
        return reply | {"word": f"{file}: {reply['word']}", "file": file}
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    word = messages[0].message if messages else next(reversed(lines), "?")
    file, line = _last_place(said, files, cwd)
    return refusal_of("CE", "package_build", word=f"{hook}: {word}", line=line, file=file)


def _last_place(said: str, files: Mapping[str, str], cwd: Path) -> tuple[str, int]:
    """Return the last file of the package in a Python traceback, and its line."""
    places = [(file.removeprefix(f"{cwd}/"), int(line)) for file, line in _FRAME.findall(said)]
    return next((each for each in reversed(places) if each[0] in files), ("", 0))


def _line_of_toml(error: Exception) -> int:
    found = _TOML_LINE.search(str(error))
    return int(found[1]) if found else 0


def _only(folder: Path, pattern: str) -> Path:
    """Return the only file that a step created.

    Raises:
        Refused: The step created no file, or several.
    """
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        names = ", ".join(path.name for path in found[:4])
        raise Refused(refusal_of("CE", "package_product", word=f"{pattern}: {names}"))
    return found[0]
