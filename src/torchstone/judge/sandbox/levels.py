"""Isolation level of this machine, determined by trying, and obstacles to a higher level."""

import ctypes
import errno
import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from torchstone.core.i18n import Lang, text
from torchstone.core.isolation import Isolation
from torchstone.judge.sandbox.cgroups import CgroupKind, usable_kind

_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2
_LANDLOCK_CREATE, _VERSION_FLAG = 444, 1
_PROBE_TIMEOUT_S = 20

KEPT_CAPABILITIES = (
    *("--cap-drop", "ALL"),
    *("--cap-add", "CAP_SYS_ADMIN"),
    *("--cap-add", "CAP_SETUID"),
    *("--cap-add", "CAP_SETGID"),
    *("--cap-add", "CAP_KILL"),
    # Required to bring up the loopback of a job with its own network namespace.
    *("--cap-add", "CAP_NET_ADMIN"),
)
"""Arguments of bubblewrap: only the capabilities that a zygote needs to isolate its jobs."""

# The calls of a zygote for each job: namespaces for the next fork and for itself.
_TRY_NAMESPACES = (
    "import ctypes, sys; unshare = ctypes.CDLL(None).unshare; "
    "sys.exit(unshare(0x20000000) or unshare(0x4C020000))"
)


class Obstacle(StrEnum):
    """A missing feature; `judge.sandbox.obstacle.<value>` has its messages."""

    NOT_LINUX = "not_linux"
    NO_BWRAP = "no_bwrap"
    USERNS_SWITCHED_OFF = "userns_switched_off"
    USERNS_APPARMOR = "userns_apparmor"
    USERNS_NONE_LEFT = "userns_none_left"
    NAMESPACES_REFUSED = "namespaces_refused"
    NO_SECCOMP = "no_seccomp"
    NO_LIBSECCOMP = "no_libseccomp"
    NO_LANDLOCK = "no_landlock"
    NO_CGROUP = "no_cgroup"


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Features of a machine that a sandbox uses."""

    is_linux: bool = True
    is_root: bool
    bwrap: Path | None
    bwrap_version: str
    namespaces: bool
    """Whether bubblewrap ran with these options and could create a job's namespaces inside."""
    user_namespace: bool
    """Whether these namespaces need a user namespace: no root, or root without capabilities."""
    landlock_abi: int
    seccomp: bool
    libseccomp: bool
    cgroup: CgroupKind | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Reason why a machine does not reach the next level, and the remedy."""

    obstacle: Obstacle
    message: str
    remedy: str


@functools.cache
def probe_machine() -> Machine:
    """Try every part of the sandbox; cache the result for this process."""
    if sys.platform != "linux":
        return Machine(
            is_linux=False,
            is_root=False,
            bwrap=None,
            bwrap_version="",
            namespaces=False,
            user_namespace=False,
            landlock_abi=0,
            seccomp=False,
            libseccomp=False,
            cgroup=None,
        )
    is_root = os.geteuid() == 0
    found = shutil.which("bwrap")
    bwrap = Path(found) if found else None
    plain = is_root and _can_make_namespaces(bwrap, user_namespace=False)
    in_user_namespace = not plain and _can_make_namespaces(bwrap, user_namespace=True)
    return Machine(
        is_root=is_root,
        bwrap=bwrap,
        bwrap_version=_version_of(bwrap) if bwrap else "",
        namespaces=plain or in_user_namespace,
        user_namespace=in_user_namespace,
        landlock_abi=_landlock_abi(),
        seccomp=_has_seccomp(),
        libseccomp=_has_libseccomp(),
        cgroup=usable_kind(),
    )


def achieved(machine: Machine, *, at_most: Isolation = Isolation.FULL) -> Isolation:
    """Return the strongest level that the machine reaches.

    Args:
        machine: The result of `probe_machine`.
        at_most: The strongest level to return, which tests and configurations can lower.
    """
    reached = {
        Isolation.FULL: machine.namespaces
        and machine.landlock_abi > 0
        and machine.cgroup is not None,
        Isolation.NAMESPACES: machine.namespaces,
        Isolation.CONFINED: machine.landlock_abi > 0,
    }
    filtered = machine.seccomp and machine.libseccomp
    for level, has_parts in reached.items():
        if filtered and has_parts and at_most.is_at_least(level):
            return level
    return Isolation.NONE


def reasons(machine: Machine, lang: Lang) -> list[Reason]:
    """Return the features that level `full` needs and the machine lacks, most important first."""
    return [
        Reason(
            obstacle=obstacle,
            message=text(f"judge.sandbox.obstacle.{obstacle}.message", lang),
            remedy=text(f"judge.sandbox.obstacle.{obstacle}.remedy", lang),
        )
        for obstacle in _obstacles(machine)
    ]


def _obstacles(machine: Machine) -> Iterator[Obstacle]:
    if not machine.is_linux:
        yield Obstacle.NOT_LINUX
        return
    if not machine.seccomp:
        yield Obstacle.NO_SECCOMP
    if not machine.libseccomp:
        yield Obstacle.NO_LIBSECCOMP
    if machine.bwrap is None:
        yield Obstacle.NO_BWRAP
    elif not machine.namespaces:
        yield _why_no_namespaces()
    if not machine.landlock_abi:
        yield Obstacle.NO_LANDLOCK
    if machine.cgroup is None:
        yield Obstacle.NO_CGROUP


def _why_no_namespaces(proc_sys: Path = Path("/proc/sys")) -> Obstacle:
    """Return the kernel setting that disables user namespaces, if one does."""
    for name, off, obstacle in (
        ("kernel/unprivileged_userns_clone", "0", Obstacle.USERNS_SWITCHED_OFF),
        ("kernel/apparmor_restrict_unprivileged_userns", "1", Obstacle.USERNS_APPARMOR),
        ("user/max_user_namespaces", "0", Obstacle.USERNS_NONE_LEFT),
    ):
        switch = proc_sys / name
        if switch.is_file() and switch.read_text().strip() == off:
            return obstacle
    return Obstacle.NAMESPACES_REFUSED


def _version_of(bwrap: Path) -> str:
    try:
        done = subprocess.run([bwrap, "--version"], capture_output=True, text=True, check=False)
    except OSError:  # for example, a program for another architecture
        return ""
    return done.stdout.strip().removeprefix("bubblewrap ")


def _can_make_namespaces(bwrap: Path | None, *, user_namespace: bool) -> bool:
    if bwrap is None:
        return False
    user = ["--unshare-user"] if user_namespace else []
    command = [str(bwrap), "--die-with-parent", *user, "--unshare-net", "--unshare-pid"]
    command += ["--unshare-ipc", "--unshare-uts", *KEPT_CAPABILITIES]
    command += ["--ro-bind", "/", "/", "--proc", "/proc", "--"]
    command += [os.path.realpath(sys.executable), "-I", "-S", "-c", _TRY_NAMESPACES]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=_PROBE_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _landlock_abi() -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, int(libc.syscall(_LANDLOCK_CREATE, None, ctypes.c_size_t(0), _VERSION_FLAG)))


def _has_seccomp() -> bool:
    """Return whether seccomp works: a null filter gives EFAULT with seccomp, EINVAL without."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, None, 0, 0)
    return ctypes.get_errno() == errno.EFAULT


def _has_libseccomp() -> bool:
    try:
        import pyseccomp
    except (ImportError, OSError, RuntimeError):
        return False
    return bool(pyseccomp)
