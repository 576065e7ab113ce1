"""Resource limits of a job's process, and of each of several processes that share its memory."""

from __future__ import annotations

import resource
from dataclasses import replace

from ..protocol.zygote_messages import JobSpec, Prepared
from . import confine

# Allowance for Python's own allocations besides the tensors.
SLACK_BYTES = 64 << 20
# Extra seconds of the kernel's CPU limit over the host's. The kernel counts whole ticks, on a busy
# machine up to a quarter more than was used. The host counts all processes together; a worker ended
# by the kernel would appear as an exception of the program.
SECONDS_FOR_HOST = 3


def apply_share(prepared: Prepared, spec: JobSpec, num_at_once: int) -> None:
    """Set the limits of one of several processes: some levels have no common memory limit."""
    share = replace(spec, memory_mib=spec.memory_mib // _num_parts(spec, num_at_once))
    apply(prepared, share, num_tasks=_num_tasks(spec))


def apply(prepared: Prepared, spec: JobSpec, *, num_tasks: int | None) -> None:
    """Set the resource limits of the job; memory is counted on top of the zygote's."""
    memory = (spec.memory_mib << 20) + SLACK_BYTES
    # The simulator reserves hundreds of GiB of addresses, and cases map memory of which they touch
    # little; the cgroup limits memory instead.
    is_native = spec.serve == "kernels"
    confine.set_rlimits(
        confine.Rlimits(
            cpu_s=int(spec.cpu_s + 0.999) + SECONDS_FOR_HOST,
            # Thread stacks and allocator arenas reserve address space that they never touch.
            address_space_bytes=(
                None if is_native else prepared.address_space_bytes + memory + (512 << 20)
            ),
            data_bytes=None if is_native else prepared.data_bytes + memory,
            stack_bytes=None,
            # One file may take half of the disk.
            file_bytes=spec.disk_mib << 19 if spec.writable else 0,
            # Each tensor in shared memory keeps one descriptor open.
            num_files=1024 if spec.processes else 64,
            num_processes=num_tasks,
        )
    )
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (min(soft, 8 << 20) if soft >= 0 else 8 << 20, hard))


def _num_tasks(spec: JobSpec) -> int | None:
    """Return the maximum number of threads of all processes of the job, or None if uncounted.

    A worker of a loader has two threads, and its queue has one more in the parent process.
    """
    if spec.serve == "launches":
        # Each rank has threads for gloo, its store and autograd.
        return 16 + 10 * spec.processes
    return 8 + 4 * spec.processes if spec.processes else None


def _num_parts(spec: JobSpec, num_at_once: int) -> int:
    """Return the number of parts into which the memory of the job is divided."""
    if spec.serve == "launches":
        return max(num_at_once, spec.processes)
    return num_at_once + spec.processes
