"""Measurement of live memory and CPU time of a training step."""

from __future__ import annotations

import statistics
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from torchstone.models.profile import flops_of
from torchstone.models.studies.program import say

OURS = torch.ops.torchstone


class Alive(TorchDispatchMode):
    """Mode that tracks the storages created by operators while they are alive.

    Memory that no operator creates is not tracked: the random state that a checkpoint saves, 5,056
    bytes on a CPU, and temporary memory inside an operator. The tests compare it with the
    allocator's record in ``torch.profiler``.

    Attributes:
        num_bytes: The live bytes, without those of earlier storages.
        held_bytes: The live bytes between forward and backward, including the result of forward.
        peak_bytes: The peak of the live bytes.
        flops: FLOPs of matrix products.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.num_bytes = self.held_bytes = self.peak_bytes = self.flops = 0
        # By address, while the storage is alive, because an address may be reused.
        self._known: dict[int, weakref.ref[torch.UntypedStorage]] = {}

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        for each in tree_leaves((args, kwargs)):
            # A storage that no operator has created existed before.
            self._follow(each, is_new=False)
        result = function(*args, **(kwargs or {}))
        for each in tree_leaves(result):
            self._follow(each, is_new=True)
        self.flops += _flops_of(function, args)
        return result

    def _follow(self, value: object, *, is_new: bool) -> None:
        if not isinstance(value, Tensor):
            return
        storage = value.untyped_storage()
        address, num_bytes = storage._cdata, storage.nbytes() if is_new else 0
        if address in self._known:
            return

        def forget(_: object) -> None:
            del self._known[address]
            self.num_bytes -= num_bytes

        self._known[address] = weakref.ref(storage, forget)
        self.num_bytes += num_bytes
        self.peak_bytes = max(self.peak_bytes, self.num_bytes)


def _flops_of(function: Any, args: Any) -> int:
    if function == OURS.flash_attention_backward.default:
        # Backward has five products, forward two.
        return flops_of(OURS.flash_attention.default, args[1:]) * 5 // 2
    return flops_of(function, args)


def follow_step(forward: Callable[[], Tensor], backward: Callable[[Tensor], object]) -> Alive:
    """Run forward and backward, and track the live memory."""
    alive = Alive()
    with alive:
        out = forward()
        alive.held_bytes = alive.num_bytes
        backward(out)
    return alive


def processor_ms(functions: Sequence[Callable[[], object]], num_rounds: int) -> list[list[float]]:
    """Time functions in turns, so that a slowdown of the machine affects all of them.

    Returns:
        For each function the CPU time of each round, in milliseconds, without a warm-up round.
    """
    times: list[list[float]] = [[] for _ in functions]
    for number in range(num_rounds + 1):
        say(f"round {number} of {num_rounds}")
        for function, own in zip(functions, times, strict=True):
            begun = time.process_time()
            function()
            own.append((time.process_time() - begun) * 1e3)
    return [own[1:] for own in times]


def spread_of(times: Sequence[float]) -> float:
    """Return the interquartile range; 0 for a single time."""
    if len(times) < 2:
        return 0.0
    first, _, third = statistics.quantiles(times, n=4, method="inclusive")
    return third - first
