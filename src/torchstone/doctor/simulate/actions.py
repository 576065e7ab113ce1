"""What a step is made of: small actions that contain each other.

``us`` is time of the host in microseconds, of the action itself: it is spread evenly before,
between and after what the action contains. Time of the device is ``device_us``.
"""

from __future__ import annotations

from dataclasses import dataclass

COMPUTE_STREAM, EXCHANGE_STREAM = 7, 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Take time on a thread of the host, and contain other actions."""

    us: float = 0.0
    do: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Op(Action):
    """Run an operator.

    Attributes:
        name: Its name, as ``aten::mm``.
        dims: The shapes of its inputs.
        dtype: The type of each input, as the profiler spells it.
        sequence: What it shares with its backward, in one step.
    """

    name: str
    dims: tuple[tuple[int, ...], ...] = ()
    dtype: str = "float"
    sequence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame(Action):
    """Run a Python function, written as the profiler does: ``train.py(12): main``."""

    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotate(Action):
    """Run what the program or an optimiser has given a name."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Load(Action):
    """Ask the data loader for a batch; ``do`` is what the main process does for it."""

    workers: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Backward(Action):
    """Run ``do`` on the thread of autograd, while this one waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collect(Action):
    """Run the collector of garbage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Save(Action):
    """Write a file and wait for the disk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work(Action):
    """Queue work of a device; the host is in the call for ``us``.

    Attributes:
        device_us: How long the device takes.
        stream: The queue.
        call: The call of the runtime.
        latency_us: How long after the begin of the call it can begin at the earliest.
        after: It waits for what other queues have by then.
    """

    us: float = 4.0
    device_us: float = 0.0
    stream: int = COMPUTE_STREAM
    call: str = "cudaLaunchKernel"
    latency_us: float = 6.0
    after: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel(Work):
    """Launch a kernel."""

    name: str = "void at::native::vectorized_elementwise_kernel<4>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy(Work):
    """Copy ``size`` bytes at ``gbps``: ``HtoD``, ``DtoH`` or ``DtoD``."""

    way: str = "HtoD"
    size: int = 0
    pinned: bool = False
    gbps: float = 6.0
    call: str = "cudaMemcpyAsync"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange(Work):
    """Take part in a collective: it ends ``device_us`` after the last rank has begun."""

    name: str = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
    size: int = 0
    stream: int = EXCHANGE_STREAM
    call: str = "cudaLaunchKernelExC"
    after: tuple[int, ...] = (COMPUTE_STREAM,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sync(Action):
    """Wait until the device has done what is queued: on one stream, or on all."""

    us: float = 3.0
    call: str = "cudaStreamSynchronize"
    stream: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Alloc(Action):
    """Take memory from the driver, or give it back."""

    us: float = 100.0
    call: str = "cudaMalloc"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remember(Action):
    """Tell of ``size`` bytes that the allocator has given, or taken back if negative."""

    size: int
    device: int = 0


Step = tuple[Action, ...]
