"""Visible files: the paths that an interpreter in the sandbox needs."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from torchstone.core.errors import JudgeUnavailable
from torchstone.judge.sandbox.imports_probe import state_of

_PROBE = Path(__file__).with_name("imports_probe.py")
_FORMAT = 2
# The reference process replies with the types of msgspec that the host reads.
# torch.optim imports torch._dynamo when the first optimizer is created, and torch._dynamo imports
# SymPy. torch.library.opcheck imports the last module.
IMPORTS = ("msgspec", "numpy", "torch", "torch._dynamo", "torch.testing._internal.optests")


@dataclass(frozen=True, slots=True, kw_only=True)
class Visible:
    """Files of an interpreter and of the packages that it imports.

    Attributes:
        python: The interpreter.
        stdlib: The folder of its standard library.
        packages: The entries of site-packages with the imported modules.
        libraries: The loaded shared libraries of the system.
        site_libraries: The shared libraries loaded from site-packages outside of `packages`, by
            their names relative to site-packages. CUDA builds of torch load those of the `nvidia`
            packages.
    """

    python: Path
    stdlib: Path
    packages: tuple[Path, ...]
    libraries: tuple[Path, ...]
    site_libraries: Mapping[str, Path]
    private: tuple[Path, ...]
    """Examples of files that another uid cannot read; empty if there are none."""

    @property
    def loader(self) -> Path:
        """Return the dynamic loader, by the path in every executable.

        Raises:
            JudgeUnavailable: The interpreter is not dynamically linked.
        """
        for path in self.libraries:
            if path.name.startswith("ld-"):
                return path
        raise JudgeUnavailable("judge.sandbox.no_loader", python=self.python)


def find_visible(
    python: Path | None = None,
    *,
    cache: Path | None = None,
    imports: Sequence[str] = IMPORTS,
) -> Visible:
    """Return the files that an interpreter needs to import some modules.

    The probe imports torch, so its result is cached in a file until the packages change.

    Args:
        python: The interpreter; None means the current one.
        cache: A folder for the result; None runs the probe every time.
        imports: The modules.

    Raises:
        JudgeUnavailable: The interpreter cannot import them.
    """
    executable = python or Path(sys.executable)
    if cache is None:
        return _parse(_ask(executable, imports))
    kept = cache / f"visible-{_key(executable, imports)}.json"
    if kept.is_file():
        report = kept.read_text(encoding="utf-8")
        found = _parse(report)
        if _is_unchanged(report) and all(map(Path.exists, (found.stdlib, *found.packages))):
            return found
    cache.mkdir(parents=True, exist_ok=True)
    # Written and renamed, so that a concurrent reader never sees a part of it.
    draft = kept.with_suffix(f".{os.getpid()}")
    draft.write_text(_ask(executable, imports), encoding="utf-8")
    draft.replace(kept)
    return _parse(kept.read_text(encoding="utf-8"))


def _ask(python: Path, imports: Sequence[str]) -> str:
    command = [str(python), "-I", str(_PROBE), *imports]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise JudgeUnavailable("judge.sandbox.no_torch", python=python, reason=lines[-1])
    return done.stdout


def _key(python: Path, imports: Sequence[str]) -> str:
    """Return a key of all inputs of the result; installing a package changes site-packages."""
    sites = sorted(python.parent.parent.glob("lib/python*/*-packages"))
    changed = [path.stat().st_mtime_ns for path in (python.resolve(), *sites)]
    facts = [_FORMAT, str(python), str(python.resolve()), list(imports), changed]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:16]


def _is_unchanged(report: str) -> bool:
    """Return whether no library and no folder of packages has changed since the probe ran."""
    state: dict[str, list[int]] = json.loads(report)["state"]
    try:
        return all(facts == state_of(path) for path, facts in state.items())
    except OSError:
        return False


def _parse(report: str) -> Visible:
    found = json.loads(report)
    return Visible(
        python=Path(found["python"]),
        stdlib=Path(found["stdlib"]),
        packages=tuple(map(Path, found["packages"])),
        libraries=tuple(map(Path, found["libraries"])),
        site_libraries={name: Path(path) for name, path in found["site_libraries"].items()},
        private=tuple(map(Path, found["private"])),
    )
