"""The kernel ends a process for its time only where the host did not."""

import resource

import pytest

from torchstone.judge.child.confinement import confine, job_limits
from torchstone.judge.child.protocol.zygote_messages import JobSpec, Prepared
from torchstone.judge.pool.submission_process import CPU_SHARE

PREPARED = Prepared(
    address_space_bytes=1 << 30, data_bytes=1 << 20, held_kib=0, filters={}, rulesets={}
)


def spec(cpu_s: float, processes: int = 0, disk_mib: int = 0) -> JobSpec:
    return JobSpec(
        slot=0,
        filter="python",
        serve="source",
        mode="plain",
        runtime=None,
        writable=disk_mib > 0,
        disk_mib=disk_mib,
        cpu_s=cpu_s,
        memory_mib=512,
        processes=processes,
        probe=None,
    )


@pytest.mark.parametrize("cpu_s", [0.5, 2.0, 10.0])
@pytest.mark.parametrize("processes", [0, 2])
def test_the_kernel_leaves_the_end_of_the_time_to_the_host(
    monkeypatch: pytest.MonkeyPatch, cpu_s: float, processes: int
) -> None:
    asked: list[confine.Rlimits] = []
    monkeypatch.setattr(confine, "set_rlimits", asked.append)
    monkeypatch.setattr(resource, "setrlimit", lambda *_: None)
    job_limits.apply(PREPARED, spec(cpu_s, processes), num_tasks=None)
    (limits,) = asked
    assert limits.cpu_s is not None
    # A quarter of the ticks that the kernel counts here may belong to other processes.
    assert CPU_SHARE * limits.cpu_s >= cpu_s
    assert limits.cpu_s <= cpu_s + 1 + job_limits.SECONDS_FOR_HOST


@pytest.mark.parametrize("disk_mib", [0, 16])
def test_one_file_may_take_half_of_the_disk(monkeypatch: pytest.MonkeyPatch, disk_mib: int) -> None:
    asked: list[confine.Rlimits] = []
    monkeypatch.setattr(confine, "set_rlimits", asked.append)
    monkeypatch.setattr(resource, "setrlimit", lambda *_: None)
    job_limits.apply(PREPARED, spec(1.0, disk_mib=disk_mib), num_tasks=None)
    assert [limits.file_bytes for limits in asked] == [disk_mib * (1 << 20) // 2]
