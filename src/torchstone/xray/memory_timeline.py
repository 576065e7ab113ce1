"""Memory over time: which tensors live, who made them, and what kernels take for themselves."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch.optim import optimizer as optim_hooks
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from torchstone.xray import private
from torchstone.xray.limits import MAX_EVENTS
from torchstone.xray.lines import LineFinder
from torchstone.xray.module_stack import ModuleNames, module_calls

Event = dict[str, Any]
PHASES = ("forward", "backward", "step")


class MemoryWatch:
    """Follow each storage from the operator that made it to its end."""

    def __init__(self, lines: LineFinder, *, limit: int = MAX_EVENTS) -> None:
        self._lines, self._limit = lines, limit
        self._events: list[Event] = []
        self._living: dict[int, Event] = {}
        self._now = self._peak = self._num_cut = 0
        self._at_peak: list[Event] = []
        self._peak_event = 0
        self._modules: list[torch.nn.Module] = []
        self._phase = PHASES[0]
        self._peaks = dict.fromkeys(PHASES, 0)
        self._profile: Any = None
        self._is_on = False

    @contextmanager
    def on(self) -> Iterator[MemoryWatch]:
        """Watch the operators of the block."""
        watch = self

        class Mode(TorchDispatchMode):
            def __torch_dispatch__(
                self, func: Any, types: Any, args: Any = (), kwargs: Any = None
            ) -> Any:
                result = func(*args, **(kwargs or {}))
                for tensor in tree_leaves(result):
                    if isinstance(tensor, torch.Tensor):
                        watch.see(tensor, str(func))
                return result

        with ExitStack() as entered:
            entered.enter_context(module_calls(before=self._modules.append, after=self._left))
            entered.enter_context(private.backwards(self._around))
            entered.enter_context(_steps(self._begin_step, self._end_step))
            # The profiler would write of its begin and its end between what the program prints.
            os.environ.setdefault("KINETO_LOG_LEVEL", "99")
            self._profile = entered.enter_context(
                torch.profiler.profile(
                    activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True
                )
            )
            entered.enter_context(Mode())  # type: ignore[no-untyped-call]
            self._is_on = True
            try:
                yield self
            finally:
                self._is_on = False

    def see(self, tensor: torch.Tensor, operator: str) -> None:
        """Note the storage of a tensor, if it is new."""
        if not _has_storage(tensor):
            return
        storage = tensor.untyped_storage()
        key, size = private.storage_key(tensor), storage.nbytes()
        if key in self._living or size == 0:
            return
        event = self._note(size, operator)
        self._living[key] = event
        if self._now > self._peak:
            self._peak, self._at_peak = self._now, list(self._living.values())
            self._peak_event = event["i"]
        self._peaks[self._phase] = max(self._peaks[self._phase], self._now)
        weakref.finalize(storage, self._free, key)

    def _free(self, key: int) -> None:
        event = self._living.pop(key, None)
        if event is not None and self._is_on:
            self._note(-event["bytes"], event["op"], event)

    def _note(self, size: int, operator: str, made: Event | None = None) -> Event:
        self._now += size
        event: Event = {
            "i": len(self._events) + self._num_cut,
            "bytes": size,
            "now": self._now,
            "op": operator,
            "module": made["module"] if made else self._modules[-1] if self._modules else None,
            "phase": self._phase,
            "line": self._lines.line(),
        }
        if len(self._events) < self._limit:
            self._events.append(event)
        else:
            self._num_cut += 1
        return event

    def _left(self, module: torch.nn.Module, inputs: Any, outputs: Any) -> None:
        if self._modules:
            self._modules.pop()

    def _around(self, roots: Any, run: Callable[[], Any]) -> Any:
        before, self._phase = self._phase, "backward"
        try:
            return run()
        finally:
            self._phase = before

    def _begin_step(self, *_: Any) -> None:
        self._phase = "step"

    def _end_step(self, *_: Any) -> None:
        self._phase = PHASES[0]

    def data(self, ran: Any = None) -> dict[str, Any]:
        """Return the events, what lived at the peak, and what the allocator has seen beside it."""
        names = ModuleNames({} if ran is None else ran.space)
        events = [_named(event, names) for event in self._events]
        alive = [_named(event, names) for event in self._at_peak]
        alive.sort(key=lambda event: (-event["bytes"], event["i"]))
        return {
            "events": events,
            "peak": {"bytes": self._peak, "i": self._peak_event, "alive": alive},
            "allocator": self._allocator(),
            "phases": self._peaks,
            "truncated": {"events": self._num_cut} if self._num_cut else {},
        }

    def _allocator(self) -> dict[str, int | None]:
        sizes = private.allocations(self._profile)
        if sizes is None:
            return {"peak_bytes": None, "inside_kernels_bytes": None}
        now = peak = 0
        for size in sizes:
            now += size
            peak = max(peak, now)
        return {"peak_bytes": peak, "inside_kernels_bytes": max(0, peak - self._peak)}


@contextmanager
def _steps(begin: Callable[..., None], end: Callable[..., None]) -> Iterator[None]:
    handles = [
        optim_hooks.register_optimizer_step_pre_hook(begin),
        optim_hooks.register_optimizer_step_post_hook(end),
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _has_storage(tensor: torch.Tensor) -> bool:
    if tensor.layout is not torch.strided or tensor.is_nested:
        return False
    return tensor.device.type != "meta" and not private.is_opaque(tensor)


def _named(event: Event, names: ModuleNames) -> Event:
    module = event["module"]
    return event | {"module": None if module is None else names.of_module(module)}
