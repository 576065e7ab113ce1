"""``DataParallel``: a copy of the module on each rank, with averaged gradients."""

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
    """Module wrapper that averages gradients over the ranks during the backward pass.

    Each rank has the whole module and computes its own part of the batch. When ``backward``
    returns, ``.grad`` of each parameter is the mean over the ranks of their local gradients,
    bit-equal on all ranks. With ``order="rank"`` it is bit-equal to one process that adds the
    gradients of the ranks in rank order and divides by their number.

    The whole ``.grad`` is averaged, including what was accumulated within ``no_sync``. It is a view
    of a buffer that the next exchange overwrites. Each forward pass in training that is followed by
    an exchange overwrites the buffers of the module by those of rank 0.

    A backward pass exchanges gradients if it is the first one after a forward pass outside of
    ``no_sync``, or if it goes through an output of such a forward pass. All ranks must run the same
    passes.

    Args:
        module: The module; its parameters and buffers are overwritten by those of rank 0.
        comm: The ranks; None for all of them.
        bucket_mb: The size of a bucket, in MiB.
        first_bucket_mb: The size at which the first bucket is full, in MiB.
        order: The order of the sums, as in ``Comm``.
        overlap: Whether a bucket is exchanged as soon as it is full; otherwise at the end.
        find_unused_parameters: Whether some ranks may leave parameters unused: these count as zero
            there, and keep their ``.grad`` if no rank has used them. Each rank uses at least one.
        broadcast_buffers: Whether ranks take the buffers of rank 0.

    Raises:
        RuntimeError: No parameter requires a gradient, a parameter got no gradient, or the
            parameters are no longer those that were wrapped.
        Refusal: The modules of the ranks differ.

    Complexity:
        Each rank sends 2 (N - 1) / N bytes per byte of gradients.

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
        # Parameters with a gradient that has not been exchanged.
        self._waiting: set[Parameter] = set()
        self._was_left = False
        self._passes = Passes(self._end)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the module; prepare for the exchange in the backward pass, if there will be one."""
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
        """Average gradients accumulated in ``no_sync`` without a backward pass, on all ranks.

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
        """Raise an error if the next exchange could not be correct."""
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
        """Add a gradient to its bucket; launch full buckets, always in the same order.

        Ranks may fill buckets in different orders, but collectives must match.
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
        """Return whether this backward pass exchanges its gradients; if so, register its end."""
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
        """Wait for all buckets at the end of a backward pass, and assign the means."""
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
