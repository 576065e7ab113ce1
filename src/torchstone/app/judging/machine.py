"""System report: isolation levels, compilers, the judge host, and missing requirements."""

from __future__ import annotations

import base64
import csv
import hashlib
import importlib.metadata
import platform
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import torchstone
from torchstone.app.home import Home
from torchstone.core import paths
from torchstone.core.i18n import LANGS
from torchstone.core.isolation import Isolation
from torchstone.judge.native.build import COMPILERS
from torchstone.judge.sandbox.levels import Machine, achieved, probe_machine, reasons

if TYPE_CHECKING:
    # For types only; an import of the store would import SQLAlchemy.
    from torchstone.store import Damage, DamagedFact

DATABASE_NAME = "torchstone.db"


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """A missing requirement, and the command that installs it."""

    name: str
    message: dict[str, str]
    remedy: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """A report on this machine.

    Args:
        torch: The installed version; None if there is none.
        compiler: The first line of the C++ compiler's version output; None if there is none.
        isolation: The strongest level of this machine.
        wanted: The lowest level that the settings allow.
        judges: Whether this machine can judge submissions.
        obstacles: The missing requirements of level ``full``, most important first.
    """

    torchstone: str
    python: str
    platform: str
    torch: str | None
    compiler: str | None
    bubblewrap: str | None
    user_namespace: bool
    landlock_abi: int
    seccomp: bool
    cgroup: str | None
    isolation: Isolation
    wanted: Isolation
    judges: bool
    num_problems: int
    num_broken: int
    obstacles: tuple[Obstacle, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DamageReport:
    """Data on disk that differs from what was stored.

    Args:
        submissions: The damaged submissions of the database, oldest first.
        facts: The damaged activities and reviews, oldest first.
        files: The files of problems that differ from the installed package; empty if the package
            was installed without hashes, as from a clone.
    """

    submissions: tuple[Damage, ...]
    facts: tuple[DamagedFact, ...]
    files: tuple[str, ...]

    @property
    def is_none(self) -> bool:
        """Return whether nothing is damaged."""
        return not (self.submissions or self.facts or self.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostStatus:
    """The status of the data folder's judge host.

    Args:
        runs: Whether there is a host; otherwise the other fields are unknown.
        ready: Whether it can judge at once.
    """

    runs: bool
    ready: bool = False
    pid: int | None = None
    version: str | None = None
    isolation: str | None = None
    capacity: int | None = None
    waiting: int | None = None


def inspect_system(home: Home) -> System:
    """Test every part of the sandbox, and look for the compilers and torch."""
    machine = probe_machine()
    level = achieved(machine)
    torch, compiler = _version("torch"), _compiler()
    return System(
        torchstone=torchstone.__version__,
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.release()} {platform.machine()}",
        torch=torch,
        compiler=compiler,
        bubblewrap=machine.bwrap_version or None,
        user_namespace=machine.user_namespace,
        landlock_abi=machine.landlock_abi,
        seccomp=machine.seccomp and machine.libseccomp,
        cgroup=machine.cgroup,
        isolation=level,
        wanted=home.settings.isolation,
        judges=bool(torch and compiler and level.is_at_least(home.settings.isolation)),
        num_problems=len(home.bank),
        num_broken=len(home.bank.broken),
        obstacles=_obstacles(machine),
    )


def find_damage(home: Home) -> DamageReport:
    """Check the hashes of the stored rows and of the installed files of the bank.

    Raises:
        StoreError: The database cannot be read at all.
    """
    rows: list[Damage] = []
    facts: list[DamagedFact] = []
    # The command looks at a machine and creates nothing.
    if (paths.data_dir() / DATABASE_NAME).exists():
        with home.open_store() as store:
            rows, facts = store.find_damages(), store.find_damaged_facts()
    return DamageReport(submissions=tuple(rows), facts=tuple(facts), files=tuple(_changed_files()))


def _changed_files() -> Iterator[str]:
    """Yield the files of the bank whose hash differs from that in the package's record."""
    package = importlib.metadata.distribution("torchstone")
    # Not `package.files`: since Python 3.12 it leaves out the files that are gone.
    for name, recorded, _size in csv.reader((package.read_text("RECORD") or "").splitlines()):
        mode, _, digest = recorded.partition("=")
        if not digest or "content" not in PurePosixPath(name).parts:
            continue
        path = Path(str(package.locate_file(name)))
        data = path.read_bytes() if path.is_file() else b""
        found = base64.urlsafe_b64encode(hashlib.new(mode, data).digest())
        if found.rstrip(b"=").decode() != digest:
            yield str(path)


def find_weakness() -> tuple[Isolation, Obstacle] | None:
    """Return the level below ``namespaces`` and its obstacle; None if the level is reached.

    Below that level only the user's own code is judged.
    """
    machine = probe_machine()
    level = achieved(machine)
    return None if level.is_at_least(Isolation.NAMESPACES) else (level, _obstacles(machine)[0])


def _obstacles(machine: Machine) -> tuple[Obstacle, ...]:
    sentences = [reasons(machine, lang) for lang in LANGS]
    return tuple(
        Obstacle(
            name=english.obstacle,
            message={"en": english.message, "zh": chinese.message},
            remedy={"en": english.remedy, "zh": chinese.remedy},
        )
        for english, chinese in zip(*sentences, strict=True)
    )


def read_host(home: Home) -> HostStatus:
    """Read the status of the host without starting one."""
    status = home.client().status()
    if status is None:
        return HostStatus(runs=False)
    return HostStatus(
        runs=True,
        ready=status.ready,
        pid=status.pid,
        version=status.version,
        isolation=status.isolation,
        capacity=status.capacity,
        waiting=status.waiting,
    )


def stop_host(home: Home) -> bool:
    """Stop the host and wait until it has ended; False if there was none."""
    client = home.client()
    if client.status() is None:
        return False
    client.stop()
    return True


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _compiler() -> str | None:
    found = next(filter(None, map(shutil.which, COMPILERS)), None)
    if found is None:
        return None
    done = subprocess.run([found, "--version"], capture_output=True, text=True, check=False)
    return (done.stdout.splitlines() or [found])[0]
