"""Build of the C++ extension that bans operators, cached by torch, Python, compiler and source."""

from __future__ import annotations

import fcntl
import hashlib
import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from torchstone.core import paths

SOURCES = Path(__file__).parent
COMPILERS = ("g++", "c++", "clang++")
# -O1: the compile time matters more than the rarely run code. No -march: several machines may share
# the cache.
FLAGS = ("-std=c++20", "-O1", "-fPIC", "-shared", "-fvisibility=hidden")
TIMEOUT_S = 300


class NativeBuildError(RuntimeError):
    """Raised when the extension cannot be built; the message contains the compiler's output."""


def library() -> Path:
    """Return the path of the compiled extension, building it if the cache has none.

    Raises:
        NativeBuildError: There is no C++ compiler, no torch, or the compilation fails.
    """
    compiler = _compiler()
    folder = paths.cache_dir() / "native"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    target = folder / f"torchstone_bans-{_fingerprint(compiler)}.so"
    if target.exists():
        return target
    with _locked(folder / "build.lock"):
        if not target.exists():
            _compile(compiler, target)
    return target


def _compiler() -> str:
    named = os.environ.get("CXX")
    for candidate in (named,) if named else COMPILERS:
        found = shutil.which(candidate)
        if found:
            return found
    wanted = named or "g++"
    raise NativeBuildError(
        f"no C++ compiler: {wanted} is not on the path; "
        "install g++ (Debian: apt install g++) or set CXX."
    )


def torch_folder() -> Path:
    """Return the folder in which torch is installed."""
    # find_spec locates a package without executing it; importing torch takes a second.
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        raise NativeBuildError("torch is not installed in this environment.")
    return Path(spec.origin).parent


def _fingerprint(compiler: str) -> str:
    version = subprocess.run(
        [compiler, "--version"], capture_output=True, text=True, check=False, timeout=30
    )
    digest = hashlib.sha256()
    for path in sorted(SOURCES.iterdir()):
        if path.suffix in {".cpp", ".h", ".toml"}:
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    facts = (importlib.metadata.version("torch"), sys.version, version.stdout, *FLAGS)
    digest.update("\0".join(facts).encode())
    return digest.hexdigest()[:16]


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _compile(compiler: str, target: Path) -> None:
    torch = torch_folder()
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        # The tables are compiled in, so that the sandbox needs only one file.
        for table in SOURCES.glob("*.toml"):
            text = table.read_text(encoding="utf-8")
            Path(scratch, f"{table.stem}.inc").write_text(f'R"TOML({text})TOML"', encoding="utf-8")
        built = Path(scratch, target.name)
        command = [
            compiler, *FLAGS, f"-D_GLIBCXX_USE_CXX11_ABI={_cxx11_abi(torch)}", "-I", scratch,
            "-isystem", str(torch / "include"), "-isystem", sysconfig.get_path("include"),
            str(SOURCES / "bans.cpp"), "-L", str(torch / "lib"),
            "-ltorch_python", "-ltorch_cpu", "-lc10",
            "-o", str(built),
        ]  # fmt: skip
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S
            )
        except subprocess.TimeoutExpired:
            raise NativeBuildError(f"{compiler} did not finish within {TIMEOUT_S} s.") from None
        if done.returncode != 0:
            raise NativeBuildError(f"{' '.join(command)}\nfailed:\n{done.stderr[-8000:]}")
        built.chmod(0o755)
        built.replace(target)


def _cxx11_abi(torch: Path) -> int:
    # The new ABI spells std::string as __cxx11 in the names of symbols.
    symbol = b"torchCheckFailEPKcS2_jRKNSt7__cxx1112basic_string"
    return int(symbol in (torch / "lib" / "libc10.so").read_bytes())
