"""Profiler: FLOPs, memory traffic, peak memory and time of each module of a model.

Forward runs several times, because the measurements disturb each other: once to record operators
and saved tensors, once to record every allocation, and several times with only a clock around each
module. The cost of a module includes the costs of its submodules.
"""

from __future__ import annotations

import statistics
import time
import weakref
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from torchstone.models.limits import Limits

ATEN, OURS = torch.ops.aten, torch.ops.torchstone
# Operators that return uninitialized memory.
_EMPTY = {
    ATEN.empty.memory_format,
    ATEN.empty_like.default,
    ATEN.empty_strided.default,
    ATEN.new_empty.default,
    ATEN.new_empty_strided.default,
}
_ATTENTION = {
    OURS.flash_attention.default,
    ATEN._scaled_dot_product_flash_attention_for_cpu.default,
    ATEN._scaled_dot_product_flash_attention.default,
    ATEN._scaled_dot_product_efficient_attention.default,
    ATEN._scaled_dot_product_cudnn_attention.default,
}
# Prefix of the ranges of modules among the profiler's events.
_MARK = "module of the profile: "


@dataclass
class Cost:
    """Cost of a module in the forward pass, summed over its calls.

    Attributes:
        name: Its path in the model; empty for the model itself.
        kind: The name of its class.
        calls: The number of calls.
        flops: FLOPs of matrix products, with two per multiply-add.
        num_bytes: Bytes that its operators read and wrote, each argument counted once.
        saved_bytes: Bytes newly saved by autograd for backward, without parameters.
        peak_bytes: The peak of allocated memory while it ran, beyond that before the model started;
            reported by the allocator, so temporary memory of operators is included.
        seconds: Elapsed time; the median of several runs.
        label: Its path relative to that of the enclosing module.
        level: The number of enclosing modules.
    """

    name: str
    kind: str
    calls: int = 0
    flops: int = 0
    num_bytes: int = 0
    saved_bytes: int = 0
    peak_bytes: int = 0
    seconds: float = 0.0
    label: str = ""
    level: int = 0

    @property
    def intensity(self) -> float:
        """Return the arithmetic intensity, in FLOPs per byte."""
        return self.flops / self.num_bytes if self.num_bytes else 0.0

    def roofline_share(self, limits: Limits) -> float:
        """Return the time that the machine's limits would allow, divided by the measured time.

        Bytes count at the bandwidth of main memory, so data in the caches may give more than 1.
        """
        return limits.seconds(self.flops, self.num_bytes) / self.seconds if self.seconds else 0.0


@dataclass(frozen=True)
class Profile:
    """Costs of a model and its modules, in the order of their first calls."""

    costs: dict[str, Cost]

    @property
    def whole(self) -> Cost:
        """Return the cost of the whole model."""
        return self.costs[""]

    def down_to(self, depth: int) -> list[Cost]:
        """Return the costs of modules down to a depth, each after its enclosing module."""
        return [cost for cost in self.costs.values() if cost.level <= depth]

    def table(self, depth: int = 2) -> str:
        """Format the costs of modules down to a depth as a text table."""
        wide = {"GFLOP": 9, "MB moved": 9, "MB kept": 9, "MB peak": 9, "ms": 9}
        head = " ".join(f"{name:>{width}}" for name, width in wide.items())
        lines = [f"{'module':32} {'kind':14} {head}"]
        for cost in self.down_to(depth):
            shown = "  " * cost.level + (cost.label or "model")
            lines.append(
                f"{shown:32} {cost.kind:14} {cost.flops / 1e9:9.3f} {cost.num_bytes / 1e6:9.2f} "
                f"{cost.saved_bytes / 1e6:9.2f} {cost.peak_bytes / 1e6:9.2f} "
                f"{cost.seconds * 1e3:9.2f}"
            )
        return "\n".join(lines)


