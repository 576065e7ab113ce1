"""A host knows its control groups by their locks, and makes a group again that has vanished."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from torchstone.judge.sandbox import slot_group
from torchstone.judge.sandbox.cgroups import Cgroup, CgroupKind, usable_kind
from torchstone.judge.sandbox.slot_group import PREFIX, SlotGroup, sweep_groups

SWEEP = """
import sys
from torchstone.judge.sandbox.cgroups import CgroupKind
from torchstone.judge.sandbox.slot_group import sweep_groups
sweep_groups(CgroupKind(sys.argv[1]))
"""
HOLD = """
import sys
from torchstone.judge.sandbox.cgroups import CgroupKind
from torchstone.judge.sandbox.slot_group import SlotGroup
held = SlotGroup(CgroupKind(sys.argv[1]), memory_bytes=1 << 28, num_tasks=40)
print("\\n".join(map(str, held.group.folders)), flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    file = tmp_path / "cgroup"
    file.write_text("9:pids:/box\n4:cpu,memory:/\n0::/\n")
    return file


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Folders in which groups can be made, as under v1."""
    for folder in ("memory", "pids/box"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path


@pytest.fixture(autouse=True)
def folders_alone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write no limits into folders that are not the kernel's: rmdir refuses a folder with files."""
    if "root" in request.fixturenames:
        monkeypatch.setattr("torchstone.judge.sandbox.cgroups._write", lambda path, value: None)


def make(root: Path, own: Path) -> SlotGroup:
    return SlotGroup(CgroupKind.V1, memory_bytes=1 << 28, num_tasks=40, root=root, own=own)


def names(root: Path) -> set[str]:
    return {path.name for folder in ("memory", "pids/box") for path in (root / folder).iterdir()}


@pytest.mark.pure
def test_a_sweep_removes_groups_without_a_holder_alone(root: Path, own: Path) -> None:
    held = make(root, own)
    for folder in ("memory", "pids/box"):
        for name in (f"{PREFIX}dead", "other", "torchstone-host"):
            (root / folder / name).mkdir()
    busy = root / "memory" / f"{PREFIX}busy"
    (busy / "process").mkdir(parents=True)
    sweep_groups(CgroupKind.V1, root, own)
    name = held.group.folders[0].name
    assert names(root) == {name, "other", "torchstone-host", f"{PREFIX}busy"}
    assert not held.ensure()
    held.remove()
    assert name not in names(root)


@pytest.mark.pure
@pytest.mark.parametrize("gone", [(0,), (1,), (0, 1)])
def test_a_group_that_vanished_is_made_again(root: Path, own: Path, gone: tuple[int, ...]) -> None:
    held = make(root, own)
    old = held.group.folders
    for number in gone:
        old[number].rmdir()
    assert held.num_oom_kills() == 0
    assert held.ensure()
    assert not held.ensure()
    assert all(folder.is_dir() for folder in held.group.folders)
    assert not any(folder.exists() for folder in old), "nothing of the old one is left"
    sweep_groups(CgroupKind.V1, root, own)
    assert all(folder.is_dir() for folder in held.group.folders)
    held.remove()
    assert names(root) == set()


@pytest.mark.pure
def test_a_sweep_between_creation_and_lock_does_no_harm(
    root: Path, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, swept = slot_group._lock, list[Cgroup]()

    def sweep_first(group: Cgroup) -> tuple[int, ...]:
        if len(swept) < 3:
            swept.append(group)
            sweep_groups(CgroupKind.V1, root, own)
        return real(group)

    monkeypatch.setattr(slot_group, "_lock", sweep_first)
    held = make(root, own)
    assert len(swept) == 3
    assert names(root) == {held.group.folders[0].name}
    held.remove()


@pytest.mark.pure
def test_a_group_that_always_vanishes_is_an_error(
    root: Path, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slot_group, "_is_there", lambda group, locks: False)
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(FileNotFoundError):
        make(root, own)
    assert len(os.listdir("/proc/self/fd")) == before


@contextlib.contextmanager
def another_host(kind: CgroupKind, *prefix: str) -> Iterator[tuple[Path, ...]]:
    """Run a process that holds a real group; yield its folders."""
    command = [*prefix, sys.executable, "-c", HOLD, kind]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as host:
        assert host.stdin is not None
        assert host.stdout is not None
        num_folders = 2 if kind is CgroupKind.V1 else 1
        yield tuple(Path(host.stdout.readline().strip()) for _ in range(num_folders))
        host.stdin.close()


@pytest.mark.sandbox
def test_hosts_in_two_pid_namespaces_leave_each_other_alone() -> None:
    if os.geteuid():
        return  # only root can make a PID namespace alone
    kind = usable_kind()
    if kind is None:
        pytest.skip("no control group may be made here")
    unshare = ("unshare", "--pid", "--fork", "--mount-proc")
    with another_host(kind, *unshare) as inner, another_host(kind) as outer:
        for command in ((), unshare, ("unshare", "--pid", "--fork")):
            subprocess.run([*command, sys.executable, "-c", SWEEP, kind], check=True)
            assert all(folder.is_dir() for folder in (*inner, *outer)), command
    subprocess.run([*unshare, sys.executable, "-c", SWEEP, kind], check=True)
    assert not any(folder.exists() for folder in (*inner, *outer)), "both hosts have ended"
