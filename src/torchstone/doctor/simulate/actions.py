"""Actions of a simulated step, which can be nested.

``us`` is the action's own host time in microseconds: it is distributed evenly before, between and
after the nested actions. Device time is ``device_us``.
"""

from __future__ import annotations

from dataclasses import dataclass

COMPUTE_STREAM, EXCHANGE_STREAM = 7, 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """Spend time on a host thread, with nested actions."""

    us: float = 0.0
    do: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Op(Action):
    """Run an operator.

    Attributes:
        name: Name, as ``aten::mm``.
        dims: Shapes of the inputs.
        dtype: Dtype of each input, as the profiler spells it.
        sequence: Number shared with its backward, within one step.
    """

    name: str
    dims: tuple[tuple[int, ...], ...] = ()
    dtype: str = "float"
    sequence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame(Action):
    """Run a Python function, named as the profiler does: ``train.py(12): main``."""

    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotate(Action):
    """Run a range named by the program or an optimizer."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Load(Action):
    """Request a batch from the data loader; ``do`` is the work of the main process for it."""

    workers: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Backward(Action):
    """Run ``do`` on the autograd thread, while this thread waits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collect(Action):
    """Run the garbage collector."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Save(Action):
    """Write a file and wait for the disk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work(Action):
    """Enqueue device work; the host spends ``us`` in the call.

    Attributes:
        device_us: Duration on the device.
        stream: Stream of the work.
        call: Runtime call.
        latency_us: Minimum delay between the start of the call and the start of the work.
        after: Streams whose current work it waits for.
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
    """Take part in a collective; it ends ``device_us`` after the last rank has started."""

    name: str = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
    size: int = 0
    stream: int = EXCHANGE_STREAM
    call: str = "cudaLaunchKernelExC"
    after: tuple[int, ...] = (COMPUTE_STREAM,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sync(Action):
    """Wait for the enqueued device work: of one stream, or of all."""

    us: float = 3.0
    call: str = "cudaStreamSynchronize"
    stream: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Alloc(Action):
    """Allocate memory from the driver, or free it."""

    us: float = 100.0
    call: str = "cudaMalloc"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remember(Action):
    """Record ``size`` bytes allocated by the allocator, or freed if negative."""

    size: int
    device: int = 0


Step = tuple[Action, ...]