def profile(
    model: nn.Module,
    *inputs: Any,
    rounds: int = 3,
    around: Callable[[], AbstractContextManager[object]] = nullcontext,
    **named: Any,
) -> Profile:
    """Run a model forward, and return the cost of each module.

    Args:
        model: Any module; forward should have no side effects, such as a growing cache.
        inputs: The positional arguments, the same for each run.
        rounds: The number of timed runs, after a warm-up run.
        around: Creates the context of each run. An autocast, for example, caches copies of weights
            until it ends; a single one around all runs would create them only in the first.
        named: The keyword arguments.
    """

    def run() -> None:
        with around():
            model(*inputs, **named)

    watch = _Watch(model)
    with watch.hooked(), saved_tensors_hooks(watch.keep, lambda tensor: tensor), watch:
        run()
    _measure_time(model, run, watch.costs, rounds)
    _measure_peaks(model, run, watch.costs)
    return Profile(watch.costs)


@contextmanager
def _hooked(
    model: nn.Module, begin: Callable[[str, nn.Module], None], end: Callable[[str], None]
) -> Iterator[None]:
    """Call ``begin`` and ``end`` around every module. A context manager."""
    handles = []
    for name, module in model.named_modules():
        handles.append(
            module.register_forward_pre_hook(lambda module, _, name=name: begin(name, module))
        )
        handles.append(
            module.register_forward_hook(lambda *_, name=name: end(name), always_call=True)
        )
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _measure_time(
    model: nn.Module, run: Callable[[], None], costs: dict[str, Cost], rounds: int
) -> None:
    # A kernel on a GPU finishes after its call returns.
    is_on_card = any(each.is_cuda for each in model.parameters())
    times: dict[str, list[float]] = {name: [] for name in costs}
    begun: list[float] = []
    taken: dict[str, float] = {}

    def end(name: str) -> None:
        if is_on_card:
            torch.cuda.synchronize()
        taken[name] = taken.get(name, 0.0) + time.perf_counter() - begun.pop()

    def begin(name: str, _: nn.Module) -> None:
        if is_on_card:
            torch.cuda.synchronize()
        begun.append(time.perf_counter())

    with _hooked(model, begin, end):
        for _ in range(rounds):
            taken.clear()
            run()
            for name, seconds in taken.items():
                times[name].append(seconds)
    for name, cost in costs.items():
        cost.seconds = statistics.median(times[name]) if times[name] else 0.0


def _measure_peaks(model: nn.Module, run: Callable[[], None], costs: dict[str, Cost]) -> None:
    """Record the allocations of a run, and set the peak during each module."""
    ranges: list[Any] = []

    def begin(name: str, _: nn.Module) -> None:
        ranges.append(torch.profiler.record_function(_MARK + name))
        ranges[-1].__enter__()

    with _hooked(model, begin, lambda _: ranges.pop().__exit__(None, None, None)):
        events, instants, held = _follow_allocator(run)
    for event in events:
        # On a GPU each range occurs twice, the second time by the GPU's clock.
        is_on_host = event.device_type() == torch._C._autograd.DeviceType.CPU
        if is_on_host and event.name().startswith(_MARK):
            first = bisect_left(instants, event.start_ns())
            last = bisect_right(instants, event.start_ns() + event.duration_ns())
            cost = costs[event.name().removeprefix(_MARK)]
            cost.peak_bytes = max(cost.peak_bytes, *held[first : last + 1])


def peak_bytes(run: Callable[[], object]) -> int:
    """Return the peak memory that a call allocates, beyond the memory before it."""
    return max(_follow_allocator(run)[2])


def _follow_allocator(run: Callable[[], object]) -> tuple[list[Any], list[int], list[int]]:
    """Return all events of a call, the times of allocations, and the memory in use between them."""
    activities = [torch.profiler.ProfilerActivity.CPU]
    if torch.cuda.is_available():
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    with torch.profiler.profile(activities=activities, profile_memory=True) as profiler:
        run()
    events = profiler.profiler.kineto_results.events()
    allocations = sorted(
        (each.start_ns(), each.nbytes()) for each in events if each.name() == "[memory]"
    )
    instants = [instant for instant, _ in allocations]
    return events, instants, [0, *accumulate(nbytes for _, nbytes in allocations)]


