"""Build a wheel from the files of a package, as an index and a user of it would.

The source distribution is made first and the wheel from that alone, elsewhere: what the package
forgets to hand on is missing then. What runs here is the submission's own code, in processes of
their own; it may break what it builds, and nothing else.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Mapping
from pathlib import Path

from torchstone.core.bundle import BadBundle, read_bundle
from torchstone.cudasim.diagnostics import Texts, read_messages
from torchstone.cudasim.tokens import CudaSyntaxError
from torchstone.judge.kinds.refusals import Refused, not_compiled, refusal_of, refused
from torchstone.judge.kinds.source import CPP_RULES, refuse_includes

BACKEND = "setuptools.build_meta"
MOST_SAID = 1 << 16
WHEEL_BYTES = 32 << 20
_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".cu")
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".cuh", ".inc")
_HOOK = """
import sys
sys.path += [sys.argv[1], ""]
import setuptools.build_meta
print(getattr(setuptools.build_meta, sys.argv[2])(sys.argv[3]), file=sys.stderr)
"""


def build_wheel(folder: Path, torch: Path, bundle: str) -> bytes:
    """Build a submission; return the wheel.

    Args:
        folder: Where everything is written.
        torch: Where torch is installed; what builds lies beside it.
        bundle: The submission.

    Raises:
        Refused: It cannot be built, or may not.
    """
    try:
        files = read_bundle(bundle)
    except BadBundle as error:
        raise Refused(
            refusal_of("CE", f"bundle_{error.key}", word=error.word, line=error.line)
        ) from None
    _refuse_files(files)
    source, made, unpacked = (folder / name for name in ("source", "made", "unpacked"))
    for path, text in files.items():
        target = source / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", errors="surrogatepass")
    made.mkdir()
    site = torch.parent
    _run_hook(site, "build_sdist", source, made, files)
    with tarfile.open(_only(made, "*.tar.gz")) as archive:
        archive.extractall(unpacked, filter="data")
    _run_hook(site, "build_wheel", _only(unpacked, "*"), made, files)
    wheel = _only(made, "*.whl")
    if wheel.stat().st_size > WHEEL_BYTES:
        raise Refused(refusal_of("CE", "wheel_large", word=f"{WHEEL_BYTES >> 20} MiB"))
    return wheel.read_bytes()


def _refuse_files(files: Mapping[str, str]) -> None:
    """Refuse what can be told without building anything."""
    if "pyproject.toml" not in files:
        raise Refused(refusal_of("CE", "package_file", word="pyproject.toml"))
    try:
        system = tomllib.loads(files["pyproject.toml"]).get("build-system", {})
        backend, places = system.get("build-backend"), system.get("backend-path")
    except (ValueError, AttributeError, RecursionError) as error:
        raise Refused(refusal_of("CE", "package_toml", word=str(error)[:200])) from None
    if backend != BACKEND or places is not None:
        raise Refused(refusal_of("CE", "package_backend", word=str(backend)[:80]))
    native = {path: text for path, text in files.items() if path.endswith((*_SOURCES, *_HEADERS))}
    if not any(path.endswith(_SOURCES) for path in native):
        raise Refused(refusal_of("CE", "package_sources", word=""))
    for path, text in native.items():
        try:
            refusal = refuse_includes(text, CPP_RULES, tuple(files))
        except CudaSyntaxError as error:
            raise Refused(
                refusal_of("CE", "package_text", word=f"{path}: {error.message}", line=error.line)
            ) from None
        if refusal is not None:
            reply = refused(refusal)
            raise Refused(reply | {"word": f"{path}: {reply['word']}"})


def _run_hook(site: Path, hook: str, cwd: Path, made: Path, files: Mapping[str, str]) -> None:
    """Call a hook of the build backend, in a process of its own.

    Raises:
        Refused: It fails.
    """
    command = [sys.executable, "-I", "-S", "-B", "-X", "utf8", "-c", _HOOK]
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(made),
        "TMPDIR": str(made),
        "LC_ALL": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
    }
    # Whoever waits here ends all of it when it takes too long, and what it may have left behind.
    done = subprocess.run(
        [*command, str(site), hook, str(made)],
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise Refused(refusal_of("CE", "package_time", word=hook))
    if done.returncode:
        raise Refused(_failed(hook, done.stdout[-MOST_SAID:].decode("utf-8", "replace"), files))


def _failed(hook: str, said: str, files: Mapping[str, str]) -> dict[str, object]:
    """Tell the first error of the compiler, or else what Python said last."""
    texts = Texts(written=files, compiled=files)
    messages = [each for each in read_messages(said, texts) if each.severity == "error"]
    placed = [each for each in messages if each.file in files]
    if placed:
        reply = not_compiled(placed)
        return reply | {"word": f"{placed[0].file}: {reply['word']}"}
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    word = messages[0].message if messages else next(reversed(lines), "?")
    return refusal_of("CE", "package_build", word=f"{hook}: {word}")


def _only(folder: Path, pattern: str) -> Path:
    """Give the one file that a step made.

    Raises:
        Refused: It made none, or several.
    """
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        names = ", ".join(path.name for path in found[:4])
        raise Refused(refusal_of("CE", "package_product", word=f"{pattern}: {names}"))
    return found[0]
