"""What each module of a model costs: arithmetic, traffic, memory that is kept, and time.

One forward is run and looked at: operators as they are dispatched, the tensors that autograd
keeps, and the clock at the beginning and the end of each module. What a module costs holds what the
modules inside it cost.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.graph import saved_tensors_hooks
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

ATEN, OURS = torch.ops.aten, torch.ops.torchstone


@dataclass
class Cost:
    """What a module costs in forward; of several calls, together.

    Attributes:
        name: Its path in the model; empty for the model itself.
        kind: The name of its class.
        calls: How often it was called.
        flops: Operations of products: two for a multiplication and its addition.
        num_bytes: What its operators read and wrote, each tensor that one of them names once.
        saved_bytes: What autograd keeps for backward that was not kept before, parameters aside.
        seconds: From its beginning to its end.
    """

    name: str
    kind: str
    calls: int = 0
    flops: int = 0
    num_bytes: int = 0
    saved_bytes: int = 0
    seconds: float = 0.0

    @property
    def intensity(self) -> float:
        """Give the operations for each byte."""
        return self.flops / self.num_bytes if self.num_bytes else 0.0


@dataclass(frozen=True)
class Profile:
    """The costs of a model and of the modules in it, as they were first called."""

    costs: dict[str, Cost]

    @property
    def whole(self) -> Cost:
        """Give the cost of the model itself."""
        return self.costs[""]

    def table(self, depth: int = 2) -> str:
        """Draw the costs of modules down to a depth as lines of text."""
        head = f"{'module':32} {'kind':14} {'GFLOP':>9} {'MB moved':>9} {'MB kept':>9} {'ms':>9}"
        lines = [head]
        for name, cost in self.costs.items():
            level = name.count(".") + 1 if name else 0
            if level <= depth:
                shown = "  " * level + (name.rpartition(".")[2] if name else "model")
                lines.append(
                    f"{shown:32} {cost.kind:14} {cost.flops / 1e9:9.3f} "
                    f"{cost.num_bytes / 1e6:9.2f} {cost.saved_bytes / 1e6:9.2f} "
                    f"{cost.seconds * 1e3:9.2f}"
                )
        return "\n".join(lines)


def profile(model: nn.Module, *inputs: Any, **named: Any) -> Profile:
    """Run a model forward, and tell what each of its modules costs.

    Args:
        model: Any module.
        inputs: What it is called with.
        named: The same, by name.
    """
    watch = _Watch(model)
    with watch.hooked(), saved_tensors_hooks(watch.keep, lambda tensor: tensor), watch:
        model(*inputs, **named)
    return Profile(watch.costs)


class _Watch(TorchDispatchMode):
    """Charge what happens to every module that is at work."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._model = model
        self.costs: dict[str, Cost] = {}
        self._open: list[tuple[Cost, float]] = []
        self._own = {each.untyped_storage().data_ptr() for each in model.parameters()}
        self._own |= {each.untyped_storage().data_ptr() for each in model.buffers()}
        # Storages that are kept, as long as they live: an address may be used again.
        self._kept: dict[int, weakref.ref[Any]] = {}

    @contextmanager
    def hooked(self) -> Iterator[None]:
        """Hear of the beginning and the end of every module."""
        handles = []
        for name, module in self._model.named_modules():
            handles.append(module.register_forward_pre_hook(self._begin(name)))
            handles.append(module.register_forward_hook(self._end, always_call=True))
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()

    def _begin(self, name: str) -> Callable[[nn.Module, Any], None]:
        def begin(module: nn.Module, _: Any) -> None:
            cost = self.costs.setdefault(name, Cost(name, type(module).__name__))
            cost.calls += 1
            self._open.append((cost, time.perf_counter()))

        return begin

    def _end(self, *_: Any) -> None:
        cost, begun = self._open.pop()
        cost.seconds += time.perf_counter() - begun

    def keep(self, tensor: Tensor) -> Tensor:
        """Note that autograd keeps a tensor."""
        storage = tensor.untyped_storage()
        place = storage.data_ptr()
        known = self._kept.get(place)
        if place in self._own or (known is not None and known() is not None):
            return tensor
        self._kept[place] = weakref.ref(tensor)
        self._charge(saved_bytes=storage.nbytes())
        return tensor

    def _charge(self, flops: int = 0, num_bytes: int = 0, saved_bytes: int = 0) -> None:
        for cost, _ in self._open:
            cost.flops += flops
            cost.num_bytes += num_bytes
            cost.saved_bytes += saved_bytes

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        result = function(*args, **(kwargs or {}))
        if not _is_view(function):
            tensors = {
                id(each): each
                for each in tree_leaves((args, kwargs, result))
                if isinstance(each, Tensor)
            }
            num_bytes = sum(each.numel() * each.element_size() for each in tensors.values())
            self._charge(flops=flops_of(function, args), num_bytes=num_bytes)
        return result


def _is_view(function: Any) -> bool:
    # Nothing is moved where the result lies in the memory of an argument, and nothing is written.
    results = function._schema.returns
    return bool(results) and all(
        each.alias_info is not None and not each.alias_info.is_write for each in results
    )


def flops_of(function: Any, args: Any) -> int:
    """Count the operations of an operator's products; of others none.

    Args:
        function: The operator, such as ``torch.ops.aten.mm.default``.
        args: What it is called with.
    """
    if function in (ATEN.mm.default, ATEN.bmm.default):
        return _of_product(args[0], args[1])
    if function in (ATEN.addmm.default, ATEN.baddbmm.default):
        return _of_product(args[1], args[2])
    if function == OURS.flash_attention.default:
        query, key = args[:2]
        return 2 * _of_product(query.flatten(0, 1), key[:, :1].flatten(0, 1).transpose(-1, -2))
    return 0


def _of_product(left: Tensor, right: Tensor) -> int:
    return 2 * left.numel() * right.shape[-1]