class _Watch(TorchDispatchMode):
    """Mode that adds the cost of each operator to all modules that are running."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._model = model
        self.costs: dict[str, Cost] = {}
        self._open: list[Cost] = []
        self._own = {each.untyped_storage().data_ptr() for each in model.parameters()}
        self._own |= {each.untyped_storage().data_ptr() for each in model.buffers()}
        # Saved storages that are alive; a weak reference, because an address may be reused.
        self._kept: dict[int, weakref.ref[Any]] = {}

    def hooked(self) -> AbstractContextManager[None]:
        """Register hooks at the beginning and the end of every module."""
        return _hooked(self._model, self._begin, lambda _: self._end())

    def _begin(self, name: str, module: nn.Module) -> None:
        around = self._open[-1].name if self._open else ""
        label = name.removeprefix(f"{around}.") if around else name
        cost = Cost(name, type(module).__name__, label=label, level=len(self._open))
        cost = self.costs.setdefault(name, cost)
        cost.calls += 1
        self._open.append(cost)

    def _end(self) -> None:
        self._open.pop()

    def keep(self, tensor: Tensor) -> Tensor:
        """Record that autograd saves a tensor."""
        storage = tensor.untyped_storage()
        place = storage.data_ptr()
        known = self._kept.get(place)
        if place in self._own or (known is not None and known() is not None):
            return tensor
        # The storage is referenced, because it lives as long as any tensor in it.
        self._kept[place] = weakref.ref(storage)
        self._charge(saved_bytes=storage.nbytes())
        return tensor

    def _charge(self, flops: int = 0, num_bytes: int = 0, saved_bytes: int = 0) -> None:
        for cost in self._open:
            cost.flops += flops
            cost.num_bytes += num_bytes
            cost.saved_bytes += saved_bytes

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        # In ``inference_mode`` composite operators are not decomposed by autograd.
        with self:
            result = function.decompose(*args, **(kwargs or {}))
        if result is not NotImplemented:
            return result
        result = function(*args, **(kwargs or {}))
        if function in _EMPTY:
            return result
        read, made = (
            {id(each): each for each in tree_leaves(some) if isinstance(each, Tensor)}
            for some in ((args, kwargs), result)
        )
        if not _is_view(function, read.values(), made.values()):
            num_bytes = sum(each.numel() * each.element_size() for each in (read | made).values())
            self._charge(flops=flops_of(function, args), num_bytes=num_bytes)
        return result


def _is_view(function: Any, read: Iterable[Tensor], made: Collection[Tensor]) -> bool:
    # A result in the memory of an argument is a view, without traffic. Schemas are unreliable: that
    # of ``_unsafe_view``, which follows each batched product, declares no alias.
    places = {each.untyped_storage().data_ptr() for each in read}
    return (
        bool(made)
        and not function._schema.is_mutable
        and all(each.untyped_storage().data_ptr() in places for each in made)
    )


def flops_of(function: Any, args: Any) -> int:
    """Return the FLOPs of an operator's matrix products; 0 for other operators.

    Attention counts all pairs, including masked ones. Kernels that are not operators, such as those
    of the backend ``triton``, are not counted.

    Args:
        function: The operator, such as ``torch.ops.aten.mm.default``.
        args: Its arguments.
    """
    if function in (ATEN.mm.default, ATEN.bmm.default):
        return _of_product(args[0], args[1])
    if function in (ATEN.addmm.default, ATEN.baddbmm.default):
        return _of_product(args[1], args[2])
    if function in _ATTENTION:
        query, key, value = args[:3]
        pairs = query.shape[:-1].numel() * key.shape[-2]
        flops: int = 2 * pairs * (query.shape[-1] + value.shape[-1])
        return flops
    return 0


def _of_product(left: Tensor, right: Tensor) -> int:
    return 2 * left.numel() * right.shape[-1]
