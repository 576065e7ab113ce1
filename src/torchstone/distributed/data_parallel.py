"""``DataParallel``: a copy of the module on each rank, and the mean of their gradients."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import Parameter

from torchstone.distributed.agreement import begin_alike, copy_from_first, used_somewhere
from torchstone.distributed.comm.protocol import Comm
from torchstone.distributed.passes import Passes, Syncing
from torchstone.distributed.reducer import Reducer
from torchstone.distributed.world import current_world


class DataParallel(Syncing, nn.Module):
    """Average the gradients of a module over the ranks, while the backward pass still runs.

    Each rank has the whole module and computes on its own part of the batch. When ``backward``
    returns, ``.grad`` of each parameter is the mean over the ranks of what it would be without the
    others, bit-equal on all of them. With ``order="rank"`` it has the bits of one process that adds
    the gradients of the ranks in rank order and divides by their number.

    The whole ``.grad`` is averaged, so that what ``no_sync`` has left there counts. It is a view of
    a buffer that the next exchange overwrites. Buffers of the module are overwritten by those of
    rank 0 at each forward pass in training that is followed by an exchange.

    A backward pass exchanges if it is the first one after a forward pass outside of ``no_sync``, or
    if it goes through what such a forward pass returned. All ranks must make the same ones.

    Args:
        module: The module; its parameters and buffers become those of rank 0.
        comm: The ranks; all of them unless given.
        bucket_mb: The size of a bucket, in MiB.
        first_bucket_mb: The first one is full when it has as much, in MiB.
        order: The order of the sums, as ``Comm`` has it.
        overlap: Whether a bucket is exchanged as soon as it is full; otherwise at the end.
        find_unused_parameters: Whether some ranks may leave out parameters: those count as zero
            there, and keep their ``.grad`` where no rank has used them. Each rank uses one or more.
        broadcast_buffers: Whether ranks take the buffers of rank 0.

    Raises:
        RuntimeError: No parameter requires a gradient, a parameter was left without one, or the
            parameters are no longer those that were wrapped.
        Refusal: The ranks have unlike modules.

    Complexity:
        2 (N - 1) / N bytes sent by each rank for every byte of gradients.

    Source:
        Li et al., PyTorch Distributed (2020), section 3.2.
    """

    def __init__(
        self,
        module: nn.Module,
        *,
        comm: Comm | None = None,
        bucket_mb: float = 25.0,
        first_bucket_mb: float = 1.0,
        order: str = "rank",
        overlap: bool = True,
        find_unused_parameters: bool = False,
        broadcast_buffers: bool = True,
    ) -> None:
        super().__init__()
        self.module = module
        self._comm = current_world().comm() if comm is None else comm
        self._overlap = overlap
        self._finds_unused = find_unused_parameters
        self._broadcasts = broadcast_buffers
        begin_alike(module, self._comm)
        self._reducer = Reducer(
            module,
            self._comm,
            bucket_mb=bucket_mb,
            first_bucket_mb=first_bucket_mb,
            order=order,
        )
        self._used: set[Parameter] = set()
        for parameter in self._reducer.bucket_of:
            parameter.register_post_accumulate_grad_hook(self._take)
        # What has a gradient that no exchange has seen yet.
        self._waiting: set[Parameter] = set()
        self._was_left = False
        self._passes = Passes(self._end)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the module; if a backward pass with an exchange follows, prepare for it."""
        if not torch.is_grad_enabled():
            return self.module(*args, **kwargs)
        self._passes.begin_forward()
        if self._is_syncing:
            self._require_ready()
            if self._broadcasts and self.training:
                copy_from_first(list(self.module.buffers()), self._comm)
        result = self.module(*args, **kwargs)
        self._passes.will_exchange = self._is_syncing
        if self._is_syncing:
            self._passes.mark(result)
        return result

    def __getstate__(self) -> Any:
        raise TypeError(
            "DataParallel: a copy would need ranks and hooks of its own; copy or save `.module`, "
            "or the state_dict."
        )

    @torch.no_grad()
    def synchronize(self) -> None:
        """Average what ``no_sync`` has left, without another backward pass; all ranks call it.

        Raises:
            RuntimeError: A parameter has no gradient, and ``find_unused_parameters`` is off.
        """
        self._require_ready()
        self._used = set(self._waiting)
        self._reducer.begin()
        for parameter in self._used:
            self._reducer.fill(parameter)
        self._end()
        self._require_ready()

    def _require_ready(self) -> None:
        """Refuse to go on where the next exchange could not be right."""
        if self._was_left:
            unused = self._reducer.bucket_of.keys() - self._used
            names = [name for name, each in self.module.named_parameters() if each in unused]
            raise RuntimeError(
                f"DataParallel: {', '.join(names)} got no gradient in the last backward pass; "
                "use find_unused_parameters=True."
            )
        self._reducer.require_same(self.module)

    @torch.no_grad()
    def _take(self, parameter: Tensor) -> None:
        """Note that a gradient is there; launch the buckets that are full, always in their order.

        Ranks may fill buckets in another order, and collectives must match.
        """
        assert isinstance(parameter, Parameter)
        if not self._is_exchanged():
            self._waiting.add(parameter)
            return
        if parameter in self._used:
            raise RuntimeError(
                "DataParallel: a parameter got two gradients in one backward pass, the second one "
                "after its bucket was full; use checkpoint(use_reentrant=False)."
            )
        self._used.add(parameter)
        self._reducer.fill(parameter)
        if self._overlap:
            self._reducer.launch()

    def _is_exchanged(self) -> bool:
        """Return whether the gradients of this backward pass are; if so, let it end with that."""
        if not self._passes.is_open:
            if not self._is_syncing or not self._passes.is_due:
                return False
            self._used = set()
            self._reducer.begin()
            self._passes.is_open = True
        self._passes.join()
        return True

    @torch.no_grad()
    def _end(self) -> None:
        """At the end of a backward pass wait for all buckets, and hand out the means."""
        used, kept = self._used | self._waiting, dict[Parameter, Tensor]()
        if self._finds_unused:
            for parameter in self._reducer.bucket_of.keys() - self._used:
                if parameter.grad is not None:
                    kept[parameter] = parameter.grad.clone()
                self._reducer.fill(parameter)
        self._reducer.launch()
        self._was_left = self._passes.is_open = not self._reducer.is_launched
        self._passes.will_exchange = False
        if self._finds_unused:
            used = used_somewhere(used, self._reducer.bucket_of, self._comm)
        self._reducer.hand_out(used, kept)
        self._waiting.clear()
