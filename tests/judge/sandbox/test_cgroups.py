import os
import threading
from pathlib import Path

import pytest

from torchstone.judge.sandbox import cgroups
from torchstone.judge.sandbox.cgroups import (
    Cgroup,
    CgroupKind,
    create_group,
    usable_kind,
)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    file = tmp_path / "cgroup"
    file.write_text("0::/user.slice/app.scope\n")
    return file


@pytest.fixture
def scope(tmp_path: Path) -> Path:
    """A folder with the files that the kernel would show in a delegated group of v2."""
    folder = tmp_path / "root/user.slice/app.scope"
    folder.mkdir(parents=True)
    (folder / "cgroup.controllers").write_text("cpu memory pids\n")
    (folder / "cgroup.subtree_control").write_text("\n")
    return folder


@pytest.mark.pure
def test_v2_moves_to_a_leaf_before_it_hands_controllers_down(scope: Path, own: Path) -> None:
    cgroups._enable_controllers(scope.parents[1], own)
    assert (scope / "torchstone-host/cgroup.procs").read_text() == f"{os.getpid()}\n"
    assert (scope / "cgroup.subtree_control").read_text() == "+memory +pids"


@pytest.mark.pure
def test_v2_leaves_alone_what_is_handed_down_already(scope: Path, own: Path) -> None:
    (scope / "cgroup.subtree_control").write_text("memory pids\n")
    cgroups._enable_controllers(scope.parents[1], own)
    assert not (scope / "torchstone-host").exists()


@pytest.mark.pure
def test_v2_without_the_memory_controller_is_not_usable(scope: Path, own: Path) -> None:
    (scope / "cgroup.controllers").write_text("hugetlb\n")
    assert usable_kind(scope.parents[1], own) is None


@pytest.mark.pure
def test_a_v2_group_has_its_limits_and_is_read(scope: Path, own: Path) -> None:
    own.write_text("0::/user.slice/app.scope/torchstone-host\n")
    group = create_group(
        CgroupKind.V2, "jobs", memory_bytes=1 << 28, num_tasks=40, root=scope.parents[1], own=own
    )
    folder = scope / "jobs"
    assert group.folders == (folder,)
    assert (folder / "memory.max").read_text() == f"{1 << 28}\n"
    assert (folder / "pids.max").read_text() == "40\n"
    (folder / "memory.peak").write_text("12345\n")
    (folder / "memory.events").write_text("low 0\nhigh 0\nmax 3\noom 1\noom_kill 1\n")
    (folder / "cgroup.procs").write_text("7\n8\n")
    assert (group.peak_bytes(), group.num_oom_kills(), group.num_processes()) == (12345, 1, 2)


@pytest.mark.pure
def test_v1_has_a_folder_for_each_controller(tmp_path: Path) -> None:
    own = tmp_path / "cgroup"
    own.write_text("9:pids:/box\n4:cpu,memory:/\n0::/\n")
    for folder in ("memory", "pids/box"):
        (tmp_path / folder).mkdir(parents=True)
    group = create_group(
        CgroupKind.V1, "jobs", memory_bytes=1 << 28, num_tasks=40, root=tmp_path, own=own
    )
    assert group.folders == (tmp_path / "memory/jobs", tmp_path / "pids/box/jobs")
    assert (tmp_path / "pids/box/jobs/pids.max").read_text() == "40\n"


@pytest.mark.pure
def test_a_group_that_cannot_be_finished_leaves_nothing(
    scope: Path, own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, value: int) -> None:
        raise PermissionError(path, value)

    monkeypatch.setattr(cgroups, "_write", refuse)
    with pytest.raises(PermissionError):
        create_group(
            CgroupKind.V2, "jobs", memory_bytes=1, num_tasks=1, root=scope.parents[1], own=own
        )
    assert not (scope / "jobs").exists()


@pytest.mark.sandbox
def test_a_real_group_bounds_and_counts_a_process() -> None:
    kind = usable_kind()
    if kind is None:
        pytest.skip("no control group may be made here")
    name = f"torchstone-test-{os.getpid()}"
    group = create_group(kind, name, memory_bytes=64 << 20, num_tasks=8)
    try:
        assert _run_in(group, lambda: len(bytearray(8 << 20))) == 0
        assert group.peak_bytes() >= 8 << 20
        assert group.num_oom_kills() == 0
        assert _run_in(group, lambda: len(bytearray(b"x") * (256 << 20))) == 9
        assert group.num_oom_kills() >= 1
    finally:
        group.remove()


def _run_in(group: Cgroup, work: object) -> int:
    """Run a function in a forked process of the group; give the status of its end."""
    pid = os.fork()
    if pid == 0:
        group.add(os.getpid())
        callable(work) and work()
        os._exit(0)
    return os.waitpid(pid, 0)[1]


@pytest.mark.pure
def test_two_probes_of_one_pid_do_not_meet(scope: Path, own: Path) -> None:
    # Hosts in two PID namespaces can have the same pid.
    (scope / f"torchstone-probe-{os.getpid()}").mkdir()
    (scope / "cgroup.subtree_control").write_text("memory pids\n")
    real = Cgroup.remove
    with pytest.MonkeyPatch.context() as patched:
        # A folder here keeps its files, which rmdir does not accept.
        patched.setattr(Cgroup, "remove", lambda self: None)
        assert usable_kind(scope.parents[1], own) is CgroupKind.V2
    assert Cgroup.remove is real


@pytest.mark.pure
def test_a_group_that_empties_in_time_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "group"
    (folder / "process").mkdir(parents=True)
    group = Cgroup(kind=CgroupKind.V2, folders=(folder,))
    with pytest.raises(OSError, match="not empty"):
        group.remove()
    ending = threading.Timer(0.05, (folder / "process").rmdir)
    ending.start()
    group.remove(patience_s=10.0)
    ending.join()
    assert not folder.exists()


@pytest.mark.pure
def test_a_group_that_is_gone_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cgroups.time, "sleep", lambda _: pytest.fail("it waits"))
    with pytest.raises(FileNotFoundError):
        Cgroup(kind=CgroupKind.V2, folders=(tmp_path / "gone",)).remove(patience_s=60.0)
