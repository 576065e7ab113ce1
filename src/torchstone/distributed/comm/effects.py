"""Results of collectives when the tensors of all ranks are in one process."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from torchstone.distributed.comm.calls import Call
from torchstone.distributed.comm.ordered import combine


def perform(calls: Sequence[Call]) -> None:
    """Write the result of a collective to the tensors of all ranks.

    Args:
        calls: The calls of the ranks, in rank order, with equal signatures.
    """
    _EFFECTS.get(calls[0].op, _do_nothing)(calls)


def deliver(sent: Call, received: Call) -> None:
    """Copy a message to the tensor of its receiver."""
    _write(received.out, flat_of(sent.tensor))


def flat_of(tensor: Tensor) -> Tensor:
    """Return the tensor flattened and contiguous; a view where possible, otherwise a copy."""
    # A one-element tensor counts as contiguous with any stride, but its bytes cannot be viewed
    # then.
    return tensor.contiguous().as_strided((tensor.numel(),), (1,))


def _do_nothing(calls: Sequence[Call]) -> None:
    """Do nothing, for ``barrier``."""


def _all_reduce(calls: Sequence[Call]) -> None:
    parts = [flat_of(call.tensor) for call in calls]
    total = torch.empty_like(parts[0])
    combine(parts, op=calls[0].reduction, order=calls[0].order, out=total)
    for call in calls:
        _write(call.out, total)


def _reduce_scatter(calls: Sequence[Call]) -> None:
    parts = [flat_of(call.tensor).view(len(calls), -1) for call in calls]
    totals = [
        torch.empty_like(call.out, memory_format=torch.contiguous_format).view(-1) for call in calls
    ]
    for rank, total in enumerate(totals):
        row = [part[rank] for part in parts]
        combine(row, op=calls[0].reduction, order=calls[0].order, out=total)
    # Write only at the end, because outputs may alias inputs.
    for call, total in zip(calls, totals, strict=True):
        _write(call.out, total)


def _all_gather(calls: Sequence[Call]) -> None:
    whole = torch.cat([flat_of(call.tensor) for call in calls])
    for call in calls:
        _write(call.out, whole)


def _all_to_all(calls: Sequence[Call]) -> None:
    whole = torch.stack([flat_of(call.tensor).view(len(calls), -1) for call in calls])
    for rank, call in enumerate(calls):
        _write(call.out, whole[:, rank].reshape(-1))


def _broadcast(calls: Sequence[Call]) -> None:
    source = flat_of(calls[calls[0].peer].tensor)
    for rank, call in enumerate(calls):
        if rank != call.peer:
            _write(call.out, source)


def _write(out: Tensor, flat: Tensor) -> None:
    out.copy_(flat.view(out.shape))


_EFFECTS = {
    "all_reduce": _all_reduce,
    "reduce_scatter": _reduce_scatter,
    "all_gather": _all_gather,
    "all_to_all": _all_to_all,
    "broadcast": _broadcast,
}
