"""Resource limits of the process of a job, and of each of several that divide its memory."""

from __future__ import annotations

import resource
from dataclasses import replace

from . import confine
from .zygote_messages import JobSpec, Prepared

# Room for what Python itself allocates around the tensors that a problem's limit is about.
SLACK_BYTES = 64 << 20
# How much later than the host the kernel ends a process for its time. The kernel counts whole ticks
# there, on a busy machine a quarter more than the process has used. And the host counts all
# processes together: the end of a worker would be an exception of the program.
SECONDS_FOR_HOST = 3


def apply_share(prepared: Prepared, spec: JobSpec, num_at_once: int) -> None:
    """Set the limits of one of several processes: not every level counts their memory together."""
    share = replace(spec, memory_mib=spec.memory_mib // _num_parts(spec, num_at_once))
    apply(prepared, share, num_tasks=_num_tasks(spec))


def apply(prepared: Prepared, spec: JobSpec, *, num_tasks: int | None) -> None:
    """Set the resource limits of the job; memory counts above what the zygote already holds."""
    memory = (spec.memory_mib << 20) + SLACK_BYTES
    # The simulator reserves addresses by the hundred GiB, and what a case makes of them is mapped
    # but hardly touched; there the control group is the limit.
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
            # Each tensor in shared memory keeps one open.
            num_files=1024 if spec.processes else 64,
            num_processes=num_tasks,
        )
    )
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (min(soft, 8 << 20) if soft >= 0 else 8 << 20, hard))


def _num_tasks(spec: JobSpec) -> int | None:
    """Return how many threads all processes of the job may have together, if they are counted.

    A worker of a loader has two, and its queue one more in the process that started it.
    """
    if spec.serve == "launches":
        # A rank has those of gloo, of its store and of autograd.
        return 16 + 10 * spec.processes
    return 8 + 4 * spec.processes if spec.processes else None


def _num_parts(spec: JobSpec, num_at_once: int) -> int:
    """Return into how many parts the memory of the job is divided."""
    if spec.serve == "launches":
        return max(num_at_once, spec.processes)
    return num_at_once + spec.processes
